// A person on the pitch: keys and buttons are actions; with a pace, time goes on by itself. Where several people play at
// a pace, the server keeps it, and is told with every view what we do next; else the page does.
"use strict";
import { afterwards } from "../afterwards.js";
import { about as readAbout, find, make } from "../dom.js";
import { Pitch } from "./pitch.js";
import { Company } from "../company.js";
import { Notice } from "../notice.js";
import { Waiting } from "../waiting.js";
import { Wire } from "../wire.js";

// Ways to run, in eighths of a turn from forward on.
const RUNS = {
  ArrowRight: 0, ArrowDown: 2, ArrowLeft: 4, ArrowUp: 6, d: 0, c: 1, s: 2, z: 3, y: 3, a: 4, q: 5, w: 6, e: 7,
};
const DEEDS = ["p", "k", "g", "t", "."];
const AT_ONCE = 4; // steps that a key plays where the match waits for keys
const GLIDE = 70; // milliseconds of a step that nobody paces
const about = readAbout();
const { stay, run, pass, shoot, tackle } = about.actions;
const key = location.hash.slice(1);
let pitch = null;
let now = null; // { game, turn, view } that waits for our step
let pressed = null; // the key that comes next: the last one pressed counts
let runs = stay; // what goes on until another key
let left = 0; // steps that the last key still plays
let clock = null;
const served = about.together !== null && about.together.pace > 0;
let pace = served ? about.together.pace : 0;
const waiting = new Waiting(about.names.filter((_, seat) => seat !== about.seat && !about.watch));
const notice = new Notice();
const say = (text) => { find("status").textContent = text; };

const wire = new Wire(key, ["view"], {
  line: say,
  welcome: (message) => { if (message.progress.over === message.progress.total) finish(); },
  turns: (message) => {
    const last = message.game.length - 1;
    if (!(message.mine[last] || about.watch) || !message.view[last]) return;
    waiting.end();
    waiting.met = message.view[last].time > 0;
    now = { game: message.game[last], turn: message.turn[last], view: message.view[last] };
    show();
    if (!clock && (served || pressed !== null || left > 0 || now.view.time === 0)) step();
  },
  over: (message) => {
    if (message.how[0] === "void") return say("A partner failed; the match begins again.");
    notice.tell("end", "Full time.");
    finish();
  },
  company: (message) => { company.hear(message); waiting.assembled(company.complete); },
  preparing: (message) => waiting.preparing(message),
  superseded: () => waiting.end(),
  stuck: () => waiting.end(),
  closing: () => say("The server restarts; the match goes on in a moment."),
  error: (message) => { waiting.end(); say(message.message); },
});

const company = new Company(about, key, wire);

function show() {
  if (!pitch || !now) return;
  const { view } = now;
  find("controls").hidden = about.watch;
  pitch.show(view, pace ? 1000 / pace : GLIDE);
  const who = about.watch ? "You are watching" : `You are ${about.teams[about.seat % 2]} ${Math.floor(about.seat / 2) + 1}`;
  const has = about.watch ? "" : view.owner === 0 ? "; you have the ball" : view.stun > 0 ? "; you stumbled" : "";
  say(`Step ${Math.max(view.time - 1, 0)} of ${about.steps - 1}. ${view.goals[0]} : ${view.goals[1]} for you. ${who}${has}.`);
}

// The action of a key in this view.
function meant(name, view) {
  if (name in RUNS) return run + RUNS[name];
  if (name === "p") return pass + view.way[0];
  if (name === "k") return shoot + view.way[0];
  if (name === "g") return shoot + (Math.round(8 * Math.atan2(-view.y[0], about.goal - view.x[0]) / Math.PI) + 16) % 16;
  return name === "t" ? tackle : stay;
}

// Sends what was pressed, or what goes on. What cannot be done now is not done.
function step() {
  if (!now || about.watch) return;
  let action = runs;
  if (pressed !== null) {
    action = meant(pressed, now.view);
    left = AT_ONCE;
    if (pressed in RUNS || pressed === ".") runs = action;
  }
  if (now.view.time === 0 || !now.view.legal[action]) action = stay;
  if (served) { // the server takes what was sent last in a step; nothing has to be said for standing
    if (action !== stay || pressed !== null) wire.press(action, pressed !== null);
    pressed = null;
    return;
  }
  if (!wire.act(now.game, now.turn, action)) return;
  if (now.view.time > 0) pressed = null;
  left = Math.max(left - 1, 0);
  now = null;
  waiting.begin();
}

function press(name) {
  pressed = name;
  if (!clock) step();
}

function setPace(perSecond) {
  pace = perSecond;
  clearInterval(clock);
  clock = perSecond ? setInterval(step, 1000 / perSecond) : null;
}

function finish() {
  setPace(0);
  waiting.end();
  wire.close();
  find("controls").hidden = true;
  find("status").replaceChildren("Full time. ",
    ...afterwards(about, "Watch the match again", "play again", "/play?game=football"));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!(name in RUNS) && !DEEDS.includes(name)) return;
  event.preventDefault(); // arrows would scroll the page
  if (!event.repeat) press(name);
});
find("controls").addEventListener("pointerdown", (event) => {
  const name = event.target.dataset.key;
  if (name !== undefined) press(name);
});
find("pace").addEventListener("change", (event) => { setPace(Number(event.target.value)); event.target.blur(); });
Pitch.open(about).then((found) => { pitch = found; show(); }, () => say("The pitch could not be drawn; load the page again."));
find("pace").closest("label").hidden = about.together !== null;
if (key) waiting.begin(0);
else say("This address lacks the key to the seat; begin another match at /play.");
