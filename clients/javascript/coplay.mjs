// Plays on a coplay challenge server: protocol version 1, no packages.
// It needs a WebSocket that sends headers, as Node has: from version 22, or 20 with --experimental-websocket.

const MOST = 1000; // moves in one message
const SUPERSEDED = 4409, REFUSED = 4403, MALFORMED = 4400;
const sleep = (seconds) => new Promise((wake) => setTimeout(wake, 1000 * seconds));

/** The server said no; `status` and `code` are its words. */
export class Refused extends Error {
  constructor(message, status = 0, code = "") {
    super(message);
    Object.assign(this, { name: "Refused", status, code });
  }
}

/** A request's JSON answer; refusals are thrown in the server's words. */
export async function request(method, url, { key, body } = {}) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(said.message ?? `${url} answered ${answer.status}`, answer.status, said.code);
  return said;
}

/** Enters a challenge: { name, method, contact, human_data, track?, terms? } → the answer with the two keys. */
export const register = (url, challenge, entry) =>
  request("POST", `${url}/v1/challenges/${challenge}/register`, { body: entry });

/** The numbers 0 and 1 of one row of a packed block; the first entry is the highest bit. */
function bits(block, row, size) {
  const width = Math.ceil(size / 8);
  return Uint8Array.from({ length: size }, (_, i) => (block[row * width + (i >> 3)] >> (7 - (i & 7))) & 1);
}

/** One row of a vector block, by the packing that `welcome` names. */
function vector(block, row, { shape, packing }) {
  const size = shape.reduce((all, one) => all * one, 1);
  if (packing === "bits") return bits(block, row, size);
  if (packing === "uint8") return Uint8Array.from(block.subarray(row * size, (row + 1) * size));
  return Float32Array.from({ length: size }, (_, i) => block.readFloatLE(4 * (row * size + i)));
}

/** The turns of a message as objects: what a player is given. */
export function turnsOf(message, configurations) {
  const about = configurations[message.configuration];
  const views = message.vector && Buffer.from(message.vector, "base64");
  const legal = message.legal && Buffer.from(message.legal, "base64");
  return message.game.map((game, row) => ({
    configuration: message.configuration, about, game,
    seat: message.seat[row], turn: message.turn[row], mine: Boolean(message.mine[row]),
    secondsLeft: message.seconds_left?.[row],
    vector: views && vector(views, row, about.observation),
    legal: legal && bits(legal, row, about.actions),
    text: message.text?.[row], view: message.view?.[row],
  }));
}

/** One connection, from hello to its end. Resolves to true when all is played, to false when it broke. */
function connection(url, key, hello, choose, state) {
  return new Promise((resolve, reject) => {
    const wire = new WebSocket(`${url.replace(/^http/, "ws")}/v1/socket`, { headers: { Authorization: `Bearer ${key}` } });
    const end = (settle, value) => { settle(value); wire.close(); };
    const act = (entries) => {
      for (let begin = 0; begin < entries.length; begin += MOST) {
        const part = entries.slice(begin, begin + MOST), column = (name) => part.map((one) => one[name]);
        wire.send(JSON.stringify({ type: "act", game: column("game"), turn: column("turn"), seat: column("seat"), action: column("action") }));
      }
    };
    const done = () => {
      const wanted = hello.configurations ?? Object.keys(state.configurations);
      if (wanted.every((name) => state.scored.has(name))) { wire.send('{"type": "bye"}'); end(resolve, true); }
    };
    const hear = {
      welcome(message) {
        state.attempt = message.attempt;
        state.configurations = message.configurations;
        if (message.status !== "open") Object.keys(message.configurations).forEach((name) => state.scored.add(name));
        done();
      },
      // A move that was sent before the connection broke comes again as a turn if it did not arrive.
      async turns(message) {
        const asked = turnsOf(message, state.configurations);
        const chosen = await Promise.all(asked.map(async (one) => ({ ...one, action: await choose(one) })));
        act(chosen.filter((one) => one.mine));
      },
      finished(message) { message.configurations.forEach((name) => state.scored.add(name)); done(); },
      stuck(message) { if (message.left === 0) throw new Refused(`${message.deals} games wait for the host; run again later.`); },
      superseded() { throw new Refused("another connection with this key has taken the games over."); },
      closing(message) { state.pause = message.retry_after ?? 1; },
      error(message) {
        if (message.status === 503) end(resolve, false); // it is busy, and will not be for long
        else if (message.code !== "conflict") throw new Refused(message.message, message.status, message.code);
      },
    };
    wire.onopen = () => wire.send(JSON.stringify({ ...hello, ...(state.attempt && { attempt: state.attempt }) }));
    wire.onmessage = async ({ data }) => {
      try {
        const message = JSON.parse(data);
        await hear[message.type]?.(message); // a newer server may say more than we know
      } catch (problem) { end(reject, problem); }
    };
    wire.onerror = () => resolve(false);
    wire.onclose = ({ code, reason }) => {
      if ([SUPERSEDED, REFUSED, MALFORMED].includes(code)) reject(new Refused(`the server ended it: ${reason}`, code));
      resolve(false);
    };
  });
}

/**
 * Plays an attempt to its end and returns the results of the configurations that were played.
 * `choose` is given a turn and returns an action, or a promise of one; with `turns: "all"` it also hears the turns of
 * others (`mine` is false), and what it returns for them is ignored. `options`: those of hello (parallel, games,
 * configurations, want, turns), and `patience`, seconds for which a broken connection is made again.
 */
export async function play(key, choose, { url = "http://127.0.0.1:8000", patience = 600, ...options } = {}) {
  const hello = { type: "hello", version: 1, ...options }, state = { scored: new Set(), configurations: {} };
  for (let tries = 0, since = Date.now(); ; tries++) {
    await request("GET", `${url}/v1/me`, { key }).catch((problem) => {
      if (problem instanceof Refused && ![429, 500, 502, 503, 504].includes(problem.status)) throw problem;
      if (!state.attempt && !(problem instanceof Refused)) throw new Error(`${url} cannot be reached; does the server run?`);
    });
    const before = state.attempt;
    if (await connection(url, key, hello, choose, state)) break;
    if (state.attempt !== before) [tries, since] = [0, Date.now()];
    if (Date.now() - since > 1000 * patience) throw new Error(`${url} is gone. Nothing is lost: run again and the attempt goes on.`);
    await sleep(state.pause ?? Math.min(5, 0.2 * 2 ** tries));
    state.pause = undefined;
  }
  const { attempts } = await request("GET", `${url}/v1/me`, { key });
  const { results } = attempts.find((one) => one.id === state.attempt);
  return results.filter((one) => state.scored.has(one.configuration));
}
