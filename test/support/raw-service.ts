// A WebSocket service without a library: it answers the handshake, and then sends the bytes that it is given, whatever
// they are.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import { listen } from "./received-frames.ts";

/** Does something with a connection after its handshake. */
export type Play = (socket: Duplex) => void;

/**
 * Answers the address of a service that plays this on each connection.
 * @param onData called when it is told something, which can only be a goodbye; without it, it goes
 */
export function startRawService(
  play: Play,
  onData: Play = (socket) => socket.end(),
): Promise<string> {
  const server = createServer();
  server.on("upgrade", (request, socket) => {
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
    socket.on("error", () => {});
    socket.on("data", () => onData(socket));
    socket.write(`${head.join("\r\n")}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    play(socket);
  });
  return listen(server);
}

/** Sends bytes at once. */
export const sends =
  (...pieces: readonly (Buffer | readonly Buffer[])[]): Play =>
  (socket) =>
    socket.write(Buffer.concat(pieces.flat()));

/** Sends bytes and then one more in every turn, each of which is read by itself, until the connection ends. */
export const trickles =
  (first: Buffer): Play =>
  (socket) => {
    socket.write(first);
    const next = () => {
      if (socket.destroyed || socket.writableEnded) return;
      socket.write("x");
      setImmediate(next);
    };
    setImmediate(next);
  };

export const OPCODE = { continuation: 0, text: 1, close: 8, ping: 9 } as const;

/** What a frame says of itself; without it a whole frame as a service sends it. */
export interface Heading {
  readonly isLast?: boolean;
  /** The three reserved bits. */
  readonly reserved?: number;
  readonly isMasked?: boolean;
  /** The length that it claims, in the form of 64 bits. */
  readonly claims?: bigint;
}

/** One frame. Its payload is less than 126 bytes, or its length is claimed. */
export function rawFrame(opcode: number, payload: Buffer, heading: Heading = {}): Buffer {
  const { isLast = true, reserved = 0, isMasked = false, claims } = heading;
  const first = (isLast ? 0x80 : 0) | (reserved << 4) | opcode;
  const mask = isMasked ? 0x80 : 0;
  if (claims === undefined) {
    return Buffer.concat([Buffer.from([first, mask | payload.length]), payload]);
  }
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(claims);
  return Buffer.concat([Buffer.from([first, mask | 127]), length, payload]);
}
