// Says that it is our turn: in the title and the icon of the page, and, where that is switched on, by sounds and by a
// notice of the browser while another page is on show.
"use strict";
import { find } from "./dom.js";

const TUNES = { turn: [660, 880], begin: [523, 659, 784], end: [784, 523] };
const title = document.title;

export class Notice {
  constructor() {
    this.mine = false;
    this.audio = null;
    for (const name of ["sounds", "notices"]) {
      const box = find(name);
      box.checked = Notice.kept(name);
      box.addEventListener("change", () => this.turnSwitch(name, box.checked));
    }
  }

  static kept(name) {
    try {
      return localStorage.getItem(`coplay ${name}`) === "on";
    } catch {
      return false;
    }
  }

  turnSwitch(name, on) {
    try {
      localStorage.setItem(`coplay ${name}`, on ? "on" : "off");
    } catch {
      // it holds until the page is left
    }
    if (name === "sounds" && on) this.play("turn");
    if (name === "notices" && on && "Notification" in window) Notification.requestPermission();
  }

  // Is it our turn now? What is said again changes nothing.
  turn(mine) {
    if (mine && !this.mine) this.tell("turn", "It is your turn.");
    this.mine = mine;
    document.title = mine ? `● Your turn – ${title}` : title;
    document.querySelector("link[rel=icon]").href = mine ? "/static/icon-turn.svg" : "/static/icon.svg";
  }

  tell(tune, text) {
    if (find("sounds").checked) this.play(tune);
    if (find("notices").checked && document.hidden && "Notification" in window && Notification.permission === "granted") {
      new Notification(title, { body: text, tag: "coplay", icon: "/static/icon-turn.svg" });
    }
  }

  play(tune) {
    this.audio ??= new AudioContext();
    if (this.audio.state === "suspended") this.audio.resume(); // it was made before anything was clicked here
    TUNES[tune].forEach((pitch, place) => {
      const [tone, loud] = [this.audio.createOscillator(), this.audio.createGain()];
      const at = this.audio.currentTime + place * 0.12;
      tone.frequency.value = pitch;
      loud.gain.setValueAtTime(0.08, at);
      loud.gain.exponentialRampToValueAtTime(0.001, at + 0.11);
      tone.connect(loud).connect(this.audio.destination);
      tone.start(at);
      tone.stop(at + 0.12);
    });
  }
}
