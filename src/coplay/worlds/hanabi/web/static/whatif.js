// What if: moves tried out on a copy of a view. Nothing of it is sent, and nothing hidden is known to it: of a card that
// one cannot see one says what it would be, and what is drawn is unknown.
"use strict";
import { colorName } from "./moves.js";

const all = (count) => [...Array(count).keys()];

export class WhatIf {
  constructor(about, view) {
    this.about = about;
    this.views = [{ ...view, legal: [], last: null, told: "" }];
  }

  get view() { return this.views[this.views.length - 1]; }

  undo() { if (this.views.length > 1) this.views.pop(); }

  // The faces that the marks of a card leave open, or its own.
  faces(position, slot) {
    const card = this.view.hands[position][slot];
    if (card.face !== null) return [card.face];
    return card.colors.flatMap((color) => card.ranks.map((rank) => color * this.about.ranks + rank));
  }

  // Whoever is to move plays or discards the card in a slot, which is `face`.
  useCard(slot, face, play) {
    const { about, view } = this;
    const [color, rank] = [Math.floor(face / about.ranks), face % about.ranks];
    const next = this.copy();
    const fits = play && next.stacks[color] === rank;
    if (fits) next.stacks[color] += 1;
    else next.discards[color][rank] += 1;
    if (play && !fits) next.lives -= 1;
    if (!play || (fits && rank === about.ranks - 1)) next.info = Math.min(next.info + 1, about.info_tokens);
    next.score = next.lives ? next.stacks.reduce((sum, height) => sum + height, 0) : 0;
    const hand = next.hands[view.to_move];
    hand.splice(slot, 1);
    hand.push(next.deck ? { face: null, colors: all(about.colors), ranks: all(about.ranks), color_told: false, rank_told: false } : null);
    next.deck = Math.max(next.deck - 1, 0);
    const end = play ? (fits ? " and it scores" : " and a life is lost") : "";
    this.push(next, `${this.does(play ? "play" : "discard")} ${colorName(about, color)} ${rank + 1}${end}`);
  }

  // Whoever is to move hints: it names the cards of a hand that one sees, or the one card that was clicked.
  giveHint(target, clicked, kind, value) {
    const { about } = this;
    const next = this.copy();
    const fits = (face) => {
      const color = Math.floor(face / about.ranks);
      return kind === "color" ? color === value || about.suits[color].rainbow : face % about.ranks === value;
    };
    const named = (color) => color === value || about.suits[color].rainbow;
    next.hands[target] = next.hands[target].map((card, slot) => {
      if (!card) return card;
      const touched = card.face === null ? slot === clicked : fits(card.face);
      if (kind === "color") {
        const colors = card.colors.filter((color) => named(color) === touched);
        return { ...card, colors: colors.length ? colors : card.colors, color_told: card.color_told || touched };
      }
      const ranks = card.ranks.filter((rank) => (rank === value) === touched);
      return { ...card, ranks: ranks.length ? ranks : card.ranks, rank_told: card.rank_told || touched };
    });
    next.info = Math.max(next.info - 1, 0);
    this.push(next, `${this.does("hint")} ${this.name(target)} ${kind === "color" ? colorName(about, value) : `rank ${value + 1}`}`);
  }

  copy() {
    const { view } = this;
    return { ...view, hands: view.hands.map((hand) => [...hand]), stacks: [...view.stacks], discards: view.discards.map((row) => [...row]) };
  }

  push(next, told) {
    this.views.push({ ...next, told, to_move: (next.to_move + 1) % this.about.players });
  }

  does(verb) {
    const who = this.name(this.view.to_move);
    return who === "you" ? `you ${verb}` : `${who} ${verb}s`;
  }

  name(position) { return this.about.names[(this.about.seat + position) % this.about.players]; }
}
