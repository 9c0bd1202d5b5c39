// Plays legal actions at random: node random.mjs URL KEY [GAMES]
import { play } from "./coplay.mjs";

const [url, key, games] = process.argv.slice(2);

function choose({ legal }) {
  const ids = [...legal.keys()].filter((id) => legal[id]);
  return ids[Math.floor(Math.random() * ids.length)];
}

try {
  const results = await play(key, choose, { url, ...(games && { games: Number(games) }) });
  for (const one of results) console.log(`${one.configuration}: mean ${one.mean.toFixed(3)}, ${one.games} games`);
} catch (problem) {
  console.error(problem.message);
  process.exitCode = 1;
}
