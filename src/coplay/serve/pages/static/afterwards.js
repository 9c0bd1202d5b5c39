// What there is to do after a game: to see it again and to play another, or to go on with the study it belongs to.
"use strict";
import { make } from "./dom.js";

export function afterwards(about, again, another = "play another", form = "/play") {
  if (about.study) return [make("a", { href: about.study.page, id: "on", class: "button" }, "Go on with the study")];
  return [make("a", { href: about.replay, id: "replay" }, again), " · ", make("a", { href: form }, another)];
}
