// A person at a Hanabi table: choose, confirm, send; look back; notes; what if.
"use strict";
import { afterwards } from "../afterwards.js";
import { about as readAbout, find, make } from "../dom.js";
import { bareTable } from "./bare.js";
import { drawBoard, drawHands, drawHistory } from "./draw.js";
import { discard, hint, hintWords, letterOf, play, touched } from "./moves.js";
import { Notes } from "./notes.js";
import { WhatIf } from "./whatif.js";
import { Company } from "../company.js";
import { Notice } from "../notice.js";
import { Waiting } from "../waiting.js";
import { Wire } from "../wire.js";

const about = readAbout();
const key = location.hash.slice(1);
const notes = new Notes(about.attempt);
const waiting = new Waiting(about.names.filter((_, seat) => seat !== about.seat && !about.watch));
const notice = new Notice();
let turns = []; // every view we had, by turn
let game = 0; // the table's number on the wire; another one if a game had to be begun again
let at = null; // the turn that is looked back at; null: now
let choice = null;
let imagined = null; // moves that are only tried out
let ready = false; // the table is open at the other end of the wire: before that a move would be refused
let sent = null; // the turn whose move is under way
let over = null;

const latest = () => turns[turns.length - 1];
const myTurn = () => turns.length > 0 && !about.watch && !latest().done && latest().to_move === 0 && ready && sent !== latest().turn
  && at === null;
const say = (text) => { find("status").textContent = text; };
const nameOf = (position) => about.names[(about.seat + position) % about.players];

function refuse(text) { waiting.end(); say(text); }

// The views since the last one we have. One after the other, so that no answer overtakes another.
let loading = Promise.resolve();
function load() {
  loading = loading.then(async () => {
    const first = over === null ? turns.length : 0; // when it is over, our own cards are shown, too
    const answer = await fetch(`/play/${about.attempt}/turns?first=${first}`,
      { headers: { Authorization: `Bearer ${key}` } });
    const found = await answer.json();
    if (!answer.ok) return refuse(found.message);
    if (found.table !== game) { game = found.table; turns = []; sent = null; load(); return; }
    turns = [...turns.slice(0, first), ...found.turns];
    draw();
  }).catch(() => {
    say("The server did not answer; trying again …");
    setTimeout(load, 2000);
  });
  return loading;
}

const wire = new Wire(key, [], {
  line: say,
  welcome: load,
  lost: () => { ready = false; sent = null; draw(); },
  turns: (message) => {
    ready = true;
    if (message.game[0] !== game) { game = message.game[0]; turns = []; sent = null; }
    load();
  },
  over: (message) => {
    if (message.how[0] === "void") return say("A partner failed; the same deal is begun again.");
    over = message;
    wire.close();
    notice.tell("end", "The game is over.");
    load();
  },
  company: (message) => { company.hear(message); waiting.assembled(company.complete); draw(); },
  preparing: (message) => waiting.preparing(message),
  superseded: () => waiting.end(),
  stuck: () => waiting.end(),
  closing: () => say("The server restarts; your game goes on in a moment."),
  error: (message) => { sent = null; refuse(message.message); load(); },
});

const company = new Company(about, key, wire);

function draw() {
  const dealt = turns.length > 0;
  if (imagined) return drawImagined();
  const view = dealt ? turns[at ?? turns.length - 1] : bareTable(about);
  const cards = dealt ? Notes.cards(turns.slice(0, view.turn + 1)) : [];
  find("felt").hidden = false;
  find("felt").classList.toggle("looking-back", at !== null);
  find("felt").classList.remove("imagining");
  find("now").hidden = at === null;
  find("whatif").hidden = !dealt;
  const focused = document.activeElement?.dataset ?? {};
  drawHands(about, view, choice, myTurn() ? { own, card, hint: pickHint } : null, notes, cards);
  focusAgain(focused);
  drawBoard(about, view);
  drawHistory(turns, at, lookBack);
  drawChoice(view);
  if (at !== null) say(`Looking back at turn ${at}: ${view.told || "the deal"}`);
  else if (view.done) finish(view);
  else if (dealt && !ready) say(`${view.told} The table opens in a moment.`);
  else if (!dealt && about.together && !company.complete) say("The cards are dealt when everybody sits.");
  else say(`${view.told} ${dealt && sent === view.turn ? "…" : view.now}`);
  notice.turn(myTurn());
  waiting.met = turns.some((turn) => turn.last !== null && turn.last.actor !== 0);
  if (myTurn() || at !== null || view.done) waiting.end();
  else waiting.begin(dealt ? 1500 : 0);
}

// The hands are drawn anew; whoever goes through them with the keyboard stays where they were.
function focusAgain({ hint: chip, position, slot }) {
  if (chip) document.querySelector(`[data-hint="${chip}"]`)?.focus();
  else if (slot) document.querySelector(`[data-position="${position}"][data-slot="${slot}"]`)?.focus();
}

function finish(view) {
  find("status").replaceChildren(`${view.now} `, ...afterwards(about, "Watch the game again"));
}

function send(action) {
  const view = latest();
  if (!myTurn() || !view.legal.includes(action)) return;
  if (!wire.act(game, view.turn, action)) return say("Not connected; try again in a moment.");
  sent = view.turn;
  choice = null;
  draw();
}

// What was chosen, in words, with the buttons that make it a move.
function drawChoice(view) {
  const bar = find("choice");
  const button = (text, action, primary = true) => make("button", {
    type: "button", class: primary ? "" : "plain", disabled: !view.legal.includes(action), onclick: () => send(action),
  }, text);
  const cancel = () => make("button", { type: "button", class: "plain", "aria-label": "take back", onclick: clear }, "✕");
  bar.classList.toggle("empty", !choice || !myTurn());
  if (!choice || !myTurn()) return bar.replaceChildren();
  if (choice.kind === "own") {
    const slot = choice.slot;
    bar.replaceChildren(make("span", {}, `Your card ${slot + 1}:`), button("Play", play(about, slot)),
      button("Discard", discard(about, slot)),
      make("button", { type: "button", class: "plain", onclick: writeNote }, "Note"), cancel());
    if (!view.legal.includes(discard(about, slot))) bar.append(make("small", {}, "All hint tokens are there: no discard."));
  } else if (choice.kind === "hint") {
    const { position, what, value } = choice;
    const count = touched(about, view.hands[position], what, value).length;
    bar.replaceChildren(
      make("span", {}, `Hint ${nameOf(position)}: ${hintWords(about, what, value)}, touching ${count} ${count === 1 ? "card" : "cards"}`),
      button("Give hint", hint(about, position, what, value)), cancel());
  } else if (choice.kind === "card") {
    const { position, slot } = choice;
    const face = view.hands[position][slot].face;
    const [color, rank] = [Math.floor(face / about.ranks), face % about.ranks];
    const count = (what, value) => touched(about, view.hands[position], what, value).length;
    bar.replaceChildren(make("span", {}, `Hint ${nameOf(position)}:`),
      ...colorsTouching(color).map((value) =>
        button(`${hintWords(about, "color", value)} (${count("color", value)})`, hint(about, position, "color", value))),
      button(`rank ${rank + 1} (${count("rank", rank)})`, hint(about, position, "rank", rank)), cancel());
    if (view.info === 0) bar.append(make("small", {}, "No hint token is left: play or discard."));
  } else {
    bar.replaceChildren(make("span", {}, `Hint ${nameOf(choice.position)}: a colour's letter or a number`), cancel());
  }
}

// The colours that a hint about such a card may name.
function colorsTouching(color) {
  return about.suits[color].rainbow ? [...Array(about.hint_colors).keys()] : [color];
}

// The table as it would be. Cards of whoever is to move are played or discarded, those of the others hinted.
function drawImagined() {
  const { view } = imagined;
  find("felt").classList.add("imagining");
  find("now").hidden = false;
  find("whatif").hidden = true;
  const click = (position, slot) => choose({ kind: "imagine", position, slot });
  drawHands(about, view, choice, { own: (slot) => click(0, slot), card: click }, notes, []);
  drawBoard(about, view);
  say(`What if: ${view.told || "nothing has been tried yet"}. To move: ${nameOf(view.to_move)}.`);
  notice.turn(turns.length > 0 && !about.watch && !latest().done && latest().to_move === 0);
  waiting.end();
  drawImaginedChoice(view);
}

function drawImaginedChoice(view) {
  const bar = find("choice");
  bar.classList.remove("empty");
  const button = (text, act, looks = "") => make("button", { type: "button", class: looks, onclick: () => { act(); clear(); } }, text);
  const undo = [button("Undo", () => imagined.undo(), "plain"), button("Back to the game", () => { imagined = null; }, "plain")];
  if (choice?.kind !== "imagine") return bar.replaceChildren(make("span", {}, "Click a card to try a move."), ...undo);
  const { position, slot } = choice;
  const faceWords = (face) => `${letterOf(about, Math.floor(face / about.ranks))}${face % about.ranks + 1}`;
  const faces = imagined.faces(position, slot);
  if (position === view.to_move) {
    const as = choice.face ?? (faces.length === 1 ? faces[0] : null);
    if (as === null) {
      return bar.replaceChildren(make("span", {}, "If it is"),
        ...faces.map((face) => make("button", { type: "button", class: "plain", onclick: () => choose({ ...choice, face }) }, faceWords(face))), ...undo);
    }
    return bar.replaceChildren(make("span", {}, `${nameOf(position)}, ${faceWords(as)}:`), button("Play", () => imagined.useCard(slot, as, true)),
      button("Discard", () => imagined.useCard(slot, as, false)), ...undo);
  }
  const colors = [...new Set(faces.flatMap((face) => colorsTouching(Math.floor(face / about.ranks))))];
  const ranks = [...new Set(faces.map((face) => face % about.ranks))];
  bar.replaceChildren(make("span", {}, `Hint ${nameOf(position)}:`),
    ...colors.filter((color) => color < about.hint_colors).map((color) => button(hintWords(about, "color", color), () => imagined.giveHint(position, slot, "color", color))),
    ...ranks.map((rank) => button(`rank ${rank + 1}`, () => imagined.giveHint(position, slot, "rank", rank))), ...undo);
}

function choose(next) { choice = next; draw(); }
function clear() { choose(null); }
function own(slot) { choose({ kind: "own", slot }); }
function card(position, slot) { choose({ kind: "card", position, slot }); }
function pickHint(position, what, value) { choose({ kind: "hint", position, what, value }); }
function lookBack(turn) { imagined = null; at = turn === latest().turn ? null : turn; choice = null; draw(); }

function writeNote() {
  const number = Notes.cards(turns)[choice.slot];
  const text = make("input", { maxlength: 200, value: notes.of(number), "aria-label": `note on your card ${choice.slot + 1}` });
  const keep = (event) => { event.preventDefault(); notes.write(number, text.value); clear(); };
  find("choice").replaceChildren(make("form", { onsubmit: keep }, text, make("button", {}, "Keep")));
  text.focus();
}

// Keys: digits are own cards, or ranks once somebody to hint is chosen.
function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "INPUT" || !turns.length) return;
  const now = at ?? latest().turn;
  if (event.key === "ArrowLeft" && now > 0) lookBack(now - 1);
  else if (event.key === "ArrowRight" && at !== null) lookBack(now + 1);
  else if (event.key === "Escape") { at = null; imagined = null; clear(); } else if (imagined || !myTurn()) return;
  else pressInTurn(event);
}

function pressInTurn(event) {
  const number = "12345".indexOf(event.key);
  const color = about.suits.findIndex((_, value) => letterOf(about, value).toLowerCase() === event.key);
  const target = choice?.position ?? (about.players === 2 ? 1 : null);
  if (event.key === "p" && choice?.kind === "own") send(play(about, choice.slot)); // purple has that letter, too
  else if (event.key === "h") choose({ kind: "target", position: ((choice?.position ?? 0) % (about.players - 1)) + 1 });
  else if (color >= 0 && color < about.hint_colors && target) pickHint(target, "color", color);
  else if (number >= 0 && choice?.position) { if (number < about.ranks) pickHint(choice.position, "rank", number); }
  else if (number >= 0 && latest().hands[0][number]) own(number);
  else if (event.key === "d" && choice?.kind === "own") send(discard(about, choice.slot));
  else if (event.key === "n" && choice?.kind === "own") { event.preventDefault(); writeNote(); }
  else if (event.key === "Enter" && choice?.kind === "hint") {
    const { position, what, value } = choice;
    const here = event.target.tagName !== "BUTTON" || event.target.dataset.hint === `${position} ${what} ${value}`;
    if (!here) return; // another button is meant
    event.preventDefault();
    send(hint(about, position, what, value));
  }
}

document.addEventListener("keydown", press);
find("now").addEventListener("click", () => { at = imagined = null; clear(); });
find("whatif").addEventListener("click", () => { imagined = new WhatIf(about, turns[at ?? turns.length - 1]); clear(); });
if (matchMedia("(max-width: 860px)").matches) find("discarded").open = false; // room for the hands
find("felt").classList.toggle("many", about.players > 3); // so many hands are drawn smaller, two in a row
if (key) draw();
else say("This address lacks the key to the seat; lay a new table at /play.");
