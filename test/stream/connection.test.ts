import { describe, expect, test } from "vitest";
import { Connection } from "../../src/stream/connection.ts";
import type { OpenSocket, SocketHandlers } from "../../src/stream/socket.ts";
import { createRandom } from "../../src/units/random.ts";
import { ScriptedService } from "../support/scripted-service.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const NO_SOCKET = { send() {}, ping() {}, terminate() {} };

function start(openSocket?: OpenSocket) {
  const clock = createVirtualClock();
  const service = new ScriptedService();
  const log: string[] = [];
  const attempts: number[] = [];
  const connection = new Connection({
    openSocket: (handlers) => {
      attempts.push(clock.now());
      return (openSocket ?? service.connect)(handlers);
    },
    clock,
    random: createRandom(1),
    onLink() {},
    onOpen: () => log.push("open"),
    onMessage: (message) => log.push(message),
    onBinary: (length) => log.push(`binary ${length}`),
    onDown: () => log.push("down"),
  });
  connection.open();
  return { clock, service, log, attempts, connection };
}

describe("connection", () => {
  test("delivers messages of an open connection and says that it is alive", () => {
    const { clock, service, log, connection } = start();
    service.last.accept();
    clock.advance(500);
    service.last.send("hi");
    expect(log).toEqual(["open", "hi"]);
    expect(connection.link).toMatchObject({ state: "open", reconnects: 0, aliveAtMs: 500 });
  });

  test("opens a new connection at once when a good one ends, and counts it", () => {
    const { clock, service, log, attempts, connection } = start();
    service.last.accept();
    connection.noteDelivery();
    clock.advance(60_000);
    service.last.end();
    expect(connection.link).toMatchObject({ state: "waiting", fault: { code: "closed" } });
    clock.advance(0);
    service.last.accept();
    expect(attempts).toEqual([0, 60_000]);
    expect(connection.link).toMatchObject({ state: "open", reconnects: 1, retryAtMs: undefined });
    expect(log).toEqual(["open", "down", "open"]);
  });

  test("waits longer after each failure, and says when the next attempt starts", () => {
    const { clock, service, attempts, connection } = start();
    for (let i = 0; i < 12; i++) {
      service.last.end("refused");
      const { retryAtMs } = connection.link;
      clock.advance((retryAtMs ?? 0) - clock.now());
      expect(attempts.at(-1)).toBe(retryAtMs);
    }
    const gaps = attempts.slice(1).map((at, i) => at - (attempts[i] ?? 0));
    expect(gaps[0]).toBe(250);
    for (let i = 1; i < 7; i++) expect(gaps[i]).toBeGreaterThanOrEqual(500 * 2 ** (i - 2));
    for (const gap of gaps.slice(7)) expect(gap).toBeGreaterThanOrEqual(15_000);
  });

  test.each([
    ["refuses each connection", false, false],
    ["accepts and closes at once", true, false],
    ["delivers something and closes", true, true],
  ])(
    "makes at most 200 attempts an hour, never two sockets at once, when the service %s",
    (_, accepts, delivers) => {
      const { clock, service, attempts, connection } = start();
      while (clock.now() < 3_600_000) {
        if (delivers) connection.noteDelivery();
        if (accepts) service.last.accept();
        service.last.end(accepts ? "closed" : "refused");
        expect(service.peers.filter(({ isOver }) => !isOver)).toEqual([]);
        clock.advance((connection.link.retryAtMs ?? 0) - clock.now());
      }
      expect(attempts.length).toBeLessThanOrEqual(200);
      const gaps = attempts.slice(1).map((at, i) => at - (attempts[i] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(250);
    },
  );

  test("a hundred clients of a service that is restarted spread out: after a quarter of a minute no second has a fifth of them", () => {
    const clock = createVirtualClock();
    const attempts: number[] = [];
    const good: SocketHandlers[] = [];
    for (let client = 1; client <= 100; client++) {
      const openSocket: OpenSocket = (handlers) => {
        if (good.length < client) good.push(handlers);
        else {
          attempts.push(clock.now());
          clock.soon(() => handlers.onEnd({ code: "refused", detail: "" }));
        }
        return NO_SOCKET;
      };
      const handlers = { onLink() {}, onOpen() {}, onMessage() {}, onBinary() {}, onDown() {} };
      new Connection({ openSocket, clock, random: createRandom(client), ...handlers }).open();
    }
    for (const handlers of good) handlers.onEnd({ code: "closed", detail: "restart" });
    clock.advance(120_000);
    const inSecond = (second: number) =>
      attempts.filter((at) => Math.floor(at / 1000) === second).length;
    for (let second = 15; second < 120; second++) {
      expect(inSecond(second), `second ${second}`).toBeLessThan(20);
    }
  });

  test("stays away as long as the service asks with Retry-After, up to five minutes", () => {
    const { connection } = start((handlers) => {
      handlers.onEnd({ code: "not-websocket", detail: "503", status: 503, retryAfterMs: 9e9 });
      return NO_SOCKET;
    });
    expect(connection.link).toMatchObject({ state: "waiting", retryAtMs: 300_000 });
  });

  test("finds a dead link by its missing pong, ends it and connects again", () => {
    const { clock, service, log, connection } = start();
    service.last.accept();
    service.last.answersPings = false;
    clock.advance(20_000);
    expect(service.peers[0]?.isOver).toBe(true);
    expect(log).toEqual(["open", "down"]);
    expect(connection.link.fault?.code).toBe("silent");
    clock.advance(1000);
    expect(service.peers.length).toBe(2);
  });

  test("receives nothing from an older connection", () => {
    const { clock, service, log } = start();
    service.last.accept();
    const old = service.last;
    old.end();
    clock.advance(1000);
    service.last.accept();
    old.send("a ghost");
    old.end();
    expect(log).toEqual(["open", "down", "open"]);
  });

  test("is silent and leaves no timer behind once it is closed", () => {
    const { clock, service, log, connection } = start();
    service.last.accept();
    connection.close();
    service.last.send("too late");
    clock.advance(100_000);
    expect(connection.link.state).toBe("closed");
    expect(log).toEqual(["open"]);
    expect(clock.pending).toBe(0);
    expect(service.peers.length).toBe(1);
  });
});
