import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import type { LinkFault } from "../../src/wire/stream-event.ts";
import { OPCODE, rawFrame, sends, startRawService } from "../support/raw-service.ts";
import { closeServers, listen, open } from "../support/received-frames.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

afterEach(closeServers);

/** Starts a WebSocket service; `play` gets its side of each connection. */
function startService(play: (peer: WebSocket, headers: IncomingHttpHeaders) => void) {
  const server = createServer();
  const wss = new WebSocketServer({ server, path: "/v1/ws" });
  wss.on("connection", (peer, { headers }) => play(peer, headers));
  return listen(server);
}

/** Far more turns of the event loop than the end of a socket of this process takes. */
async function turns(): Promise<void> {
  for (let i = 0; i < 100; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe("the real socket", () => {
  test("sends its headers, tells messages in order and unchanged, and says how it was closed", async () => {
    let headers: IncomingHttpHeaders = {};
    const url = await startService((peer, sent) => {
      headers = sent;
      peer.on("message", (data) => {
        peer.send(`echo ${data}`);
        peer.send(Buffer.from([1, 2, 0xff]));
        peer.send(Buffer.from('{"type":"pong"}'));
        peer.send("ünïcode ✓");
        peer.close(4001, "enough");
      });
    });
    const { received, fault } = await open(url, (socket) => socket.send("hi"));
    expect(headers["x-key"]).toBe("secret");
    expect(headers["sec-websocket-extensions"]).toBeUndefined();
    expect(received).toEqual(["open", "echo hi", "binary 3", '{"type":"pong"}', "ünïcode ✓"]);
    expect(fault).toEqual({
      code: "closed",
      detail: "closed by the service with code 4001: enough",
    });
  });

  test("passes on the pong of its ping", async () => {
    const url = await startService((peer) =>
      peer.on("ping", () => setImmediate(() => peer.close())),
    );
    const { received } = await open(url, (socket) => socket.ping());
    expect(received).toEqual(["open", "pong"]);
  });

  test("loses no message when more come than one turn may read", async () => {
    const count = 20_000;
    const url = await startService((peer) => {
      for (let i = 0; i < count; i++) peer.send(`${i}`);
      peer.close();
    });
    const { received } = await open(url);
    expect(received.slice(1)).toEqual(Array.from({ length: count }, (_, i) => `${i}`));
  });

  test("ends by itself when it is terminated", async () => {
    const url = await startService(() => {});
    const { fault } = await open(url, (socket) => socket.terminate());
    expect(fault.code).toBe("closed");
  });

  test("leaves a service that said goodbye and does not go", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const received: string[] = [];
      await new Promise<void>((onAnswer) => {
        const goodbye = sends(rawFrame(OPCODE.close, Buffer.from([0x03, 0xe8])));
        startRawService(goodbye, () => onAnswer())
          .then((url) => open(url))
          .then(({ fault }) => received.push(fault.detail));
      });
      vi.advanceTimersByTime(1999);
      await turns();
      expect(received).toEqual([]);
      vi.advanceTimersByTime(1);
      await turns();
      expect(received).toEqual(["closed by the service with code 1000 (normal closure)"]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a connection that cannot be opened", () => {
  const answers = (status: number, headers: OutgoingHttpHeaders) =>
    listen(createServer((_, response) => response.writeHead(status, headers).end("<html>")));

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
    const { received, fault } = await open(await answers(status, { location: "/" }));
    expect(received).toEqual([]);
    expect(fault).toMatchObject({ code, status });
  });

  test("passes on how long it is asked to stay away, in seconds or as a date", async () => {
    const at = Date.UTC(2026, 0, 1);
    const date = new Date(at).toUTCString();
    const inSeconds = await answers(503, { "retry-after": "7" });
    const asDate = await answers(503, { date, "retry-after": new Date(at + 9000).toUTCString() });
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

  test("reads no more of an answer to the handshake than headers need", async () => {
    const url = await listen(
      createTcpServer((socket) => {
        socket.on("error", () => {});
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nX-Long: ${"x".repeat(1024 * 1024)}`);
      }),
    );
    expect((await open(url)).fault).toMatchObject({
      code: "not-websocket",
      detail: "Parse Error: Header overflow",
    });
  });

  test("says that the other side speaks no HTTP at all", async () => {
    const url = await listen(createTcpServer((socket) => socket.end("SSH-2.0-OpenSSH\r\n")));
    expect((await open(url)).fault.code).toBe("not-websocket");
  });
});
