// Moves of Hanabi as numbers: the order of the engine's actions, and what a hint would touch.
"use strict";

// The class of a colour's look, and of its frame.
export const look = (about, color) => `c${about.suits[color].letter}`;
export const frame = (about, color) => `b${about.suits[color].letter}`;
export const letterOf = (about, color) => about.suits[color].letter;
export const colorName = (about, color) => about.suits[color].name;

export const discard = (about, slot) => slot;
export const play = (about, slot) => about.hand_size + slot;

// A hint to the player `position` places after us: a colour or a rank, from 0.
export function hint(about, position, kind, value) {
  const base = 2 * about.hand_size;
  if (kind === "color") return base + (position - 1) * about.hint_colors + value;
  return base + (about.players - 1) * about.hint_colors + (position - 1) * about.ranks + value;
}

// The slots of a hand that a hint names.
export function touched(about, hand, kind, value) {
  const matches = (face) => {
    const color = Math.floor(face / about.ranks);
    return kind === "color" ? color === value || about.suits[color].rainbow : face % about.ranks === value;
  };
  return hand.flatMap((card, slot) => (card && card.face !== null && matches(card.face) ? [slot] : []));
}

export const hintWords = (about, kind, value) => (kind === "color" ? colorName(about, value) : `rank ${value + 1}`);
