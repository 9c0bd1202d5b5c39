// Games of a study that have a time: how much of it is left, and back to the study when it is over.
"use strict";
import { about, find } from "./dom.js";

const { page, seconds } = about().study;
const begin = performance.now();

function tell() {
  const left = Math.max(0, Math.ceil(seconds - (performance.now() - begin) / 1000));
  const [minutes, rest] = [Math.floor(left / 60), String(left % 60).padStart(2, "0")];
  find("time-left").textContent = `${minutes}:${rest} left for this game`;
  find("time-left").hidden = false;
  if (left > 0) setTimeout(tell, 1000);
  else setTimeout(() => location.assign(page), 1000); // by then the server thinks so, too
}

if (seconds !== null) tell();
