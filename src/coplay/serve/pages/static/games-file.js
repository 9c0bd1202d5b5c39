// Files of games, read in the browser: how many games there are, and one of them as a small file of its own.
"use strict";

const HEADER = 16 * 1024 * 1024; // bytes; no header of ours comes near

export async function openGames(file) {
  if (file.name.toLowerCase().endsWith(".json")) return openJson(file);
  if (file.name.toLowerCase().endsWith(".npz")) throw new Error("Files of this kind are watched on your own machine: coplay replay FILE --html.");
  return openTensors(file);
}

// JSON: one game, or a list of them.
async function openJson(file) {
  let content;
  try {
    content = JSON.parse(await file.text());
  } catch {
    throw new Error("This is not JSON; export the game again.");
  }
  const games = Array.isArray(content) ? content : [content];
  if (!games.length) throw new Error("There are no games in this file.");
  return { count: games.length, cut: async (index) => new File([JSON.stringify(games[index])], "game.json") };
}

// A safetensors file: the length of its header, the header as JSON, the numbers. All tensors have a row per game, so a
// game is a row of each; only those bytes are read, however large the file.
async function openTensors(file) {
  const broken = new Error("This is no whole safetensors file, and its name does not end in .json.");
  if (file.size < 8) throw broken;
  const size = Number(new DataView(await file.slice(0, 8).arrayBuffer()).getBigUint64(0, true));
  if (size > Math.min(HEADER, file.size - 8)) throw broken;
  let header;
  try {
    header = JSON.parse(await file.slice(8, 8 + size).text());
  } catch {
    throw broken;
  }
  const count = header.scores?.shape?.[0];
  if (!count) throw new Error("This file holds no games: it has no scores.");
  return { count, cut: (index) => cutRow(file, 8 + size, header, count, index) };
}

function cutRow(file, begin, header, count, index) {
  const { __metadata__: metadata, ...tensors } = header;
  const cut = metadata ? { __metadata__: onlyGame(metadata, index) } : {};
  const parts = [];
  let written = 0;
  for (const [name, { dtype, shape, data_offsets: [from, to] }] of byPlace(tensors)) {
    const rows = shape[0] === count;
    const size = rows ? (to - from) / count : to - from;
    const place = begin + from + (rows ? index * size : 0);
    parts.push(file.slice(place, place + size));
    cut[name] = { dtype, shape: rows ? [1, ...shape.slice(1)] : shape, data_offsets: [written, written + size] };
    written += size;
  }
  let text = new TextEncoder().encode(JSON.stringify(cut));
  if (text.length % 8) text = new TextEncoder().encode(JSON.stringify(cut) + " ".repeat(8 - text.length % 8));
  const length = new DataView(new ArrayBuffer(8));
  length.setBigUint64(0, BigInt(text.length), true);
  return new File([length.buffer, text, ...parts], "game.safetensors");
}

const byPlace = (tensors) => Object.entries(tensors).sort((one, other) => one[1].data_offsets[0] - other[1].data_offsets[0]);

// What the file says about itself, with the forfeit of this game alone.
function onlyGame(metadata, index) {
  if (!metadata.coplay) return metadata;
  const about = JSON.parse(metadata.coplay);
  about.forfeits = (about.forfeits ?? []).filter((one) => one.game === index).map((one) => ({ ...one, game: 0 }));
  return { ...metadata, coplay: JSON.stringify(about) };
}
