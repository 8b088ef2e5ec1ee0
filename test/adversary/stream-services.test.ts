import { expect, test } from "vitest";
import { conformsServerFrame } from "../support/interface-schema.ts";
import { runs } from "../support/soak.ts";
import {
  type ComposedStream,
  composeStream,
  type StreamFacts,
  streamOf,
} from "./compose-stream.ts";
import type { ChannelTruth } from "./stream-channels.ts";
import { ACCOUNT_LISTS, type AccountList, type OpenRecord, writeRecord } from "./stream-rows.ts";
import { checkRows, parseExact } from "./truth-check.ts";

const SEEDS = runs(40, 1200);

type Frame = Record<string, unknown> & { type: string; channel?: string };
type Row = Record<string, unknown>;

interface Session {
  frames: Frame[];
  texts: string[];
  closed: number;
}

/** One client that subscribes to everything and stays. */
function watch({ service, channels }: ComposedStream, minutes: number): Session {
  const session: Session = { frames: [], texts: [], closed: 0 };
  const client = service.open({
    send: (text) => {
      session.texts.push(text);
      session.frames.push(parseExact(text) as Frame);
    },
    close: (code) => {
      session.closed = code;
    },
  });
  for (const channel of channels) client.receive(JSON.stringify({ type: "subscribe", channel }));
  for (let step = 1; step <= minutes * 4; step++) service.advance(service.startMs + step * 15_000);
  return session;
}

/** Without what only a client that resubscribes could get over, and what no client could know. */
function isKnowable({ delivery }: StreamFacts): boolean {
  const { lossShare, closeShare, silentShare, takeAwayShare, firstUnavailable } = delivery;
  const { outageShare, maxSubscriptions, commandsPerSecond } = delivery;
  const isRefused = firstUnavailable + maxSubscriptions + commandsPerSecond > 0;
  const isBroken =
    isRefused || lossShare + closeShare + silentShare + takeAwayShare + outageShare > 0;
  // Of frames that name none, some are snapshots, and none says so.
  const isUntold = delivery.numbering === "null" && delivery.resnapshotShare > 0;
  return !isBroken && !isUntold && delivery.firstSequenceOf !== "null-when-new";
}

function keyOf(list: AccountList, row: Row): string {
  const pick = (...names: string[]): string =>
    JSON.stringify(names.map((name) => row[name] ?? null));
  const market = pick("market_type", "market_id", "marketType", "marketId", "symbol", "market");
  switch (list) {
    case "orders":
      return market + pick("order_id", "oid", "orderId", "order");
    case "positions":
      return market + pick("id", "side", "margin_id", "bucket", "marginId");
    case "balances":
      return pick("asset", "ccy", "id", "margin_id", "bucket", "marginId");
    default:
      return pick("market_id");
  }
}

/** A client that knows what the service is like, so that it can fold its frames without doubt. */
class KnowingAccount {
  readonly lists = new Map<AccountList, Map<string, Row>>();
  readonly #facts: StreamFacts;
  #first: unknown;
  #hasFirst = false;

  constructor(facts: StreamFacts) {
    this.#facts = facts;
    for (const list of ACCOUNT_LISTS) this.lists.set(list, new Map());
  }

  fold(frame: Frame): void {
    const { numbering } = this.#facts.delivery;
    if (!this.#hasFirst) this.#first = frame.sequence;
    const isFirst = !this.#hasFirst || (numbering !== "null" && frame.sequence === this.#first);
    this.#hasFirst = true;
    const isWhole = !isFirst && numbering !== "null" && frame.previous_sequence === null;
    for (const list of ACCOUNT_LISTS) {
      if (isWhole) this.lists.get(list)?.clear();
      const rows = frame[list] as Row[] | undefined;
      if (rows !== undefined) this.#take(list, rows);
    }
  }

  #take(list: AccountList, rows: Row[]): void {
    const held = this.lists.get(list) ?? new Map<string, Row>();
    const scheme = this.#facts.account?.schemes[list];
    if (scheme === "list") held.clear();
    if (scheme === "market") this.#clearMarkets(held, rows);
    for (const [i, row] of rows.entries()) {
      const key = this.#isNameless(list) ? String(i) : keyOf(list, row);
      const before = this.#isPart(list, row) ? held.get(key) : undefined;
      if (this.#isEnded(list, row)) held.delete(key);
      else held.set(key, { ...before, ...row });
    }
  }

  /** Rows without a name of their own are told apart by position alone, in a list that is whole. */
  #isNameless(list: AccountList): boolean {
    const isWhole = this.#facts.account?.schemes[list] === "list";
    return isWhole && (list === "orders" || list === "balances");
  }

  #isPart(list: AccountList, row: Row): boolean {
    const { sendsPartialOrders = false, sendsPartialPositions = false } = this.#facts.account ?? {};
    if (list === "orders") return sendsPartialOrders;
    const isSized = (row.size ?? row.sz ?? row.qty) !== undefined;
    return list === "positions" && sendsPartialPositions && !isSized;
  }

  #clearMarkets(held: Map<string, Row>, rows: Row[]): void {
    const markets = new Set(rows.map((row) => this.#marketOf(row)));
    for (const [key, row] of held) if (markets.has(this.#marketOf(row))) held.delete(key);
  }

  #marketOf(row: Row): string {
    const { market_type, market_id, marketType, marketId, symbol, market, id } = row;
    return JSON.stringify([
      market_type,
      market_id,
      marketType,
      marketId,
      symbol,
      market,
      id && String(id).includes("-") ? id : 0,
    ]);
  }

  #isEnded(list: AccountList, row: Row): boolean {
    if (row.closed === true || row.active === false) return true;
    if (list === "positions") return Number(row.size ?? row.sz ?? row.qty) === 0;
    if (list !== "orders") return false;
    return this.#facts.account?.style.formatEnd.includes(String(row.status ?? row.state)) ?? false;
  }
}

function expectAccount(composed: ComposedStream, session: Session, where: string): void {
  const { facts, service } = composed;
  const channel = facts.account?.channel ?? "";
  const knowing = new KnowingAccount(facts);
  const frames = new Set(session.texts.filter((text) => text.includes(`"${channel}"`)));
  for (const text of frames) {
    const frame = parseExact(text) as Frame;
    if (frame.type === "update") knowing.fold(frame);
  }
  const truth = service.truth(channel) as ChannelTruth & { kind: "account" };
  if (frames.size === 0) return;
  for (const list of ["orders", "positions", "balances", "leverages"] as const) {
    const held = [...(knowing.lists.get(list)?.values() ?? [])];
    const rows = held.map((row) => writeRecord(row as OpenRecord));
    const findings = checkRows({ list, rows, state: "live" }, truth.lists[list], truth.zero);
    expect(findings, where).toEqual([]);
  }
}

test("every frame of a composed stream obeys sections 6 and 7", () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    for (const text of watch(composeStream(seed), 4).texts) {
      expect(conformsServerFrame(JSON.parse(text)), `seed ${seed}: ${text}`).toBeUndefined();
    }
  }
});

test("a client that knows the service's ways folds its account to the truth", () => {
  let checked = 0;
  for (let seed = 0; seed < SEEDS * 2; seed++) {
    const composed = composeStream(seed);
    if (composed.facts.account === undefined || !isKnowable(composed.facts)) continue;
    checked++;
    expectAccount(composed, watch(composed, 6), `seed ${seed}: ${composed.describe}`);
  }
  expect(checked).toBeGreaterThan(SEEDS / 5);
});

interface Level {
  price_ticks: string;
  size_base_lots: string;
}
type Book = { bids: Level[]; asks: Level[] };

function foldSide(side: Map<string, string>, levels: Level[]): void {
  for (const { price_ticks, size_base_lots } of levels) {
    if (size_base_lots === "0") side.delete(price_ticks);
    else side.set(price_ticks, size_base_lots);
  }
}

function foldBook(frames: Frame[], facts: StreamFacts): [Map<string, string>, Map<string, string>] {
  const bids = new Map<string, string>();
  const asks = new Map<string, string>();
  const first = frames[0]?.sequence;
  for (const [i, frame] of frames.entries()) {
    const isNull = frame.previous_sequence === null && facts.delivery.numbering !== "null";
    if (facts.book?.scheme === "snapshots" || (isNull && i > 0 && frame.sequence !== first)) {
      bids.clear();
      asks.clear();
    }
    foldSide(bids, (frame.orderbook as Book).bids);
    foldSide(asks, (frame.orderbook as Book).asks);
  }
  return [bids, asks];
}

test("a client that knows the service's ways folds its book to the truth, never crossed", () => {
  for (let seed = 0; seed < SEEDS * 2; seed++) {
    const composed = composeStream(seed);
    const { facts, service } = composed;
    if (facts.book === undefined || !isKnowable(facts)) continue;
    const { texts } = watch(composed, 6);
    const mine = [...new Set(texts)].filter(
      (text) => text.includes(`"channel"`) && text.includes(`"orderbook":{`),
    );
    const frames = mine.map((text) => parseExact(text) as Frame);
    if (frames.length === 0) continue;
    const [bids, asks] = foldBook(frames, facts);
    const truth = service.truth("orderbook/perp/1") as ChannelTruth & { kind: "orderbook" };
    const entries = (levels: Level[]): [string, string][] =>
      levels.map((level) => [level.price_ticks, level.size_base_lots]);
    const where = `seed ${seed}: ${composed.describe}`;
    expect(new Map(bids), where).toEqual(new Map(entries(truth.bids)));
    expect(new Map(asks), where).toEqual(new Map(entries(truth.asks)));
    const [bid, ask] = [truth.bids[0], truth.asks[0]];
    if (bid && ask) expect(Number(bid.price_ticks)).toBeLessThan(Number(ask.price_ticks));
  }
});

function foldCatalogue(frames: Frame[], list: string, isWhole: boolean): string[] {
  const held = new Map<unknown, Row>();
  for (const frame of frames) {
    if (isWhole) held.clear();
    for (const row of frame[list] as Row[]) held.set(row.delegate ?? row.subaccount_id, row);
  }
  return [...held.values()].map((row) => JSON.stringify(row));
}

test("a client that knows the service's ways folds its catalogue of subaccounts to the truth", () => {
  for (const scheme of ["rows", "list"] as const) {
    const composed = streamOf({ seed: 4 }, { catalogue: { scheme, rate: 2 } });
    const frames = watch(composed, 3).frames.filter((frame) => frame.type === "update");
    expect({
      kind: "catalogue",
      subaccounts: foldCatalogue(frames, "subaccounts", scheme === "list"),
      delegations: foldCatalogue(frames, "delegations", scheme === "list"),
    }).toEqual(composed.service.truth(composed.channels[0] ?? ""));
  }
});

test("the trades of a stream are the truth since the subscription, each as often as it happened", () => {
  for (let seed = 0; seed < SEEDS * 2; seed++) {
    const composed = composeStream(seed);
    const { facts, service } = composed;
    if (facts.trades === undefined || !isKnowable(facts)) continue;
    if (facts.delivery.resnapshotShare > 0 || facts.delivery.restartAfterMs > 0) continue;
    const { texts } = watch(composed, 4);
    const mine = [...new Set(texts)].filter((text) => text.includes(`"trades":[`));
    const rows = mine.flatMap((text) =>
      (JSON.parse(text).trades as Row[]).map((row) => JSON.stringify(row)),
    );
    const truth = service.truth("trades/perp/1") as ChannelTruth & { kind: "trades" };
    const tail = truth.trades.slice(truth.trades.length - rows.length);
    const shown = { list: "trades", rows, state: "live" };
    expect(checkRows(shown, tail), `seed ${seed}: ${composed.describe}`).toEqual([]);
  }
});

test("the first frames of a second connection are the truth at that moment", () => {
  for (let seed = 0; seed < SEEDS * 2; seed++) {
    const composed = composeStream(seed);
    const { facts, service } = composed;
    const { secondConnection, firstFrame } = facts.delivery;
    if (facts.account === undefined || !isKnowable(facts)) continue;
    if (secondConnection !== "allowed" || firstFrame !== "at-once") continue;
    watch(composed, 2);
    const texts: string[] = [];
    const second = service.open({ send: (text) => texts.push(text), close: () => undefined });
    second.receive(JSON.stringify({ type: "subscribe", channel: facts.account.channel }));
    expect(texts.length).toBeGreaterThan(0);
    const session = { frames: [], texts, closed: 0 };
    expectAccount(composed, session, `seed ${seed}: ${composed.describe}`);
  }
});

test("a channel that fails says 503, sends nothing meanwhile, and goes on with a whole state", () => {
  const delivery = { outageShare: 1, seed: 3 } as const;
  const { frames } = watch(streamOf(delivery, { account: { rate: 5 } }), 10);
  const at = frames.findIndex((frame) => frame.type === "error");
  expect(frames[at]).toMatchObject({ code: 503 });
  const next = frames[at + 1];
  expect(next).toMatchObject({ type: "update", previous_sequence: null });
  const ns = (frame: Frame | undefined): bigint => BigInt(String(frame?.timestamp_ns));
  expect(ns(next) - ns(frames[at])).toBeGreaterThan(3_900_000_000n);
});

test("what a service leaves out is shown by its numbers with the next frame", () => {
  const composed = streamOf({ lossShare: 0.2, seed: 1 }, { trades: { rate: 5 } });
  const { frames } = watch(composed, 2);
  const updates = frames.filter((frame) => frame.type === "update");
  const gaps = updates.filter(
    (frame, i) => i > 0 && frame.previous_sequence !== updates[i - 1]?.sequence,
  );
  const truth = composed.service.truth("trades/perp/1") as ChannelTruth & { kind: "trades" };
  expect(gaps.length).toBeGreaterThan(20);
  expect(truth.trades.length).toBeGreaterThan(updates.length);
});

test("a connection without a frame of the client is closed after the keepalive, where that is enforced", () => {
  const { service } = streamOf({ enforcesKeepalive: true }, { trades: {} });
  let code = 0;
  const client = service.open({
    send: () => undefined,
    close: (reason) => {
      code = reason;
    },
  });
  service.advance(service.startMs + 100_000);
  client.ping();
  service.advance(service.startMs + 219_000);
  expect(code).toBe(0);
  service.advance(service.startMs + 221_000);
  expect(code).toBe(1008);
});

/** Names of the options that differ over the seeds. */
function variedOptions(seeds: number): { varied: Set<string>; all: Set<string> } {
  const values = new Map<string, Set<string>>();
  for (let seed = 0; seed < seeds; seed++) {
    const { delivery, account, rate: _, ...rest } = composeStream(seed).facts;
    for (const options of [delivery, account, account?.style, ...Object.values(rest)]) {
      for (const [name, value] of Object.entries(options ?? {})) {
        const seen = values.get(name) ?? new Set();
        values.set(name, seen.add(JSON.stringify(value)));
      }
    }
  }
  const varied = [...values].filter(([, seen]) => seen.size > 1).map(([name]) => name);
  return { varied: new Set(varied), all: new Set(values.keys()) };
}

test("every oddity of a stream is composed by some seed", () => {
  const { varied, all } = variedOptions(runs(600, 2000));
  const same = [...all].filter((name) => !varied.has(name));
  expect(same.sort()).toEqual(["enforcesKeepalive", "intervalMs", "startMs"]);
});

test("the same seed makes the same frames, and what happens does not depend on who is connected", () => {
  for (let seed = 0; seed < runs(15, 60); seed++) {
    const [one, two, alone] = [composeStream(seed), composeStream(seed), composeStream(seed)];
    expect(watch(one, 2).texts).toEqual(watch(two, 2).texts);
    alone.service.advance(alone.service.startMs + 120_000);
    for (const channel of alone.channels) {
      expect(alone.service.truth(channel), `seed ${seed}`).toEqual(one.service.truth(channel));
    }
  }
});

test("a second subscribe is 409, another name 404, a malformed one 400", () => {
  const { service } = streamOf({}, { trades: {} });
  const codes: unknown[] = [];
  const client = service.open({
    send: (text) => codes.push((parseExact(text) as Frame).code),
    close: () => undefined,
  });
  codes.length = 0;
  const channels = ["trades/perp/1", "trades/perp/1", "trades/perp/9", "trades/perp/x"];
  for (const channel of channels) client.receive(JSON.stringify({ type: "subscribe", channel }));
  client.receive("no JSON");
  expect(codes).toEqual([undefined, 409, 404, 400, 400]);
});

test("the checker names what is wrong, doubled and missing, and nothing of a pane that claims nothing", () => {
  const rows = ['{"a":1,"b":2}', '{"b":2,"a":1}', '{"a":3}'];
  const findings = checkRows({ list: "orders", rows, state: "live" }, ['{"a":1,"b":2}', '{"a":4}']);
  expect(findings.map(({ kind }) => kind)).toEqual(["doubled", "wrong", "missing"]);
  expect(checkRows({ list: "orders", rows, state: "resync" }, [])).toEqual([]);
});

test("of equal rows shown once too often, the checker takes the marked one for the extra one", () => {
  const rows = ['{"a":1}', '{"a":1}'];
  const extra = (...inQuestion: boolean[]) =>
    checkRows({ list: "orders", rows, state: "live", inQuestion }, ['{"a":1}']);
  expect(extra(true, false).map(({ isInQuestion }) => isInQuestion)).toEqual([true]);
  expect(extra(false, true).map(({ isInQuestion }) => isInQuestion)).toEqual([true]);
  expect(extra(false, false).map(({ isInQuestion }) => isInQuestion)).toEqual([false]);
});

test("two records are two whose numbers differ beyond what a double holds", () => {
  const rows = ['{"id":9007199254740993}', '{"id":9007199254740992}'];
  const shown = { list: "orders", rows: [rows[0] ?? "", rows[0] ?? ""], state: "quiet" };
  expect(checkRows(shown, rows).map(({ kind }) => kind)).toEqual(["doubled", "missing"]);
});
