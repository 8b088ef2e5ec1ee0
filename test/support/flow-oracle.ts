// What `flow` must say: the service's own trades over the time that it says is covered, in BigInt.
import { flowJson } from "../../src/print/market-json.ts";
import type { TradesState } from "../../src/state/trades.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";

/** `flow` of `--json`, as far as its time is looked at. */
export interface Flow {
  readonly since_ms: number;
  readonly until_ms?: number;
  readonly coverage: {
    readonly known_ms: number;
    readonly holes: readonly { after_ns: string; until_ns: string; healed: boolean }[];
  };
  readonly [name: string]: unknown;
}

/** What the ledger has in the time that is said to be covered. */
export function sumsOfLedger(ledger: readonly Trade[], { since_ms, until_ms, coverage }: Flow) {
  const open = coverage.holes.filter(({ healed }) => !healed);
  const known = ledger.filter(({ timestamp_ns }) => {
    const at = BigInt(timestamp_ns);
    const ms = at / 1_000_000n;
    return (
      ms >= BigInt(since_ms) &&
      (until_ms === undefined || ms <= BigInt(until_ms)) &&
      !open.some((hole) => BigInt(hole.after_ns) < at && at < BigInt(hole.until_ns))
    );
  });
  const sum = (of: (trade: Trade) => bigint) => known.reduce((all, each) => all + of(each), 0n);
  const lots = ({ size_base_lots }: Trade) => BigInt(size_base_lots);
  const bought = sum((each) => (each.taker_is_bid ? lots(each) : 0n));
  const sold = sum((each) => (each.taker_is_bid ? 0n : lots(each)));
  const levels = new Map<bigint, { bought: bigint; sold: bigint }>();
  for (const each of known) {
    const level = levels.get(BigInt(each.price_ticks)) ?? { bought: 0n, sold: 0n };
    level[each.taker_is_bid ? "bought" : "sold"] += lots(each);
    levels.set(BigInt(each.price_ticks), level);
  }
  const sorted = [...levels].sort(([a], [b]) => (a < b ? -1 : 1));
  const most = sorted.reduce((max, [, each]) => {
    const all = each.bought + each.sold;
    return all > max ? all : max;
  }, 0n);
  const control = sorted.find(([, each]) => each.bought + each.sold === most)?.[0];
  const value = sum((each) => BigInt(each.price_ticks) * lots(each));
  return {
    bought_lots: `${bought}`,
    sold_lots: `${sold}`,
    delta_lots: `${bought - sold}`,
    trades: known.length,
    vwap: bought + sold === 0n ? undefined : [`${value}`, `${bought + sold}`],
    levels: sorted.map(([price, each]) => [`${price}`, `${each.bought}`, `${each.sold}`]),
    poc_ticks: most === 0n ? undefined : `${control}`,
  };
}

export function flowOf(tape: TradesState): Flow {
  const flow = flowJson(tape, undefined);
  if (flow === null) throw new Error("no flow");
  return flow as Flow;
}

/** The sums of `flow`. */
export function sumsOf(flow: Flow) {
  const { bought_lots, sold_lots, delta_lots, trades } = flow;
  const vwap = flow.vwap as Record<string, string> | undefined;
  const profile = flow.profile as {
    levels: { price_ticks: string; bought_lots: string; sold_lots: string }[];
    poc_ticks?: string;
  };
  return {
    bought_lots,
    sold_lots,
    delta_lots,
    trades,
    vwap: vwap && [vwap.numerator_ticks_lots, vwap.denominator_lots],
    levels: profile.levels.map((each) => [each.price_ticks, each.bought_lots, each.sold_lots]),
    poc_ticks: profile.poc_ticks,
  };
}
