// What is there before the first view: a bare table, and a line that says whom we wait for. Both go away by themselves.
"use strict";
import { find } from "./dom.js";

export class Waiting {
  // `names` are the partners'.
  constructor(names) {
    this.who = names.length === 1 ? `${names[0]} is` : "Your partners are";
    this.met = false; // have they moved before? Then they are only thinking
    this.timer = null;
  }

  // Somebody waits from now on; the line appears if it takes long.
  begin(long = 1500) {
    if (this.timer === null) this.timer = setTimeout(() => this.show(), long);
  }

  end() {
    clearTimeout(this.timer);
    this.timer = null;
    find("waiting").hidden = true;
  }

  show() {
    const ready = "getting ready. The first game of a kind can take a minute or two; it begins by itself, so stay here";
    find("waiting-for").textContent = `${this.who} ${this.met ? "thinking …" : `${ready}.`}`;
    find("waiting").hidden = false;
  }
}

// A Hanabi table on which nothing is known but who sits there.
export function bareTable(about) {
  const all = (count) => [...Array(count).keys()];
  const card = { face: null, colors: all(about.colors), ranks: all(about.ranks), color_told: false, rank_told: false };
  const dealt = about.players * about.hand_size;
  return {
    hands: all(about.players).map(() => all(about.hand_size).map(() => card)),
    stacks: all(about.colors).map(() => 0),
    discards: all(about.colors).map(() => all(about.ranks).map(() => 0)),
    score: 0, info: about.info_tokens, lives: about.life_tokens, turns_left: null,
    deck: about.colors * about.copies.reduce((sum, copies) => sum + copies, 0) - dealt,
    to_move: null, done: false, last: null, legal: [], turn: 0, told: "", now: "The cards are being dealt …",
  };
}
