// Who is at a table of several people: invitations while seats are free, who is there, coming back after a while away.
"use strict";
import { find, make } from "./dom.js";

export class Company {
  // `key` opens our seat; `wire` carries what we say.
  constructor(about, key, wire) {
    [this.about, this.key, this.wire] = [about, key, wire];
    this.place = `coplay links ${about.attempt}`;
    this.links = {}; // by seat, and the one to watch: kept here, because the server knows only that they were given
    try {
      this.links = JSON.parse(localStorage.getItem(this.place)) ?? {};
    } catch {
      // a browser that keeps nothing asks for new invitations
    }
    this.complete = false; // does everybody sit?
    this.wishes = new Set(); // asked for, not yet there
    this.asked = Promise.resolve();
    this.fresh = true; // the page was opened just now: whoever opens it is there
  }

  hear(message) {
    this.message = message;
    this.complete = message.people.every((one) => one.taken);
    const own = message.people.find((one) => one.seat === message.seat);
    if (this.fresh && own?.away) this.wire.back();
    this.fresh = false;
    this.draw(own);
    if (message.lays) this.inviteAll();
  }

  name(seat) { return this.about.names[seat]; }

  draw(own) {
    const { message } = this;
    const rows = message.people.map((one) => make("li", { class: one.away ? "away" : one.here ? "here" : "gone", "data-seat": one.seat },
      `seat ${one.seat}: ${this.name(one.seat)}`, this.state(one), message.lays && !one.taken ? this.invitation(one) : null));
    const parts = [make("ul", {}, ...rows)];
    if (!this.complete) parts.unshift(make("b", {}, "The game begins when everybody sits."));
    if (own?.away) {
      parts.unshift(make("button", { type: "button", id: "back", onclick: () => this.wire.back() }, "I am back"),
        make("b", {}, `${this.about.together.substitute} plays for you. `));
    }
    if (message.lays) parts.push(this.watchers());
    else if (message.watching) parts.push(make("small", {}, `${message.watching} watching`));
    find("company").replaceChildren(...parts);
    find("company").classList.toggle("complete", this.complete);
    if (this.complete && !own?.away) find("switches").before(find("company")); // the game has the place
    else find("waiting").after(find("company"));
    find("company").hidden = false;
  }

  state(one) {
    if (!one.taken) return ", free";
    if (one.away) return `, away: ${this.about.together.substitute} plays`;
    return one.here ? "" : ", not connected";
  }

  invitation(one) {
    const link = this.links[one.seat];
    const agent = this.about.together.substitute;
    return make("span", { class: "invitation" },
      link ? this.shown(link, `invitation to seat ${one.seat}`)
        : make("button", { type: "button", class: "plain", onclick: () => this.ask("invite", one.seat) }, "new invitation"),
      agent ? make("button", { type: "button", class: "plain", "data-agent": one.seat, onclick: () => this.ask("agent", one.seat) }, `let ${agent} play`) : null);
  }

  watchers() {
    const count = this.message.watching ? ` (${this.message.watching} watching)` : "";
    return make("small", {}, `To watch${count}: `, this.links.watch ? this.shown(this.links.watch, "link to watch")
      : make("button", { type: "button", class: "plain", id: "watch", onclick: () => this.ask("watch", 0) }, "make a link"));
  }

  shown(link, label) {
    const field = make("input", { readonly: true, value: link, "aria-label": label, onfocus: () => field.select() });
    const copy = () => { field.select(); navigator.clipboard?.writeText(link); };
    return make("span", { class: "link" }, field, make("button", { type: "button", class: "plain", onclick: copy }, "copy"));
  }

  // Seats that nobody was invited to get their invitation at once.
  async inviteAll() {
    for (const one of this.message.people) {
      if (!one.taken && !one.invited && !this.links[one.seat]) await this.ask("invite", one.seat);
    }
  }

  // One after the other: who presses a button while an invitation is on its way is not left without an answer.
  ask(what, seat) {
    const wish = `${what} ${seat}`;
    if (this.wishes.has(wish)) return this.asked;
    this.wishes.add(wish);
    this.asked = this.asked.then(() => this.fulfil(what, seat)).finally(() => this.wishes.delete(wish));
    return this.asked;
  }

  async fulfil(what, seat) {
    try {
      const answer = await fetch(`/play/${this.about.attempt}/links`, {
        method: "POST",
        headers: { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ what, seat }),
      });
      const found = await answer.json();
      if (answer.ok && found.link) this.keep(what === "watch" ? "watch" : seat, location.origin + found.link);
      if (answer.ok && what === "agent") location.reload(); // the names have changed
      if (!answer.ok) find("status").textContent = found.message;
    } catch {
      find("status").textContent = "The server did not answer; try again in a moment.";
    }
    this.draw(this.message.people.find((one) => one.seat === this.message.seat));
  }

  keep(what, link) {
    this.links[what] = link;
    try {
      localStorage.setItem(this.place, JSON.stringify(this.links));
    } catch {
      // they are shown until the page is left
    }
  }
}
