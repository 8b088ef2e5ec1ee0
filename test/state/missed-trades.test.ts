// What a hole of the tape has missed, as the listing has it. The ledger of the service is the oracle: what is proven is
// exactly what the tape lacks.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copyState } from "../../src/state/copy-state.ts";
import { findMissedTrades, holeEdges } from "../../src/state/missed-trades.ts";
import { TradesState } from "../../src/state/trades.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import {
  type RawTrade,
  rawTrades,
  restTrade,
  roundMs,
  type Sizes,
  streamTrade,
  type ToMs,
} from "../support/two-tapes.ts";

const START_NS = 1_800_000_000_000_000_000n;
const SIZES: Sizes = { tick: 1n, tickPlaces: 2, lot: 1n, lotPlaces: 4 };
const SCALE = {
  tickSize: { mantissa: 1n, places: 2 },
  lotSize: { mantissa: 1n, places: 4 },
};

const ledgers = rawTrades({
  startNs: START_NS,
  stepNs: 40_000_000n,
  minLength: 6,
  maxLength: 120,
});

const frame = (trades: readonly RawTrade[], timeNs = trades.at(-1)?.timeNs) => ({
  type: "update" as const,
  channel: "trades/perp/1",
  timestamp_ns: `${timeNs}`,
  previous_sequence: null,
  sequence: null,
  trades: trades.map(streamTrade),
});

/** A tape that has not seen the trades from one place to another; the connection was lost between two moments. */
function tapeWithout(ledger: readonly RawTrade[], from: number, to: number): TradesState {
  const tape = new TradesState();
  tape.update(frame(ledger.slice(0, from)), true, 0);
  tape.update(frame(ledger.slice(to)), true, 1000);
  return tape;
}

const listed = (ledger: readonly RawTrade[], toMs?: ToMs) =>
  ledger.map((trade) => restTrade(trade, SIZES, toMs)).reverse();

function edgesOf(tape: TradesState) {
  const [hole] = tape.holes;
  if (hole === undefined) throw new Error("no hole");
  return holeEdges(tape, hole);
}

/** @param wholeUntilMs until when the listing has had the time to have everything */
function find(
  tape: TradesState,
  records: readonly TradeRecord[],
  { scale = SCALE, wholeUntilMs = Number.NEGATIVE_INFINITY } = {},
) {
  const run = { records, newestMs: records[0]?.timestamp_ms, wholeUntilMs };
  return findMissedTrades(edgesOf(tape), run, scale, tape.lateMs);
}

/** Fills the first hole with what is found in a listing of this ledger. @returns what that is, undefined if not proven */
function heal(tape: TradesState, ledger: readonly RawTrade[], toMs?: ToMs) {
  const missed = find(tape, listed(ledger, toMs));
  if (!missed.isProven) return undefined;
  tape.fill(edgesOf(tape).span, missed.trades);
  return missed.trades;
}

const values = (trades: readonly { price_ticks: string; size_base_lots: string }[]) =>
  trades.map(({ price_ticks, size_base_lots }) => [price_ticks, size_base_lots]);

/** One trade every ten milliseconds, each with a price of its own. */
const plainTrades = (length: number): RawTrade[] =>
  Array.from({ length }, (_, i) => ({
    timeNs: START_NS + BigInt(i) * 10_000_000n,
    ticks: BigInt(100 + i),
    lots: 1n,
    takerIsBid: true,
  }));
const plain = plainTrades(60);

describe("missed trades", () => {
  test("are exactly those of the ledger that the tape lacks, however the listing makes milliseconds", () => {
    fc.assert(
      fc.property(ledgers, fc.nat(), fc.nat(), fc.boolean(), (ledger, a, b, isRounded) => {
        const from = 1 + (a % (ledger.length - 4));
        const to = Math.min(ledger.length - 2, from + 1 + (b % 10));
        // Where the hole begins and ends within a moment the tape says so in another way.
        fc.pre(ledger[from - 1]?.timeNs !== ledger[to]?.timeNs);
        const tape = tapeWithout(ledger, from, to);
        fc.pre(tape.holes.length === 1);
        const missed = heal(tape, ledger, isRounded ? roundMs : undefined);
        if (missed === undefined) return;
        const lacking = ledger.slice(from, to).map(streamTrade);
        expect(values(missed).sort()).toEqual(values(lacking).sort());
        expect(tape.holes).toEqual([]);
        expect(tape.size).toBe(ledger.length);
      }),
    );
  });

  test("are found in a plain market, at their place, and the hole is gone", () => {
    const tape = tapeWithout(plain, 20, 30);
    expect(heal(tape, plain)).toHaveLength(10);
    const ticks = tape.recent().map(({ price_ticks }) => Number(price_ticks));
    expect(ticks).toEqual(plain.map((_, i) => 159 - i));
    expect(tape.holes).toEqual([]);
    expect(tape.total).toBe(60);
  });

  test("are not proven while the listing lags behind the end of the hole", () => {
    const tape = tapeWithout(plain, 20, 30);
    expect(find(tape, listed(plain.slice(0, 30)))).toMatchObject({ isProven: false });
    expect(find(tape, listed(plain.slice(0, 32)))).toMatchObject({ isProven: true });
  });

  test("are not proven by a listing that lacks a trade beside the hole, or has another one there", () => {
    const tape = tapeWithout(plain, 20, 30);
    const without = (index: number) => plain.filter((_, i) => i !== index);
    expect(find(tape, listed(without(15)))).toMatchObject({ isProven: false });
    expect(find(tape, listed(without(35)))).toMatchObject({ isProven: false });
    const twin = plain.slice(15, 16).map((trade) => ({ ...trade, ticks: 7n }));
    const extra = [...plain.slice(0, 16), ...twin, ...plain.slice(16)];
    expect(find(tape, listed(extra))).toMatchObject({ isProven: false });
  });

  test("are none that the tape holds, however late one came and wherever it stands", () => {
    const ledger = plainTrades(120);
    const late = 55;
    const tape = new TradesState();
    tape.update(frame(ledger.slice(0, 20)), true, 0);
    tape.update(frame(ledger.slice(30, 75).filter((trade) => trade !== ledger[late])), true, 1000);
    tape.update(frame(ledger.slice(late, late + 1)), false, 2000);
    tape.update(frame(ledger.slice(75)), false, 3000);
    expect(values(heal(tape, ledger) ?? [])).toEqual(values(ledger.slice(20, 30).map(streamTrade)));
  });

  test("are not proven with a scale that is not the market's", () => {
    const tape = tapeWithout(plain, 20, 30);
    const scale = { ...SCALE, tickSize: { mantissa: 1n, places: 1 } };
    expect(find(tape, listed(plain), { scale })).toMatchObject({ isProven: false });
  });

  test("of a market in which nobody trades are none, when the listing has had the time to have them", () => {
    const tape = new TradesState();
    tape.update(frame(plain.slice(0, 20)), true, 0);
    const untilMs = Number(START_NS / 1_000_000n) + 9000;
    tape.update(frame([], BigInt(untilMs) * 1_000_000n), true, 9000);
    const records = listed(plain.slice(0, 20));
    expect(find(tape, records, { wholeUntilMs: untilMs })).toMatchObject({ isProven: false });
    const late = find(tape, records, { wholeUntilMs: untilMs + 20_000 });
    expect(late).toEqual({ isProven: true, trades: [] });
  });

  test("two holes at one place are filled as one", () => {
    const tape = new TradesState();
    tape.update(frame(plain.slice(0, 20)), true, 0);
    tape.update(frame([], plain[25]?.timeNs), true, 250);
    tape.update(frame(plain.slice(30)), true, 300);
    expect(tape.holes).toHaveLength(2);
    heal(tape, plain);
    expect(tape.holes).toEqual([]);
    expect(tape.size).toBe(60);
  });

  test("are not repeated by a later backlog, which has them by the nanosecond", () => {
    const odd = plain.map((trade, i) => ({
      ...trade,
      timeNs: trade.timeNs + BigInt(i * 1234 + 5),
    }));
    const tape = tapeWithout(odd, 20, 30);
    heal(tape, odd);
    for (const start of [0, 15, 20, 25]) {
      const again = copyState(tape);
      again.update(frame(odd.slice(start)), true, 2000);
      expect(again.holes).toEqual([]);
      expect(again.size).toBe(60);
    }
  });
});
