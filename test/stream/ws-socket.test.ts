// The socket on a real connection: what is asked for, what is read, and why it ended.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import type { LinkFault } from "../../src/stream/link.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { listen } from "../support/listen.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

interface Peer {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
}
type Raw = (socket: Duplex) => void;

/** @param raw answers the handshake in its own way */
async function start(onPeer: (peer: Peer) => void, raw?: Raw, headers = {}) {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  http.on("connection", (socket) => socket.on("error", () => {}));
  http.on("upgrade", (request, socket: Duplex, head) => {
    if (raw) raw(socket);
    else sockets.handleUpgrade(request, socket, head, (peer) => onPeer({ socket: peer, request }));
  });
  http.on("connect", (_, socket: Duplex) => raw?.(socket));
  const port = await listen(http);
  onTestFinished(() => void http.close().closeAllConnections());
  return open(`ws://127.0.0.1:${port}/`, headers);
}

function open(url: string, headers = {}, environment = {}) {
  const clock = createVirtualClock();
  const told: unknown[] = [];
  const waits: (() => void)[] = [];
  const tell = (what: unknown) => {
    told.push(what);
    for (const go of waits.splice(0)) go();
  };
  const socket = createWsSocket({ url, headers, clock, environment })({
    onOpen: () => tell("open"),
    onMessage: (message) => tell(message),
    onBinary: (length) => tell(length),
    onPong: () => tell("pong"),
    onEnd: (fault) => tell(fault),
  });
  onTestFinished(() => socket.terminate());
  const until = async (count: number) => {
    while (told.length < count) await new Promise<void>((go) => waits.push(go));
    return told;
  };
  return { clock, socket, told, until };
}

const answer =
  (status: string, more = "") =>
  (socket: Duplex) =>
    void socket.end(`HTTP/1.1 ${status}\r\n${more}content-length: 0\r\n\r\n`);
const named = (text: string) => expect.stringContaining(text);

describe("a socket", () => {
  it("says who asks, and offers the protocols of a header as such", async () => {
    let request: IncomingMessage | undefined;
    const headers = { "X-Key": "k", "Sec-WebSocket-Protocol": "one,two , three" };
    const { until } = await start((peer) => ({ request } = peer), undefined, headers);
    expect(await until(1)).toEqual(["open"]);
    expect(request?.headers).toMatchObject({
      "user-agent": expect.stringMatching(/^monitor\/\d/),
      "x-key": "k",
      "sec-websocket-protocol": "one,two,three",
    });
    expect(request?.headers).not.toHaveProperty("sec-websocket-extensions");
  });

  it("takes text in frames of both kinds, and says of other bytes how many they are", async () => {
    const { socket, until } = await start((peer) => {
      peer.socket.on("message", (data) => {
        peer.socket.send(String(data));
        peer.socket.send(Buffer.from('"ü"'));
        peer.socket.send(Buffer.from([0xff, 0xfe, 0xfd]));
      });
    });
    await until(1);
    socket.send("text");
    expect(await until(4)).toEqual(["open", "text", '"ü"', 3]);
    socket.ping();
    expect((await until(5))[4]).toBe("pong");
  });

  it("is not read while it is held", async () => {
    let pongs = 0;
    let peer: WebSocket | undefined;
    const { socket, told, until } = await start(({ socket }) => {
      peer = socket.on("ping", () => pongs++);
    });
    await until(1);
    socket.hold(true);
    peer?.send("late");
    socket.ping();
    while (pongs === 0) await new Promise(setImmediate);
    expect(told).toEqual(["open"]);
    socket.hold(false);
    expect((await until(3)).slice(1)).toEqual(["late", "pong"]);
  });

  it.each<[end: string, onPeer: (socket: WebSocket) => void, fault: LinkFault]>([
    [
      "with a reason",
      (socket) => socket.close(1008, "too many"),
      { closeCode: 1008, detail: named("1008 (policy violation): too many") },
    ],
    [
      "with a code of its own",
      (socket) => socket.close(4000),
      { closeCode: 4000, detail: expect.stringMatching(/4000$/) },
    ],
    [
      "without a word",
      (socket) => socket.terminate(),
      { closeCode: 1006, detail: expect.stringMatching(/1006 \(no close frame\)$/) },
    ],
    [
      "for a message that is too large",
      (socket) => socket.send(Buffer.alloc(8 * 1024 * 1024 + 1)),
      { detail: named("payload size") },
    ],
  ])("that was open ends %s", async (_, onPeer, fault) => {
    const { until } = await start(({ socket }) => onPeer(socket));
    expect((await until(2)).slice(1)).toEqual([fault]);
  });

  it("takes a message that is as large as one may be", async () => {
    const text = "x".repeat(8 * 1024 * 1024);
    const { until } = await start(({ socket }) => socket.send(text));
    expect((await until(2))[1] === text).toBe(true);
  });

  it.each<[what: string, raw: Raw, fault: LinkFault]>([
    [
      "401",
      answer("401 Who"),
      { code: "unauthorized", status: 401, detail: named("401"), retryAfterMs: undefined },
    ],
    [
      "403",
      answer("403 No"),
      { code: "unauthorized", status: 403, detail: named("403"), retryAfterMs: undefined },
    ],
    [
      "503 and when to come again",
      answer("503 Busy", "retry-after: 7\r\n"),
      { code: "not-websocket", status: 503, detail: named("503"), retryAfterMs: 7000 },
    ],
    [
      "a handshake without its proof",
      (socket) =>
        void socket.end("HTTP/1.1 101 Go\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"),
      { code: "not-websocket", detail: named("Accept") },
    ],
    [
      "something else than HTTP",
      (socket) => void socket.end("220 smtp ready\r\n"),
      { code: "not-websocket", detail: named("HTTP") },
    ],
    ["nothing, and ends", (socket) => void socket.destroy(), { detail: named("hang up") }],
  ])("that gets %s ends with that", async (_, raw, fault) => {
    const { until } = await start(() => {}, raw);
    expect(await until(1)).toEqual([fault]);
  });

  it("waits ten seconds for an answer, and for none once it is open", async () => {
    let isAsked = false;
    const { clock, told, until } = await start(
      () => {},
      () => {
        isAsked = true;
      },
    );
    while (!isAsked) await new Promise(setImmediate);
    clock.advance(9999);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(await until(1)).toEqual([{ detail: named("10 s") }]);
    const open = await start(() => {});
    await open.until(1);
    expect(open.clock.pending).toBe(0);
  });

  it("whose proxy refuses says so, and one whose proxy is silent lets it go", async () => {
    const proxy = createServer();
    const ends: Promise<unknown>[] = [];
    let isSilent = false;
    proxy.on("connect", (_, socket: Duplex) => {
      socket.on("error", () => {});
      if (!isSilent) return void socket.end("HTTP/1.1 407 Who\r\n\r\n");
      ends.push(once(socket.resume(), "end"));
    });
    const environment = { http_proxy: `127.0.0.1:${await listen(proxy)}` };
    onTestFinished(() => void proxy.close());
    const url = "ws://exchange.invalid/v1/ws";
    const refused = open(url, {}, environment);
    expect(await refused.until(1)).toEqual([{ code: "proxy", status: 407, detail: named("407") }]);
    isSilent = true;
    const given = open(url, {}, environment);
    while (ends.length === 0) await new Promise(setImmediate);
    given.socket.terminate();
    await Promise.all(ends);
  });
});
