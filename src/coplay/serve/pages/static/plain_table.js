// A person at a table of any game: the view of the seat in words, and a button for everything that may be done.
"use strict";
import { afterwards } from "./afterwards.js";
import { about as readAbout, find, make } from "./dom.js";
import { Company } from "./company.js";
import { Notice } from "./notice.js";
import { Waiting } from "./waiting.js";
import { Wire } from "./wire.js";

const about = readAbout();
const key = location.hash.slice(1);
const waiting = new Waiting(about.names.filter((_, seat) => seat !== about.seat));
const notice = new Notice();
const say = (text) => { find("status").textContent = text; };
let shown = null; // { game, turn } of the view on show

const wire = new Wire(key, ["text", "legal"], {
  line: say,
  welcome: (message) => { if (message.progress.over === message.progress.total) finish(null); },
  turns: (message) => {
    const last = message.game.length - 1;
    show(message.game[last], message.turn[last], message.text[last], message.mine[last] ? legalOf(message, last) : []);
  },
  over: (message) => {
    if (message.how[0] === "void") return say("A partner failed; the same deal is begun again.");
    finish(message.score?.[0] ?? null);
  },
  company: (message) => { company.hear(message); waiting.assembled(company.complete); },
  preparing: (message) => waiting.preparing(message),
  superseded: () => waiting.end(),
  stuck: () => waiting.end(),
  closing: () => say("The server restarts; your game goes on in a moment."),
  error: (message) => { waiting.end(); say(message.message); },
});

const company = new Company(about, key, wire);

// The numbers of the actions that row `row` of a message allows: packed bits, a row of whole bytes per game.
function legalOf(message, row) {
  const bytes = Uint8Array.from(atob(message.legal), (letter) => letter.charCodeAt(0));
  const width = bytes.length / message.game.length;
  return about.actions.map((_, action) => action)
    .filter((action) => bytes[row * width + (action >> 3)] & (128 >> (action & 7)));
}

function show(game, turn, text, legal) {
  remember(game, turn, text);
  find("seen").hidden = false;
  find("view").textContent = text;
  find("moves").replaceChildren(...legal.map((action) =>
    make("button", { type: "button", "data-action": action, onclick: () => send(game, turn, action) }, about.actions[action])));
  say(legal.length ? `Turn ${turn + 1}: your move.` : `Turn ${turn + 1}: the others are to move.`);
  notice.turn(legal.length > 0);
  if (legal.length) waiting.end();
  else waiting.begin();
}

// The view that was on show goes into the list of earlier ones.
function remember(game, turn, text) {
  if (shown && shown.game === game && shown.turn < turn) {
    find("before").hidden = false;
    find("history").append(make("li", {}, `Turn ${shown.turn + 1}`, make("pre", {}, shown.text)));
  }
  if (shown && shown.game !== game) find("history").replaceChildren();
  shown = { game, turn, text };
  waiting.met = turn > 0;
}

function send(game, turn, action) {
  if (!wire.act(game, turn, action)) return say("Not connected; try again in a moment.");
  find("moves").replaceChildren();
  say("…");
  waiting.begin();
}

function finish(score) {
  waiting.end();
  wire.close();
  notice.turn(false);
  find("moves").replaceChildren();
  const text = score === null ? "The game is over. " : `The game is over. Final score: ${score}. `;
  find("status").replaceChildren(text, ...afterwards(about, "See the game again"));
}

if (key) waiting.begin(0);
else say("This address lacks the key to the seat; lay a new table at /play.");
