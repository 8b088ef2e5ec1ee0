import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
} from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import type { LinkFault } from "../../src/protocol/stream-event.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { realClock } from "../support/real-clock.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const servers: (Server | TcpServer)[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  }
});

async function listen<T extends Server | TcpServer>(server: T): Promise<string> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/ws`;
}

/** Starts a WebSocket service; `play` gets its side of each connection. */
async function startService(
  play: (peer: WebSocket) => void,
  onHeaders?: (headers: object) => void,
) {
  const server = createServer();
  const wss = new WebSocketServer({ server, path: "/v1/ws" });
  wss.on("connection", (peer, request) => {
    onHeaders?.(request.headers);
    play(peer);
  });
  return listen(server);
}

/** Opens a socket, writes down what it tells, and resolves when it has ended. */
function open(
  url: string,
  onOpen: (socket: ReturnType<ReturnType<typeof createWsSocket>>) => void = () => {},
) {
  const told: string[] = [];
  return new Promise<{ told: string[]; fault: LinkFault }>((resolve) => {
    const socket = createWsSocket({ url, headers: { "x-key": "secret" }, clock: realClock })({
      onOpen: () => {
        told.push("open");
        onOpen(socket);
      },
      onMessage: (message) => told.push(message),
      onBinary: (length) => told.push(`binary ${length}`),
      onPong: () => told.push("pong"),
      onEnd: (fault) => resolve({ told, fault }),
    });
  });
}

describe("the real socket", () => {
  test("sends its headers, tells messages in order and unchanged, and says how it was closed", async () => {
    let headers: Record<string, unknown> = {};
    const url = await startService(
      (peer) => {
        peer.on("message", (data) => {
          peer.send(`echo ${data}`);
          peer.send(Buffer.from([1, 2, 3]));
          peer.send("ünïcode ✓");
          peer.close(4001, "enough");
        });
      },
      (sent) => {
        headers = sent as Record<string, unknown>;
      },
    );
    const { told, fault } = await open(url, (socket) => socket.send("hi"));
    expect(headers["x-key"]).toBe("secret");
    expect(headers["sec-websocket-extensions"]).toBeUndefined();
    expect(told).toEqual(["open", "echo hi", "binary 3", "ünïcode ✓"]);
    expect(fault).toEqual({
      code: "closed",
      detail: "closed by the service with code 4001: enough",
    });
  });

  test("tells the pong of its ping", async () => {
    const url = await startService((peer) =>
      peer.on("ping", () => setImmediate(() => peer.close())),
    );
    const { told } = await open(url, (socket) => socket.ping());
    expect(told).toEqual(["open", "pong"]);
  });

  test("loses no message when more come than one turn may read", async () => {
    const count = 20_000;
    const url = await startService((peer) => {
      for (let i = 0; i < count; i++) peer.send(`${i}`);
      peer.close();
    });
    const { told } = await open(url);
    expect(told.slice(1)).toEqual(Array.from({ length: count }, (_, i) => `${i}`));
  });

  test("ends by itself when it is terminated", async () => {
    const url = await startService(() => {});
    const { fault } = await open(url, (socket) => socket.terminate());
    expect(fault.code).toBe("closed");
  });

  test("refuses a message that is too large to be true", async () => {
    const url = await startService((peer) => peer.send("x".repeat(9 * 1024 * 1024)));
    const { told, fault } = await open(url);
    expect(told).toEqual(["open"]);
    expect(fault).toEqual({ code: "failed", detail: "Max payload size exceeded" });
  });
});

/** A service without a library: it answers the handshake, and then sends these bytes. */
function startRaw(bytes: readonly Buffer[]): Promise<string> {
  const server = createServer();
  server.on("upgrade", (request, socket) => {
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
    socket.on("error", () => {});
    // All that it can be told is to close.
    socket.on("data", () => socket.end());
    socket.write(`${head.join("\r\n")}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    socket.write(Buffer.concat(bytes));
  });
  return listen(server);
}

/** A frame of less than 126 bytes, without a mask, as a service sends it. */
const rawFrame = (opcode: number, payload: Buffer, isLast = true) =>
  Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, payload.length]), payload]);

describe("what only a hostile service sends", () => {
  const TEXT = 1;
  const CONTINUATION = 0;
  const x = Buffer.from("x");

  test.each([
    ["a lone byte", Buffer.from([0xff])],
    ["half of a character", Buffer.from("✓").subarray(0, 2)],
    ["a surrogate", Buffer.from([0xed, 0xa0, 0x80])],
    ["an overlong form", Buffer.from([0xc0, 0xaf])],
  ])("text that is no UTF-8 ends the connection and is not told: %s", async (_, payload) => {
    const { told, fault } = await open(await startRaw([rawFrame(TEXT, payload)]));
    expect(told).toEqual(["open"]);
    expect(fault).toEqual({
      code: "failed",
      detail: "Invalid WebSocket frame: invalid UTF-8 sequence",
    });
  });

  test("a message of more fragments than anybody needs ends the connection", async () => {
    const fragments = (count: number) => [
      rawFrame(TEXT, x, false),
      ...Array.from({ length: count - 2 }, () => rawFrame(CONTINUATION, x, false)),
      rawFrame(CONTINUATION, x),
    ];
    const end = rawFrame(8, Buffer.from([0x03, 0xe8]));
    const whole = await open(await startRaw([...fragments(1024), end]));
    expect(whole.told).toEqual(["open", "x".repeat(1024)]);
    const { told, fault } = await open(await startRaw(fragments(1025)));
    expect(told).toEqual(["open"]);
    expect(fault).toEqual({ code: "failed", detail: "Too many message fragments" });
  });
});

describe("a connection that cannot be opened", () => {
  const answer = (listener: RequestListener) => listen(createServer(listener));

  test("says that nobody listens", async () => {
    const server = createTcpServer();
    const url = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect((await open(url)).fault.code).toBe("refused");
  });

  test.each([
    [200, "not-websocket"],
    [301, "not-websocket"],
    [401, "unauthorized"],
    [403, "unauthorized"],
    [503, "not-websocket"],
  ])("says that the service answered HTTP %i", async (status, code) => {
    const url = await answer((_, response) =>
      response.writeHead(status, { location: "/" }).end("<html>"),
    );
    const { told, fault } = await open(url);
    expect(told).toEqual([]);
    expect(fault).toMatchObject({ code, status });
  });

  test("passes on how long it is asked to stay away, in seconds or as a date", async () => {
    const at = Date.UTC(2026, 0, 1);
    const inSeconds = await answer((_, response) =>
      response.writeHead(503, { "retry-after": "7" }).end(),
    );
    const asDate = await answer((_, response) =>
      response
        .writeHead(503, {
          date: new Date(at).toUTCString(),
          "retry-after": new Date(at + 9000).toUTCString(),
        })
        .end(),
    );
    expect((await open(inSeconds)).fault.retryAfterMs).toBe(7000);
    expect((await open(asDate)).fault.retryAfterMs).toBe(9000);
  });

  test("is given up when the handshake is not answered within ten seconds", async () => {
    const clock = createVirtualClock();
    const server = createTcpServer();
    const connected = once(server, "connection");
    const url = await listen(server);
    const ended = new Promise<LinkFault>((onEnd) => {
      const ignore = () => {};
      const handlers = { onOpen: ignore, onMessage: ignore, onBinary: ignore, onPong: ignore };
      createWsSocket({ url, headers: {}, clock })({ ...handlers, onEnd });
    });
    await connected;
    clock.advance(9999);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect(await ended).toEqual({ code: "timeout", detail: "no answer in 10 s" });
  });

  test("says that the other side speaks no HTTP at all", async () => {
    const url = await listen(createTcpServer((socket) => socket.end("SSH-2.0-OpenSSH\r\n")));
    expect((await open(url)).fault.code).toBe("not-websocket");
  });
});
