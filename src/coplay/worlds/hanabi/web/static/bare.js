// What is there before the first view.
"use strict";

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
    deck: about.copies.flat().reduce((sum, copies) => sum + copies, 0) - dealt,
    to_move: null, done: false, last: null, legal: [], turn: 0, told: "", now: "The cards are being dealt …",
  };
}
