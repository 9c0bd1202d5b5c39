// A Hanabi table as elements. Everything comes from one view; what can be clicked calls back.
"use strict";
import { find, make } from "../dom.js";
import { frame, hint, letterOf, look, colorName, touched } from "./moves.js";

const SLOTS = (about) => [...Array(about.hand_size).keys()];

// Two rows under a card: what its owner may take it for after the hints; on a plate what a hint named.
function marks(about, card) {
  const row = (count, possible, told, sign, kind) =>
    make("div", { class: "marks" }, ...[...Array(count).keys()].map((value) =>
      possible.includes(value)
        ? make("span", { class: `mark ${kind(value)}${told ? " told" : ""}` }, sign(value))
        : make("span", { class: "mark out" }, "·")));
  return make("div", { class: "knowledge", "aria-hidden": "true" },
    row(about.colors, card.colors, card.color_told, (value) => letterOf(about, value), (value) => look(about, value)),
    row(about.ranks, card.ranks, card.rank_told, (value) => value + 1, () => "rank"));
}

function known(about, card) {
  const color = card.colors.length === 1 && about.colors > 1 ? card.colors[0] : null;
  const rank = card.ranks.length === 1 ? card.ranks[0] : null;
  return { color, rank };
}

function cardWords(about, card) {
  if (card.face !== null) return `${colorName(about, Math.floor(card.face / about.ranks))} ${card.face % about.ranks + 1}`;
  const { color, rank } = known(about, card);
  return `${color === null ? "unknown colour" : colorName(about, color)}, ${rank === null ? "unknown rank" : rank + 1}`;
}

export function cardFace(about, face, more = "") {
  const color = Math.floor(face / about.ranks);
  return make("div", { class: `card ${look(about, color)} ${more}` },
    make("span", { class: "letter" }, letterOf(about, color)), make("span", { class: "rank" }, face % about.ranks + 1));
}

function oneCard(about, view, position, slot, chosen, click, note) {
  const card = view.hands[position][slot];
  if (!card) return make("div", { class: "place" }, make("div", { class: "card empty" }));
  const { color, rank } = known(about, card);
  const shown = card.face === null ? color : Math.floor(card.face / about.ranks);
  const number = card.face === null ? rank : card.face % about.ranks;
  const told = view.last?.target === position && view.last.touched.includes(slot);
  const looks = ["card", shown === null ? "back" : look(about, shown), card.face === null ? "hidden-card" : "",
    told ? "told-now" : "", chosen ? "chosen" : ""];
  const whose = position === 0 && !about.watch ? "your card" : "card";
  const face = make("button", {
    class: looks.join(" "), type: "button", onclick: click, disabled: click === null,
    "aria-pressed": String(chosen), "aria-label": `${whose} ${slot + 1}: ${cardWords(about, card)}`,
    "data-position": position, "data-slot": slot,
  }, make("span", { class: "letter" }, shown === null ? "" : letterOf(about, shown)),
  make("span", { class: "rank" }, number === null ? "?" : number + 1));
  return make("div", { class: "place" }, face, marks(about, card), note ? make("div", { class: "note" }, note) : null);
}

// Buttons for every hint to one partner.
function hints(about, view, position, pick) {
  const button = (kind, value, sign, looks) => {
    const allowed = view.legal.includes(hint(about, position, kind, value));
    return make("button", {
      type: "button", class: `chip ${looks}`, disabled: !allowed, onclick: () => pick(kind, value),
      "aria-label": `hint ${kind === "color" ? colorName(about, value) : value + 1}`, "data-hint": `${position} ${kind} ${value}`,
    }, sign);
  };
  return make("div", { class: "chips" },
    ...[...Array(about.hint_colors).keys()].map((value) => button("color", value, letterOf(about, value), look(about, value))),
    ...[...Array(about.ranks).keys()].map((value) => button("rank", value, value + 1, "number")));
}

function isChosen(about, view, choice, position, slot) {
  if (!choice) return false;
  if (choice.kind === "card") return choice.position === position && choice.slot === slot;
  if (choice.kind === "hint" && choice.position === position) {
    return touched(about, view.hands[position], choice.what, choice.value).includes(slot);
  }
  if (choice.kind === "imagine") return choice.position === position && choice.slot === slot;
  return choice.kind === "own" && position === 0 && choice.slot === slot;
}

// All hands, partners first in order of play; `act` is null where nothing can be chosen.
export function drawHands(about, view, choice, act, notes, cards) {
  const order = [...Array(about.players).keys()].slice(1).concat(0);
  find("hands").replaceChildren(...order.map((position) => {
    const name = about.names[(about.seat + position) % about.players];
    const onTurn = view.to_move === position && !view.done;
    const target = choice?.kind === "target" && choice.position === position;
    const click = (slot) => {
      if (!act) return null;
      return position === 0 ? () => act.own(slot) : () => act.card(position, slot);
    };
    const places = SLOTS(about).map((slot) => oneCard(about, view, position, slot,
      isChosen(about, view, choice, position, slot), click(slot), position === 0 ? notes.of(cards[slot]) : ""));
    const head = make("div", { class: "head" }, make("b", {}, `${onTurn ? "▶ " : ""}${name}`),
      position && act?.hint ? hints(about, view, position, (what, value) => act.hint(position, what, value)) : null);
    return make("div", { class: `hand${position ? "" : " own"}${onTurn ? " on-turn" : ""}${target ? " target" : ""}` },
      head, make("div", { class: "cards" }, ...places));
  }));
}

export function drawBoard(about, view) {
  find("score").textContent = `${view.score} / ${about.colors * about.ranks}`;
  find("stacks").replaceChildren(...view.stacks.map((height, color) => height
    ? cardFace(about, color * about.ranks + height - 1, "small")
    : make("div", { class: `card small bare ${frame(about, color)}` }, make("span", { class: "rank" }, letterOf(about, color)))));
  find("special").textContent = about.special;
  const counts = [["hints", `${view.info} of ${about.info_tokens}`], ["lives", `${view.lives} of ${about.life_tokens}`],
    ["deck", view.turns_left === null ? view.deck : `empty, ${view.turns_left} moves left`]];
  find("counts").replaceChildren(...counts.flatMap(([name, value]) => [
    make("dt", {}, name),
    make("dd", { class: name === "lives" && view.lives <= 1 ? "bad" : "", "data-count": name }, value)]));
  find("discards").replaceChildren(...view.discards.map((row, color) => make("div", { class: "pile" },
    ...row.flatMap((copies, rank) => copies
      ? [make("span", { class: `mini ${look(about, color)}${copies === about.copies[color][rank] ? " gone" : ""}`,
        title: `${copies} of ${about.copies[color][rank]} copies` }, `${letterOf(about, color)}${rank + 1}${copies > 1 ? `×${copies}` : ""}`)]
      : []))));
}

// Newest first, so that a phone shows it without scrolling.
export function drawHistory(turns, at, goTo) {
  find("history").replaceChildren(...turns.slice(1).reverse().map((turn) => make("li", { value: turn.turn },
    make("button", { type: "button", class: turn.turn === at ? "line here" : "line", onclick: () => goTo(turn.turn) },
      turn.told))));
}
