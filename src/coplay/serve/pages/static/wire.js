// The line to the server: protocol v1 over one WebSocket, connected again whenever it breaks.
"use strict";

export class Wire {
  // `key` opens a seat; `want` is what each view is sent as; `on` has a function per kind of message, and `line(text)`.
  constructor(key, want, on) {
    this.hello = { type: "hello", version: 1, key, want, turns: "all", parallel: 1 };
    this.on = on;
    this.pause = 500;
    this.ended = false;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/v1/socket`);
    this.socket.onopen = () => this.socket.send(JSON.stringify(this.hello));
    this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.socket.onclose = () => this.lost();
  }

  hear(message) {
    this.pause = 500;
    if (message.type === "superseded") {
      this.ended = true;
      this.on.line("This seat was taken over in another window.");
    } else if (message.type === "stuck") {
      this.ended = true;
      this.on.line("A partner failed again and again, and the host has been told. Lay another table at /play.");
    } else if (message.type === "error" && ["bad_key", "no_key", "revoked", "wrong_key"].includes(message.code)) {
      this.ended = true;
    }
    this.on[message.type]?.(message);
  }

  lost() {
    if (this.ended) return;
    this.on.lost?.();
    this.on.line("The connection is lost; trying again …");
    setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(this.pause * 2, 10000);
  }

  act(game, turn, action) {
    return this.say({ type: "act", game: [game], turn: [turn], action: [action] });
  }

  // What we do in the next step, where the server keeps the pace; `keyed`: a person has just pressed a key for it.
  press(action, keyed = true) {
    return this.say({ type: "press", action, keyed });
  }

  // We play for ourselves again.
  back() {
    return this.say({ type: "back" });
  }

  say(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close() {
    this.ended = true;
    this.socket.close();
  }
}
