// The kitchen as a picture: a fixed part and pieces the server drew once, put where the view says.
"use strict";
import { find } from "../dom.js";

export async function openKitchen(about) {
  const answer = await fetch(`/play/${about.attempt}/pictures${about.watch ? "" : `?seat=${about.seat}`}`);
  if (!answer.ok) throw new Error(answer.statusText);
  const parts = await answer.json();
  const picture = new DOMParser().parseFromString(parts.picture, "image/svg+xml").documentElement;
  find("kitchen").replaceChildren(document.importNode(picture, true));
  parts.moving = find("moving");
  return parts;
}

// One piece at a cell; pieces are SVG of our own server, made of numbers and colours only.
const piece = (parts, name, [x, y]) =>
  `<g transform="translate(${parts.left + x * parts.cell} ${parts.top + y * parts.cell})">${parts.pieces[name] ?? ""}</g>`;

export function drawKitchen(parts, about, view) {
  const groups = [];
  view.lying.forEach((row, y) => row.forEach((code, x) => {
    const [onions, tomatoes] = view.lying_soups[y][x];
    if (code) groups.push(piece(parts, `thing ${code} ${onions} ${tomatoes}`, [x, y]));
  }));
  parts.pots.forEach((cell, pot) => {
    const [onions, tomatoes] = view.pot_contents[pot];
    if (onions + tomatoes) groups.push(piece(parts, `pot ${onions} ${tomatoes} ${view.pot_ticks[pot]}`, cell));
  });
  view.positions.forEach((cell, offset) => { // chefs count from us
    const seat = (about.seat + offset) % about.players;
    const [onions, tomatoes] = view.held_soups[offset];
    groups.push(piece(parts, `chef ${seat} ${view.facings[offset]} ${view.held[offset]} ${onions} ${tomatoes}`, cell));
  });
  const done = parts.wide * Math.min(view.time / about.horizon, 1);
  groups.push(`<text x="${parts.margin + parts.wide}" y="38" font-size="24" font-weight="700" fill="#ffd166" text-anchor="end">${view.score}</text>`);
  groups.push(`<rect x="${parts.margin}" y="58" width="${done}" height="5" rx="2.5" fill="#ffd166"/>`);
  parts.moving.innerHTML = groups.join("");
}
