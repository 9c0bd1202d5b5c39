// A footballer: runs after the ball, dribbles towards the goal, shoots near it. node footballer.mjs [PORT]
import { serveAgent } from "./serve.mjs";

// Entries of the observation, as `game.describe(entry)` names them; 255 is 1.
const X = 0, LARGER_Y = 1, SMALLER_Y = 2, HAS_BALL = 11, BALL_SEEN = 12;
const AHEAD = 16, BEHIND = 17, TO_LARGER_Y = 18, TO_SMALLER_Y = 19;
const STAY = 0, RUN = 1, SHOOT = 25; // actions: 8 ways to run, 16 to shoot, counted from forward to larger y
const NEAR = 0.75; // so far up the pitch it shoots

/** The nearest of so many ways to a direction. */
const wayTo = (x, y, ways) => (Math.round((Math.atan2(y, x) / (2 * Math.PI)) * ways) + ways) % ways;

export function choose({ vector, legal }) {
  const place = 2 * (vector[X] / 255) - 1; // -1 at the own goal line, 1 at the other
  const side = (vector[LARGER_Y] - vector[SMALLER_Y]) / 255; // of half the width
  const toGoal = [15 * (1 - place), -10 * side]; // metres
  let wanted = STAY;
  if (vector[HAS_BALL]) wanted = place > NEAR ? SHOOT + wayTo(...toGoal, 16) : RUN + wayTo(...toGoal, 8);
  else if (vector[BALL_SEEN]) {
    wanted = RUN + wayTo(vector[AHEAD] - vector[BEHIND], vector[TO_LARGER_Y] - vector[TO_SMALLER_Y], 8);
  }
  return legal[wanted] ? wanted : STAY;
}

await serveAgent(choose, { port: Number(process.argv[2] ?? 9000) });
