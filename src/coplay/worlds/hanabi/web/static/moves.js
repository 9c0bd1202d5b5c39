// Moves of Hanabi as numbers: the order of the engine's actions, and what a hint would touch.
"use strict";

export const LETTERS = "RYGWB";
export const COLORS = ["red", "yellow", "green", "white", "blue"];

export const discard = (about, slot) => slot;
export const play = (about, slot) => about.hand_size + slot;

// A hint to the player `position` places after us: a colour or a rank, from 0.
export function hint(about, position, kind, value) {
  const base = 2 * about.hand_size;
  if (kind === "color") return base + (position - 1) * about.colors + value;
  return base + (about.players - 1) * about.colors + (position - 1) * about.ranks + value;
}

// The slots of a hand that a hint names.
export function touched(about, hand, kind, value) {
  const part = (face) => (kind === "color" ? Math.floor(face / about.ranks) : face % about.ranks);
  return hand.flatMap((card, slot) => (card && card.face !== null && part(card.face) === value ? [slot] : []));
}

export const hintWords = (kind, value) => (kind === "color" ? COLORS[value] : `rank ${value + 1}`);
