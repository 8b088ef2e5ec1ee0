// The connection: spaced commands, lateness, proxies.
import { describe, expect, it } from "vitest";
import { createConnection } from "../../src/stream/connection.ts";
import { createLag, type Lag, noteStamp } from "../../src/stream/lag.ts";
import { createLink } from "../../src/stream/link.ts";
import type { SocketHandlers } from "../../src/stream/socket.ts";
import { proxyFor } from "../../src/system/proxy.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

describe("commands", () => {
  /** A service that closes the connection for more than five commands at once. */
  function start(spacingMs = 0) {
    const clock = createVirtualClock();
    const link = createLink();
    const sentAtMs: number[] = [];
    const spacings: number[] = [];
    const pings: number[] = [];
    let isHeld = false;
    let handlers: SocketHandlers | undefined;
    const connection = createConnection({
      ...{ clock, link, spacingMs, random: () => 0.5 },
      openSocket: (given) => {
        handlers = given;
        isHeld = false;
        clock.after(10, () => given.onOpen());
        return {
          send: () => sentAtMs.push(clock.now()),
          ping() {
            pings.push(clock.now());
            if (!isHeld) given.onPong();
          },
          hold(isHeldNow) {
            isHeld = isHeldNow;
            if (!isHeld) given.onPong();
          },
          terminate() {},
        };
      },
      onOpen() {
        for (let i = 0; i < 6; i++) connection.send("subscribe");
      },
      onMessage() {},
      onBinary() {},
      onDown() {},
      onSpacing: (ms) => spacings.push(ms),
    });
    connection.open();
    const close = (closeCode: number) => handlers?.onEnd({ closeCode, detail: "closed" });
    return { clock, sentAtMs, spacings, close, connection, link, pings, isHeld: () => isHeld };
  }

  it("go out at once", () => {
    const { clock, sentAtMs, connection } = start();
    clock.advance(100);
    expect(sentAtMs).toEqual([10, 10, 10, 10, 10, 10]);
    for (let i = 0; i < 3; i++) connection.send("subscribe");
    expect(sentAtMs.slice(6)).toEqual([100, 100, 100]);
  });

  it("are spaced after the service closed a connection for a burst, wider each time", () => {
    const { clock, sentAtMs, spacings, close, connection } = start();
    clock.advance(100);
    sentAtMs.length = 0;
    close(1008);
    clock.advance(5000);
    const gaps = () => sentAtMs.slice(1).map((atMs, i) => atMs - (sentAtMs[i] ?? 0));
    expect(gaps()).toEqual([200, 200, 200, 200, 200]);
    close(1000);
    expect(spacings).toEqual([200]);
    clock.advance(700);
    sentAtMs.length = 0;
    close(1008);
    clock.advance(6000);
    expect(spacings).toEqual([200, 400]);
    expect(gaps()).toEqual([400, 400, 400, 400, 400]);
    sentAtMs.length = 0;
    for (let i = 0; i < 3; i++) connection.send("subscribe");
    expect(sentAtMs).toHaveLength(1);
    clock.advance(6000);
    expect(gaps()).toEqual([400, 400]);
  });

  it("are spaced no more when the service closes for something else, whatever their spacing", () => {
    const { clock, sentAtMs, spacings, close } = start();
    for (let i = 0; i < 6; i++) {
      sentAtMs.length = 0;
      while (sentAtMs.length < 6) clock.advance(10);
      close(4001);
    }
    expect(spacings).toEqual([200, 400, 800, 1600, 3200, 0]);
  });

  it("of a connection that is not read keep it alive, and await no answer; one that follows it is not read either", () => {
    const { clock, connection, link, pings, close, isHeld } = start();
    clock.advance(100);
    connection.hold(true);
    clock.advance(600_000);
    expect(link).toMatchObject({ state: "open", reconnects: 0 });
    expect(pings.length).toBeGreaterThan(50);
    close(1008);
    clock.advance(60_000);
    expect(link).toMatchObject({ state: "open", reconnects: 1 });
    expect(isHeld()).toBe(true);
    connection.hold(false);
    clock.advance(60_000);
    expect(link).toMatchObject({ state: "open", reconnects: 1 });
  });

  it("stay as they are after another end", () => {
    const { clock, spacings, close } = start();
    clock.advance(100);
    close(1012);
    clock.advance(100);
    expect(spacings).toEqual([]);
  });
});

describe("a connection", () => {
  function start() {
    const clock = createVirtualClock();
    const link = createLink();
    const told: unknown[] = [];
    const opened: SocketHandlers[] = [];
    const connection = createConnection({
      ...{ clock, link, spacingMs: 0, random: () => 1 },
      openSocket: (given) => {
        opened.push(given);
        return {
          send: (command) => told.push(command),
          ping: () => told.push("ping"),
          hold: (isHeld) => told.push(`hold ${isHeld}`),
          terminate: () => told.push("terminate"),
        };
      },
      onOpen: () => told.push("open"),
      onMessage: (message, nowMs) => told.push(`${message} ${nowMs}`),
      onBinary: (length, nowMs) => told.push(`${length} ${nowMs}`),
      onDown: (fault) => told.push(fault),
      onSpacing() {},
    });
    connection.open();
    const socket = () => opened.at(-1) as SocketHandlers;
    /** Opens it, and answers its ping. */
    const open = () => {
      socket().onOpen();
      socket().onPong();
      told.length = 0;
    };
    return { clock, link, told, opened, connection, socket, open };
  }
  const stamp = (ms: number) => `${ms}000000`;

  it("says what comes with its time, and nothing of a socket that has ended", () => {
    const { clock, link, told, opened, socket, open } = start();
    expect(link).toMatchObject({ state: "connecting", isLate: false });
    const first = socket();
    first.onOpen();
    expect(told).toEqual(["ping", "open"]);
    clock.advance(30);
    first.onPong();
    clock.advance(40);
    first.onPong();
    expect(link).toMatchObject({ state: "open", roundTripMs: 30, aliveAtMs: 70, reconnects: 0 });
    first.onMessage("a");
    first.onBinary(7);
    first.onEnd({ detail: "gone" });
    expect(told.slice(2)).toEqual(["a 70", "7 70", "terminate", "gone"]);
    expect(link).toMatchObject({ state: "waiting", retryAtMs: 250, fault: { detail: "gone" } });
    clock.advance(500);
    expect(link).toMatchObject({ state: "connecting", retryAtMs: undefined });
    told.length = 0;
    first.onOpen();
    first.onMessage("b");
    first.onBinary(1);
    first.onEnd({ detail: "again" });
    expect([told, opened.length, link.state]).toEqual([[], 2, "connecting"]);
    open();
    expect(link).toMatchObject({ state: "open", reconnects: 1, fault: undefined });
  });

  it.each<[what: string, liveMs: number, delivers: boolean, delays: number[]]>([
    ["delivered nothing", 60_000, false, [0, 500, 1000]],
    ["delivered for less than five seconds", 4999, true, [0, 500, 1000]],
    ["delivered for five seconds", 5000, true, [0, 0, 0]],
  ])("that %s is tried again after a time", (_, liveMs, delivers, delays) => {
    const { clock, link, connection, socket, open } = start();
    for (const delayMs of delays) {
      open();
      if (delivers) connection.noteFrame(stamp(clock.now()), clock.now());
      for (let ms = 0; ms < liveMs; ms += 1000) {
        clock.advance(Math.min(1000, liveMs - ms));
        socket().onPong();
      }
      socket().onEnd({ detail: "gone" });
      expect((link.retryAtMs ?? 0) - clock.now()).toBe(delayMs);
      clock.advance(delayMs);
    }
  });

  it("waits as long as the service asks, up to five minutes", () => {
    const { clock, link, socket } = start();
    for (const [retryAfterMs, delayMs] of [
      [7000, 7000],
      [3_600_000, 300_000],
    ]) {
      socket().onEnd({ detail: "busy", retryAfterMs });
      expect((link.retryAtMs ?? 0) - clock.now()).toBe(delayMs);
      clock.advance(delayMs ?? 0);
    }
  });

  it("pings every ten seconds or sooner where hello says so, once until it is answered, and ends without an answer", () => {
    const { clock, told, link, connection, socket, open } = start();
    connection.ping();
    expect(told).toEqual([]);
    open();
    clock.advance(9999);
    expect(told).toEqual([]);
    clock.advance(1);
    connection.ping();
    expect(told).toEqual(["ping"]);
    socket().onPong();
    connection.setHello(3, 16_000);
    clock.advance(4000);
    expect([told.length, link.protocolVersion]).toEqual([2, 3]);
    clock.advance(9999);
    expect(link.state).toBe("open");
    clock.advance(1);
    expect(told.slice(2)).toEqual(["terminate", "no pong in 10 s"]);
  });

  it.each([
    [5000, "open"],
    [5001, "connecting"],
  ])("after a sleep of %i ms is %s", (ms, state) => {
    const { clock, link, open } = start();
    open();
    clock.sleep(ms);
    clock.advance(1000);
    expect(link.state).toBe(state);
  });

  it("is opened again where frames are stuck, and not again within five minutes", () => {
    const { clock, link, told, connection, socket, open } = start();
    /** Frames that come ever later, for a minute. */
    const lag = () => {
      const beganAtMs = clock.now();
      for (let s = 0; s < 60; s++) {
        connection.noteFrame(stamp(beganAtMs + s * 800), clock.now());
        if (link.state !== "open") return;
        clock.advance(1000);
        socket().onPong();
      }
    };
    open();
    lag();
    expect(link).toMatchObject({ state: "waiting", isLate: false, lagMs: 0 });
    expect(told.at(-1)).toMatch(/^frames came \d+ s late$/);
    clock.advance(500);
    open();
    lag();
    expect(link).toMatchObject({ state: "open", isLate: true });
    for (let times = 0; times < 6; times++) lag();
    expect(link.state).toBe("waiting");
  });

  it("that is closed stays so", () => {
    const { clock, link, told, connection, open, socket } = start();
    open();
    connection.send("subscribe");
    socket().onEnd({ detail: "gone" });
    connection.send("lost");
    connection.close();
    clock.advance(60_000);
    expect(link).toMatchObject({ state: "closed", retryAtMs: undefined });
    expect(told).toEqual(["subscribe", "terminate", "gone"]);
    expect(clock.pending).toBe(0);
  });
});

describe("lateness", () => {
  it("shows when new frames come ever later, and ends when they have caught up", () => {
    const lag = createLag();
    let [stampMs, nowMs] = [0, 0];
    const take = (frames: number, everyMs: number) => {
      for (let i = 0; i < frames; i++) {
        stampMs += 1000;
        nowMs += everyMs;
        noteStamp(lag, stampMs, nowMs);
      }
      return lag.isLate;
    };
    expect(take(20, 1000)).toBe(false);
    // Only three of four seconds come in a second of ours.
    expect(take(60, 1333)).toBe(true);
    expect(take(40, 300)).toBe(false);
    // All of it 3 s late, which is no reason for another connection.
    nowMs += 3000;
    expect([take(2, 1000), take(60, 1000), lag.isStuck]).toEqual([false, true, false]);
  });

  it.each([
    [2000, 60_000, false, false],
    [2001, 2900, false, false],
    [2001, 3000, true, false],
    [5000, 60_000, true, false],
    [5001, 29_900, true, false],
    [5001, 30_000, true, true],
  ])("of %i ms for %i ms is late: %s, stuck: %s", (lagMs, forMs, isLate, isStuck) => {
    const lag = createLag();
    noteStamp(lag, 1000, 0);
    for (let ms = 100; ms <= forMs + 100; ms += 100) noteStamp(lag, 1000 + ms, ms + lagMs);
    expect(lag).toMatchObject({ lagMs, isLate, isStuck });
  });

  /** Frames that come late by so much, one a tenth of a second, and what is said at their end. */
  const takeLate = (lag: Lag, stampMs: number, lateMs: number) => {
    for (let ms = 0; ms < 10_000; ms += 100) noteStamp(lag, stampMs + ms, stampMs + ms + lateMs);
    return lag.isLate;
  };

  it("is none where a quiet channel repeats the newest stamp or old ones, and is not ended by them", () => {
    const lag = createLag();
    expect(takeLate(lag, 100_000, 0)).toBe(false);
    for (let ms = 0; ms < 10_000; ms += 100) noteStamp(lag, 109_900, 110_000 + ms);
    expect(lag).toMatchObject({ isLate: false, lagMs: 0 });
    expect(takeLate(lag, 200_000, 3000)).toBe(true);
    for (let i = 0; i < 60; i++) noteStamp(lag, 207_900, 213_000);
    for (let i = 0; i < 19; i++) noteStamp(lag, 100_000, 213_000);
    expect(takeLate(lag, 210_000, 3000)).toBe(true);
  });

  it("begins anew where the service's clock is set back", () => {
    const lag = createLag();
    expect(takeLate(lag, 200_000, 3000)).toBe(false);
    for (let i = 0; i < 20; i++) noteStamp(lag, 100_000 + i, 213_000 + i);
    expect(lag.lagMs).toBe(0);
    noteStamp(lag, 100_100, 216_100);
    expect(lag.lagMs).toBe(3000);
  });

  it("is none where the clocks drift slowly apart", () => {
    const lag = createLag();
    for (let minute = 0; minute < 600; minute++) {
      noteStamp(lag, 59_990 * minute, 60_000 * minute);
      expect(lag.isLate).toBe(false);
    }
  });
});

describe("a proxy", () => {
  const wss = new URL("wss://api.example.com/v1/ws");
  const ws = new URL("ws://10.0.0.1:8080/v1/ws");
  const six = new URL("ws://[fd00::7]:8080/v1/ws");
  const here = new URL("ws://127.0.0.1:8080/v1/ws");

  it.each<[URL, Record<string, string>, string | undefined]>([
    [wss, {}, undefined],
    [wss, { HTTPS_PROXY: "http://proxy:3128" }, "http://proxy:3128/"],
    [wss, { https_proxy: "proxy:3128" }, "http://proxy:3128/"],
    [wss, { HTTP_PROXY: "http://proxy:3128" }, undefined],
    [ws, { HTTP_PROXY: "http://proxy:3128" }, "http://proxy:3128/"],
    [wss, { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: "example.com" }, undefined],
    [wss, { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: ".example.com, x" }, undefined],
    [wss, { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: "ample.com" }, "http://proxy:3128/"],
    [wss, { HTTPS_PROXY: "http://proxy:3128", no_proxy: "*" }, undefined],
    [ws, { HTTP_PROXY: "http://proxy:3128", NO_PROXY: "10.0.0.1:80" }, "http://proxy:3128/"],
    [ws, { HTTP_PROXY: "http://proxy:3128", NO_PROXY: "10.0.0.1:8080" }, undefined],
    [six, { HTTP_PROXY: "http://proxy:3128", NO_PROXY: "fd00::7" }, undefined],
    [six, { HTTP_PROXY: "http://proxy:3128", NO_PROXY: "fd01::7" }, "http://proxy:3128/"],
    [here, { HTTP_PROXY: "http://proxy:3128" }, undefined],
    [here, { HTTP_PROXY: "http://proxy:3128", NO_PROXY: "x" }, undefined],
  ])("for %s in %o", (address, environment, proxy) => {
    expect(proxyFor(address, environment)?.url.href).toBe(proxy);
  });
});
