// A game of the visitor's own file: chosen here, drawn by the server, shown in the frame.
"use strict";
import { find } from "./dom.js";
import { openGames } from "./games-file.js";

const form = find("open");
let games = null;

function complain(text) {
  find("problem").textContent = text;
  find("problem").hidden = !text;
  if (text) find("film").hidden = find("waiting").hidden = true;
}

async function open() {
  complain("");
  games = null;
  const [file] = find("file").files;
  if (!file) return;
  games = await openGames(file);
  const number = find("number");
  number.max = games.count - 1;
  number.value = 0;
  number.readOnly = games.count === 1;
  find("count").textContent = games.count === 1 ? "the only one" : `0 to ${games.count - 1}`;
  await show();
}

// The cut-out game goes through a form, because only an answer of the server may bring its own script into the frame.
async function show() {
  if (!games || !find("number").reportValidity()) return;
  complain("");
  const cut = await games.cut(Number(find("number").value));
  if (cut.size > form.dataset.largest * 0.95) throw new Error("This one game is too large to be sent; use coplay replay.");
  const files = new DataTransfer();
  files.items.add(cut);
  find("cut").files = files.files;
  find("film").hidden = find("waiting").hidden = false;
  form.submit();
}

const safely = (work) => () => work().catch((problem) => complain(problem.message));
find("file").addEventListener("change", safely(open));
find("number").addEventListener("change", safely(show));
form.addEventListener("submit", (event) => { event.preventDefault(); safely(show)(); });
find("film").addEventListener("load", () => { find("waiting").hidden = true; });
