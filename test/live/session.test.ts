// The session against services that do as a test says, in virtual time.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession, type SessionEvent, type SessionOptions } from "../../src/live/session.ts";
import { accountJson, marketJson } from "../../src/print/json.ts";
import { channelState } from "../../src/state/channel-state.ts";
import { serviceMs } from "../../src/state/moment.ts";
import { createRandom } from "../../src/units/random.ts";
import { formatJson } from "../../src/wire/json.ts";
import { ADDRESS, level, message, trade } from "../support/frames.ts";
import { type Script, ScriptedService } from "../support/scripted-service.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const MIDNIGHT = Date.UTC(2026, 0, 1);
const BOOK = "orderbook/perp/1";
const BBO = "bbo/perp/1";
const TRADES = "trades/perp/1";
const ACCOUNT = `account/${ADDRESS}/0`;

const book = (...bids: number[]) => ({
  orderbook: { bids: bids.map((price) => level(price, 1)), asks: [level(100, 1)] },
});
const bbo = (bid: number) => ({ bbo: { bid: level(bid, 1), ask: level(100, 1) } });

function start(script: Script, channels: readonly string[], more: Partial<SessionOptions> = {}) {
  const clock = createVirtualClock();
  const service = new ScriptedService({ clock, ...script });
  const events: SessionEvent[] = [];
  const texts: string[] = [];
  const session = openSession({
    url: "ws://service/v1/ws",
    openSocket: service.connect,
    ...{ clock, random: createRandom(1), channels, learnedPath: undefined },
    onEvent: (event) => events.push(event),
    onUpdate: ({ text }) => texts.push(text),
    ...more,
  });
  const { store } = session;
  return {
    ...{ clock, service, events, texts, session, store },
    named: (name: string) => events.filter(({ event }) => event === name),
    state: (channel: string) => channelState(store.channels.get(channel), store.link, clock.now()),
    counts: (channel: string) => store.channels.get(channel)?.counts,
    json: () =>
      JSON.parse(
        formatJson(marketJson({ store, nowMs: clock.now() }, { market: "perp/1", interval: "1m" })),
      ),
    account: () =>
      JSON.parse(formatJson(accountJson({ store, nowMs: clock.now() }, `${ADDRESS}/0`))),
    bids: () =>
      (store.states.get(BOOK) as { bids: { price_ticks: string }[] } | undefined)?.bids.map(
        ({ price_ticks }) => price_ticks,
      ),
  };
}

describe("a session", () => {
  it("subscribes when hello has come, and shows what it gets", () => {
    const run = start({ channels: { [BOOK]: () => book(9, 8) } }, [BOOK]);
    expect(run.state(BOOK)).toBe("waiting");
    run.clock.advance(300);
    expect(run.bids()).toEqual(["9", "8"]);
    expect(run.state(BOOK)).toBe("live");
    run.service.publish(BOOK, book(9, 7));
    run.clock.advance(2000);
    expect(run.state(BOOK)).toBe("quiet");
    expect(run.json()).toMatchObject({
      orderbook: { sequence: "1003" },
      panes: { orderbook: { state: "quiet", gaps: 0, refreshes: 0 } },
      link: { state: "open", reconnects: 0, protocol_version: 1 },
    });
  });

  it("does not wait for a hello that never comes, and not at all a second time", () => {
    const run = start({ onOpen() {}, channels: { [BOOK]: () => book(9) } }, [BOOK]);
    run.clock.advance(900);
    expect(run.bids()).toBeUndefined();
    run.clock.advance(300);
    expect(run.bids()).toEqual(["9"]);
    run.service.last.end();
    run.clock.advance(1000);
    const before = run.service.last.takeCommands();
    expect(before).toEqual([`subscribe ${BOOK}`]);
  });

  it("asks again at once after a gap, shows a resync, and is right again", () => {
    const run = start({ channels: { [BOOK]: () => book(9, 8) } }, [BOOK]);
    run.clock.advance(300);
    run.service.publish(BOOK, undefined);
    run.service.publish(BOOK, book(7));
    run.clock.advance(30);
    expect(run.state(BOOK)).toBe("resync");
    expect(run.bids()).toEqual(["9", "8"]);
    run.clock.advance(200);
    expect(run.state(BOOK)).toBe("live");
    expect(run.counts(BOOK)).toMatchObject({ gaps: 1, resyncs: 1 });
    expect(run.named("gap")).toHaveLength(1);
  });

  it("refreshes an account half a minute after it became live, and every quarter of an hour", () => {
    const account = { account: { equity: "1" }, orders: [] };
    const run = start({ channels: { [ACCOUNT]: () => account } }, [ACCOUNT]);
    run.clock.advance(29_000);
    expect(run.counts(ACCOUNT)?.refreshes).toBe(0);
    run.clock.advance(4000);
    expect(run.counts(ACCOUNT)).toMatchObject({ refreshes: 1, resyncs: 0, gaps: 0 });
    run.clock.advance(890_000);
    expect(run.counts(ACCOUNT)?.refreshes).toBe(1);
    run.clock.advance(20_000);
    expect(run.counts(ACCOUNT)?.refreshes).toBe(2);
  });

  it("comes back at once after a connection that lived, and slower and slower where there is none", () => {
    const run = start({ channels: { [BBO]: () => bbo(9) } }, [BBO]);
    for (let times = 1; times < 5; times++) {
      run.clock.advance(6000);
      run.service.last.end();
      run.clock.advance(500);
      expect(run.store.link).toMatchObject({ state: "open", reconnects: times });
    }
    expect(run.state(BBO)).toBe("live");
    expect(run.store.link.roundTripMs).toBeLessThan(500);
    const refused = start({ channels: {}, refuse: () => ({ detail: "no" }) }, [BBO]);
    refused.clock.advance(3_600_000);
    expect(refused.state(BBO)).toBe("offline");
    expect(refused.service.peers.length).toBeLessThan(260);
    expect(refused.store.link).toMatchObject({ state: "waiting", fault: { detail: "no" } });
  });

  it("ends a link that answers nothing, and one over which the machine slept", () => {
    const run = start({ channels: { [BBO]: () => bbo(9) } }, [BBO]);
    run.clock.advance(1000);
    run.service.last.answersPings = false;
    run.clock.advance(18_000);
    expect(run.service.peers).toHaveLength(1);
    run.clock.advance(4000);
    expect(run.service.peers).toHaveLength(2);
    expect(run.named("disconnected")[0]?.detail).toContain("no pong");
    run.clock.sleep(4500);
    run.clock.advance(3000);
    expect(run.service.peers).toHaveLength(2);
    run.clock.sleep(60_000);
    expect(run.json().panes.bbo.age_ms).toBeGreaterThan(60_000);
    run.clock.advance(3000);
    expect(run.service.peers).toHaveLength(3);
    expect(run.named("disconnected")[1]?.detail).toContain("60 s without us");
  });

  it("knows the service's time whatever our clock is set to, before and behind a sleep", () => {
    const run = start({ channels: { [BBO]: () => bbo(9) } }, [BBO]);
    const { store, clock } = run;
    const apart = () => {
      const moment = { store, nowMs: clock.now(), wallMs: clock.wall() };
      return Math.abs(serviceMs(moment) - (MIDNIGHT + clock.now()));
    };
    run.clock.advance(1000);
    expect(apart()).toBeLessThan(100);
    run.clock.jumpWall(3_600_000);
    run.clock.advance(8000);
    expect(apart()).toBeLessThan(100);
    expect(run.named("disconnected")).toEqual([]);
    run.service.last.end();
    run.clock.sleep(7_200_000);
    expect(apart()).toBeLessThan(100);
  });

  it("leaves channels and comes back to them", () => {
    const run = start({ channels: { [BOOK]: () => book(9), [BBO]: () => bbo(9) } }, [BOOK, BBO]);
    run.clock.advance(300);
    run.session.setChannels([BBO]);
    run.session.setChannels([BBO, BOOK]);
    run.clock.advance(300);
    expect(run.service.last.takeCommands().slice(2)).toEqual([
      `unsubscribe ${BOOK}`,
      `subscribe ${BOOK}`,
    ]);
    expect(run.bids()).toEqual(["9"]);
    expect(run.counts(BOOK)).toMatchObject({ gaps: 0 });
    run.session.setChannels([]);
    run.clock.advance(300);
    expect([...run.store.states.keys()]).toEqual([]);
    expect([...run.service.last.channels]).toEqual([]);
  });

  it("holds nothing but plain data, so that a copy of all of it stays as it is", () => {
    const account = { orders: [{ order_id: 1, status: "open" }], fills: [{ trade_id: 1 }] };
    const channels = { [BOOK]: () => book(9), [ACCOUNT]: () => account };
    const run = start({ channels }, [BOOK, ACCOUNT]);
    run.clock.advance(300);
    const copy = structuredClone(run.store);
    expect(copy).toEqual(run.store);
    run.service.publish(BOOK, book(8));
    run.clock.advance(300);
    expect(copy).not.toEqual(run.store);
  });

  it("hides the values of headers in what it passes on", () => {
    const redact = (text: string) => text.replaceAll("secret-token", "[hidden]");
    const run = start({ channels: { [BBO]: () => ({ ...bbo(9), echo: "secret-token" }) } }, [BBO], {
      redact,
    });
    run.clock.advance(300);
    expect(run.texts[0]).toContain("[hidden]");
    run.service.last.error(400, undefined, "what is secret-token");
    run.clock.advance(100);
    expect(formatJson(run.events)).not.toContain("secret-token");
  });

  it("remembers what it learned for the next run", () => {
    const learnedPath = join(folderOfTest(), "dialect.json");
    const run = start({ channels: { [BOOK]: () => book(9) } }, [BOOK], { learnedPath });
    run.clock.advance(300);
    run.service.publish(BOOK, book(8));
    run.clock.advance(300);
    expect(run.store.dialect.nullPrevious).toMatchObject({ value: "snapshot", source: "learned" });
    expect(JSON.parse(readFileSync(learnedPath, "utf8"))).toHaveProperty([
      "ws://service/v1/ws",
      "nullPrevious",
      "value",
    ]);
    const next = start({}, [BOOK], { learnedPath });
    expect(next.store.dialect.nullPrevious.value).toBe("snapshot");
  });
});

describe("a book", () => {
  it("that no price of the bbo fits is asked for again, and believed where that helps", () => {
    let isWrong = true;
    const run = start({ channels: { [BOOK]: () => book(isWrong ? 5 : 9), [BBO]: () => bbo(9) } }, [
      BOOK,
      BBO,
    ]);
    for (let i = 0; i < 30; i++) {
      run.clock.advance(100);
      run.service.publish(BBO, bbo(9));
      run.service.publish(BOOK, { orderbook: { bids: [], asks: [level(101, i + 1)] } });
      if (run.named("contradiction").length > 0) isWrong = false;
    }
    expect(run.named("contradiction")).toHaveLength(1);
    expect(run.bids()).toEqual(["9"]);
    expect(run.store.dialect.book.source).toBe("assumed");
  });

  it("that is wrong again and again is not believed, and says so", () => {
    const run = start({ channels: { [BOOK]: () => book(5), [BBO]: () => bbo(9) } }, [BOOK, BBO]);
    for (let i = 0; i < 300; i++) {
      run.clock.advance(100);
      run.service.publish(BBO, bbo(9));
      run.service.publish(BOOK, { orderbook: { bids: [], asks: [level(101, i + 1)] } });
    }
    expect(run.state(BOOK)).toBe("resync");
    expect(run.json().dialect.book.source).toBe("contradicted");
    expect(run.counts(BOOK)?.refreshes).toBeLessThan(5);
  });

  it("is never shown as live while it is crossed", () => {
    const run = start({ channels: { [BOOK]: () => book(9) } }, [BOOK]);
    run.clock.advance(300);
    run.service.publish(BOOK, { orderbook: { bids: [level(100, 1)], asks: [] } });
    run.clock.advance(100);
    expect(run.state(BOOK)).toBe("resync");
    run.service.publish(BOOK, { orderbook: { bids: [level(100, 0)], asks: [] } });
    run.clock.advance(100);
    expect(run.state(BOOK)).toBe("live");
  });
});

describe("bad input", () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ order_id: `${i}`, symbol: "BTC", status: "open" }));

  it("is counted and asked for again, and changes nothing that is held", () => {
    const run = start({ channels: { [BOOK]: () => book(9, 8) } }, [BOOK]);
    run.clock.advance(300);
    for (const text of [
      "{",
      "[]",
      '{"type":"update"}',
      message(BOOK, {}, { sequence: "5" }),
      "\u0000",
    ])
      run.service.last.send(text);
    run.clock.advance(100);
    expect(run.bids()).toEqual(["9", "8"]);
    expect(run.named("rejected")).toHaveLength(5);
    run.clock.advance(35_000);
    expect(run.state(BOOK)).toBe("quiet");
  });

  it.each<[string, Script]>([
    ["malformed frames", { onOpen: (peer) => peer.hello() }],
    ["errors without channel", { onOpen: (peer) => peer.hello() }],
  ])("without end leads to few commands: %s", (what, script) => {
    const run = start({ channels: { [BOOK]: () => book(9) }, ...script }, [BOOK]);
    let commands = 0;
    for (let second = 0; second < 600; second++) {
      run.clock.advance(1000);
      if (what === "malformed frames") run.service.last.send('{"type":"update","channel":');
      else run.service.last.error(500);
      commands += run.service.last.takeCommands().length;
    }
    expect(commands).toBeLessThan(40);
  });

  it("of twenty thousand rows is held, and no more than that", () => {
    const run = start({ channels: { [ACCOUNT]: () => ({ orders: rows(25_000) }) } }, [ACCOUNT]);
    run.clock.advance(300);
    expect(run.account().account.orders).toHaveLength(20_000);
    run.service.publish(ACCOUNT, { orders: rows(10) });
    run.clock.advance(300);
    expect(run.account().account.orders).toHaveLength(20_000);
  });

  it("of rows of other types, without keys and with the same key twice stands side by side", () => {
    const orders = [
      { order_id: 1, symbol: "A", status: "open" },
      { order_id: "1", symbol: "A", status: "open", x: {} },
      { order_id: [1], symbol: {}, status: 7 },
      {},
      {},
    ];
    const run = start({ channels: { [ACCOUNT]: () => ({ orders, account: {} }) } }, [ACCOUNT]);
    run.clock.advance(300);
    expect(run.account().account.orders).toHaveLength(5);
  });

  it("of sequences that go back is a gap, unless a frame names the one before", () => {
    const run = start({ channels: { [TRADES]: () => ({ trades: [trade(1, 1)] }) } }, [TRADES]);
    run.clock.advance(300);
    const send = (previous: string, sequence: string, time: number) =>
      run.service.last.send(
        message(TRADES, { trades: [trade(time, time)] }, { previous, sequence }),
      );
    send("1000", "1005", 2);
    send("1005", "7", 3);
    send("7", "8", 4);
    run.clock.advance(50);
    expect(run.counts(TRADES)).toMatchObject({ gaps: 0 });
    send("3", "4", 5);
    run.clock.advance(50);
    expect(run.counts(TRADES)).toMatchObject({ gaps: 1 });
    expect(
      run.json().trades.map(({ price_ticks }: { price_ticks: string }) => price_ticks),
    ).toEqual(["5", "4", "3", "2", "1"]);
  });

  it("in a file of what was learned is ignored", () => {
    const run = start({ channels: { [BOOK]: () => book(9) } }, [BOOK], {
      learnedPath: "/dev/null/x",
    });
    run.clock.advance(300);
    run.service.publish(BOOK, book(8));
    run.clock.advance(300);
    expect(run.bids()).toEqual(["9", "8"]);
  });
});
