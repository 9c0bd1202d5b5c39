// Notes on one's own cards, kept in this browser. A card keeps its note when it moves to another slot.
"use strict";

export class Notes {
  constructor(attempt) {
    this.place = `coplay notes ${attempt}`;
    try {
      this.texts = JSON.parse(localStorage.getItem(this.place)) ?? {};
    } catch {
      this.texts = {};
    }
  }

  // Numbers of the cards in our hand, oldest first, after these turns: cards are numbered as they are drawn.
  static cards(turns) {
    const cards = turns[0].hands[0].map((_, slot) => slot);
    let next = cards.length;
    for (const { last } of turns) {
      if (last === null || last.actor !== 0 || last.target !== null) continue;
      cards.splice(last.action[1], 1);
      cards.push(next++);
    }
    return cards;
  }

  of(card) {
    return this.texts[card] ?? "";
  }

  write(card, text) {
    this.texts[card] = text.slice(0, 200);
    try {
      localStorage.setItem(this.place, JSON.stringify(this.texts));
    } catch {
      // a browser that keeps nothing still shows the note until the page is left
    }
  }
}
