// A line that says whom we wait for; it goes away by itself.
"use strict";
import { find } from "./dom.js";

export class Waiting {
  // `names` are the partners'; spectators wait for nobody.
  constructor(names) {
    this.silent = names.length === 0;
    this.who = names.length === 1 ? `${names[0]} is` : "Your partners are";
    this.met = false; // have they moved before? Then they are only thinking
    this.timer = null;
    this.open = false; // are there free seats?
    this.parts = ""; // how much of what the table needs is there
  }

  // The table is being made ready: so many of its parts are there.
  preparing(message) {
    this.parts = ` (${message.done} of ${message.of} parts are there)`;
    this.begin(0);
    if (!find("waiting").hidden) this.show();
  }

  // Does everybody sit? Until then nobody is thinking, and who is missing is said elsewhere.
  assembled(complete) {
    this.open = !complete;
    if (this.open) this.end();
  }

  // Somebody waits from now on; the line appears if it takes long.
  begin(long = 1500) {
    if (this.timer === null && !this.open && !this.silent) this.timer = setTimeout(() => this.show(), long);
  }

  end() {
    clearTimeout(this.timer);
    this.timer = null;
    find("waiting").hidden = true;
  }

  show() {
    const ready = `getting ready${this.parts}. The first game of a kind can take a minute or two; it begins by itself, so stay here`;
    find("waiting-for").textContent = `${this.who} ${this.met ? "thinking …" : `${ready}.`}`;
    find("waiting").hidden = false;
  }
}
