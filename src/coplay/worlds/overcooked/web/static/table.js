// A person in a kitchen: keys, buttons and swipes are steps; with a pace, time goes on by itself. Where several people
// cook at a pace, the server keeps it, and is told what was pressed; else the page does.
"use strict";
import { afterwards } from "../afterwards.js";
import { about as readAbout, find, make } from "../dom.js";
import { drawKitchen, openKitchen } from "./kitchen.js";
import { Company } from "../company.js";
import { Notice } from "../notice.js";
import { Waiting } from "../waiting.js";
import { Wire } from "../wire.js";

const [STAY, USE] = [4, 5];
const SWIPE = 24; // pixels; less is a tap
const KEYS = { ArrowUp: 0, ArrowDown: 1, ArrowRight: 2, ArrowLeft: 3, w: 0, s: 1, d: 2, a: 3, " ": 5, e: 5, ".": STAY };
const about = readAbout();
const key = location.hash.slice(1);
let parts = null; // the pictures of this kitchen
let now = null; // { game, turn, view } that waits for our step
let pressed = null; // the key that comes next: the last one pressed counts
let held = null; // the key that is held down
let clock = null;
const served = about.together !== null && about.together.pace > 0;
const waiting = new Waiting(about.names.filter((_, seat) => seat !== about.seat && !about.watch));
const notice = new Notice();
const say = (text) => { find("status").textContent = text; };

const wire = new Wire(key, ["view"], {
  line: say,
  welcome: (message) => { if (message.progress.over === message.progress.total) finish(null); },
  turns: (message) => {
    const last = message.game.length - 1;
    if (!(message.mine[last] || about.watch) || !message.view[last]) return;
    waiting.end();
    waiting.met = message.view[last].time > 0;
    if (now === null && !waiting.met) notice.tell("begin", "The kitchen opens.");
    now = { game: message.game[last], turn: message.turn[last], view: message.view[last] };
    show();
    if (served && held !== null) wire.press(held);
    if (pressed !== null && !clock && !served) step();
  },
  over: (message) => {
    if (message.how[0] === "void") return say("Your partner failed; the kitchen opens again.");
    notice.tell("end", "The kitchen is closed.");
    finish(message.score?.[0] ?? null);
  },
  company: (message) => { company.hear(message); waiting.assembled(company.complete); },
  preparing: (message) => waiting.preparing(message),
  superseded: () => waiting.end(),
  stuck: () => waiting.end(),
  closing: () => say("The server restarts; the kitchen goes on in a moment."),
  error: (message) => { waiting.end(); say(message.message); },
});

const company = new Company(about, key, wire);

function show() {
  if (!parts || !now) return;
  find("controls").hidden = about.watch;
  drawKitchen(parts, about, now.view);
  const who = about.watch ? "You are watching." : `You are cook ${about.seat}.`;
  say(`Step ${now.view.time} of ${about.horizon}. Score ${now.view.score}. ${who}`);
}

// Sends what was pressed, or, when time goes on by itself, a pause.
function step() {
  if (!now || about.watch) return;
  const action = pressed ?? STAY;
  if (!wire.act(now.game, now.turn, action)) return;
  pressed = null;
  now = null;
  waiting.begin();
}

function press(action) {
  if (served) return void wire.press(action);
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
  if (!event.repeat) held = action;
  if (!event.repeat || clock) press(action);
});
find("pad").addEventListener("pointerdown", (event) => {
  const action = event.target.dataset.action;
  if (action === undefined) return;
  held = Number(action);
  press(held);
});
for (const kind of ["keyup", "pointerup", "pointercancel"]) document.addEventListener(kind, () => { held = null; });

// On the picture a swipe is a step that way, and a tap uses what one faces.
let from = null;
find("kitchen").addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; });
find("kitchen").addEventListener("pointerup", (event) => {
  if (from === null || find("controls").hidden) return;
  const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
  from = null;
  if (Math.hypot(x, y) < SWIPE) press(USE);
  else if (Math.abs(x) > Math.abs(y)) press(x > 0 ? 2 : 3);
  else press(y > 0 ? 1 : 0);
});
find("pace").addEventListener("change", (event) => { setPace(Number(event.target.value)); event.target.blur(); });
openKitchen(about).then((found) => { parts = found; show(); }, () => say("The kitchen could not be drawn; load the page again."));
find("pace").closest("label").hidden = about.together !== null;
if (key) waiting.begin(0);
else say("This address lacks the key to the seat; open a new kitchen at /play.");
