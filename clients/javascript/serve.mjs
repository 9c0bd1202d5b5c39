// An agent that others sit down with: in coplay it is remote:ws://HOST:PORT. No packages; any Node from 18 on.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { turnsOf } from "./coplay.mjs";

const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // of RFC 6455
const TEXT = 1, CLOSE = 8, PING = 9, PONG = 10;
const LARGEST = 1 << 24; // bytes of a message

/** A frame of ours: a server's are not masked. */
function frame(opcode, payload) {
  const size = payload.length;
  const head = size < 126 ? Buffer.from([0x80 | opcode, size]) : Buffer.alloc(size < 65536 ? 4 : 10);
  if (size >= 126) {
    head.writeUInt8(0x80 | opcode, 0);
    head.writeUInt8(size < 65536 ? 126 : 127, 1);
    if (size < 65536) head.writeUInt16BE(size, 2);
    else head.writeBigUInt64BE(BigInt(size), 2);
  }
  return Buffer.concat([head, payload]);
}

/** The first frame in these bytes, and where the next one begins; null if it is not there whole. */
function firstFrame(bytes) {
  if (bytes.length < 2) return null;
  const short = bytes[1] & 127;
  const begin = { 126: 4, 127: 10 }[short] ?? 2;
  if (bytes.length < begin + 4) return null;
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (!(bytes[1] & 128) || size > LARGEST) throw new Error("not a frame of a client");
  const end = begin + 4 + size;
  if (bytes.length < end) return null;
  const mask = bytes.subarray(begin, begin + 4);
  const payload = Buffer.from(bytes.subarray(begin + 4, end).map((byte, at) => byte ^ mask[at & 3]));
  return { opcode: bytes[0] & 15, last: Boolean(bytes[0] & 128), payload, end };
}

/** Calls `hear` with every text that comes over the socket. */
function listen(socket, hear) {
  let bytes = Buffer.alloc(0), parts = [];
  const take = ({ opcode, last, payload }) => {
    if (opcode === CLOSE) socket.end(frame(CLOSE, payload));
    else if (opcode === PING) socket.write(frame(PONG, payload));
    else if (opcode !== PONG) {
      parts.push(payload);
      if (last) hear(Buffer.concat(parts.splice(0)).toString());
    }
  };
  socket.on("data", (more) => {
    bytes = Buffer.concat([bytes, more]);
    try {
      for (let found = firstFrame(bytes); found; found = firstFrame(bytes)) {
        bytes = bytes.subarray(found.end);
        take(found);
      }
    } catch (problem) { socket.destroy(problem); }
  });
  socket.on("error", () => socket.destroy());
}

/** Answers over one connection; what comes while an answer is thought of waits its turn. */
function converse(socket, choose) {
  let configurations = {}, answered = Promise.resolve();
  const answer = async (message) => {
    if (message.type === "welcome") configurations = message.configurations;
    if (message.type !== "turns") return;
    const turns = turnsOf(message, configurations).filter((one) => one.mine);
    const action = await Promise.all(turns.map((one) => choose(one)));
    const column = (name) => turns.map((one) => one[name]);
    const said = { type: "act", game: column("game"), turn: column("turn"), seat: column("seat"), action };
    socket.write(frame(TEXT, Buffer.from(JSON.stringify(said))));
  };
  listen(socket, (text) => {
    answered = answered.then(() => answer(JSON.parse(text))).catch((problem) => {
      console.error(problem);
      socket.destroy();
    });
  });
}

/**
 * Serves an agent until the program is stopped; resolves to the server when it listens. `choose` is given a turn
 * (`vector`, `legal`, `text`, `seat`, `game`, `turn`, and `about`, the game) and returns an action, or a promise of one.
 */
export function serveAgent(choose, { host = "127.0.0.1", port = 9000 } = {}) {
  const server = createServer((request, answer) => answer.writeHead(426).end("a WebSocket is expected here\n"));
  server.on("upgrade", (request, socket, head) => {
    const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + MAGIC).digest("base64");
    socket.write(["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${accept}`, "", ""].join("\r\n"));
    socket.setNoDelay(true);
    converse(socket, choose);
    if (head.length) socket.unshift(head);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      console.log(`serving at ws://${host}:${server.address().port}; in coplay it is remote:ws://${host}:${server.address().port}`);
      resolve(server);
    });
  });
}
