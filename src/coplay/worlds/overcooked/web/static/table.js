// A person in a kitchen: keys and buttons are steps; with a pace, time goes on by itself.
"use strict";
import { afterwards } from "../afterwards.js";
import { about as readAbout, find, make } from "../dom.js";
import { drawKitchen, openKitchen } from "./kitchen.js";
import { Waiting } from "../waiting.js";
import { Wire } from "../wire.js";

const STAY = 4;
const KEYS = { ArrowUp: 0, ArrowDown: 1, ArrowRight: 2, ArrowLeft: 3, w: 0, s: 1, d: 2, a: 3, " ": 5, e: 5, ".": STAY };
const about = readAbout();
const key = location.hash.slice(1);
let parts = null; // the pictures of this kitchen
let now = null; // { game, turn, view } that waits for our step
let pressed = null; // the key that comes next: the last one pressed counts
let clock = null;
const waiting = new Waiting(about.names.filter((_, seat) => seat !== about.seat));
const say = (text) => { find("status").textContent = text; };

const wire = new Wire(key, ["view"], {
  line: say,
  welcome: (message) => { if (message.progress.over === message.progress.total) finish(null); },
  turns: (message) => {
    const last = message.game.length - 1;
    if (!message.mine[last] || !message.view[last]) return;
    waiting.end();
    waiting.met = message.view[last].time > 0;
    now = { game: message.game[last], turn: message.turn[last], view: message.view[last] };
    show();
    if (pressed !== null && !clock) step();
  },
  over: (message) => {
    if (message.how[0] === "void") return say("Your partner failed; the kitchen opens again.");
    finish(message.score?.[0] ?? null);
  },
  preparing: (message) => waiting.preparing(message),
  superseded: () => waiting.end(),
  stuck: () => waiting.end(),
  closing: () => say("The server restarts; the kitchen goes on in a moment."),
  error: (message) => { waiting.end(); say(message.message); },
});

function show() {
  if (!parts || !now) return;
  find("controls").hidden = false;
  drawKitchen(parts, about, now.view);
  say(`Step ${now.view.time} of ${about.horizon}. Score ${now.view.score}. You are cook ${about.seat}.`);
}

// Sends what was pressed, or, when time goes on by itself, a pause.
function step() {
  if (!now) return;
  const action = pressed ?? STAY;
  if (!wire.act(now.game, now.turn, action)) return;
  pressed = null;
  now = null;
  waiting.begin();
}

function press(action) {
  pressed = action;
  if (!clock) step();
}

function setPace(perSecond) {
  clearInterval(clock);
  clock = perSecond ? setInterval(step, 1000 / perSecond) : null;
}

function finish(score) {
  setPace(0);
  waiting.end();
  wire.close();
  find("controls").hidden = true;
  const text = score === null ? "The kitchen is closed. " : `The kitchen is closed. Final score: ${score}. `;
  find("status").replaceChildren(text,
    ...afterwards(about, "Watch the game again", "cook again", "/play?game=overcooked"));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action === undefined) return;
  event.preventDefault(); // arrows and space would scroll the page
  if (!event.repeat || clock) press(action);
});
find("pad").addEventListener("pointerdown", (event) => {
  const action = event.target.dataset.action;
  if (action !== undefined) press(Number(action));
});
find("pace").addEventListener("change", (event) => { setPace(Number(event.target.value)); event.target.blur(); });
openKitchen(about).then((found) => { parts = found; show(); }, () => say("The kitchen could not be drawn; load the page again."));
if (key) waiting.begin(0);
else say("This address lacks the key to the seat; open a new kitchen at /play.");
