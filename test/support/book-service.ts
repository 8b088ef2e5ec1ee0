// A simulated order book channel beside its best bid and offer, with a switch for what the interface
// leaves open: whole books or changes, depth, null previous, lost frames, channels that run apart.

import { createRandom } from "../../src/units/random.ts";
import type { BboUpdate } from "../../src/wire/channels/bbo.ts";
import type { OrderbookUpdate } from "../../src/wire/channels/orderbook.ts";

export interface BookServiceOptions {
  readonly frames: number;
  /** Levels of each side at the start. */
  readonly levels: number;
  readonly sends: "whole" | "changes";
  /** Levels of each side that a whole frame carries. */
  readonly depth: number;
  /** Every so many frames of changes, a whole one with a null previous. */
  readonly wholeEvery: number | undefined;
  /** Each frame has a null previous. */
  readonly isUnchained: boolean;
  /** Share of changes that touch the top. */
  readonly topShare: number;
  /** The two channels run up to this far apart. */
  readonly jitterMs: number;
  readonly lossShare: number;
}

export const steadyBook: BookServiceOptions = {
  frames: 1500,
  levels: 30,
  sends: "changes",
  depth: Number.POSITIVE_INFINITY,
  wholeEvery: undefined,
  isUnchained: false,
  topShare: 0.15,
  jitterMs: 20,
  lossShare: 0,
};

/** An event as it arrives; `truth` is the service's own top after it. */
export type BookServiceEvent = { readonly atMs: number; readonly truth: string } & (
  | { readonly kind: "bbo"; readonly frame: BboUpdate }
  | { readonly kind: "orderbook"; readonly frame: OrderbookUpdate }
);

type Side = Map<number, number>;

const level = ([price, size]: [number, number]) => ({
  price_ticks: String(price),
  size_base_lots: String(size),
});

export function playBookService(seed: number, options: BookServiceOptions): BookServiceEvent[] {
  const random = createRandom(seed);
  const pick = (n: number) => Math.floor(random() * n);
  const bids: Side = new Map();
  const asks: Side = new Map();
  const middle = 10_000;
  for (let i = 1; i <= options.levels; i++) {
    bids.set(middle - i, 1 + pick(50));
    asks.set(middle + i, 1 + pick(50));
  }
  const best = (side: Side, isBid: boolean) =>
    side.size === 0 ? undefined : isBid ? Math.max(...side.keys()) : Math.min(...side.keys());
  const topOf = () => `${best(bids, true) ?? ""}/${best(asks, false) ?? ""}`;
  const whole = () => ({
    bids: [...bids]
      .sort((a, b) => b[0] - a[0])
      .slice(0, options.depth)
      .map(level),
    asks: [...asks]
      .sort((a, b) => a[0] - b[0])
      .slice(0, options.depth)
      .map(level),
  });

  let ms = 0;
  let sequence = 1000;
  let previous = 1000;
  const events: BookServiceEvent[] = [];
  const stamp = () => `${1_700_000_000_000_000_000n + BigInt(ms) * 1_000_000n}`;
  const sayBbo = (atMs: number) => {
    const bid = best(bids, true);
    const ask = best(asks, false);
    const frame: BboUpdate = {
      type: "update",
      channel: "bbo/perp/1",
      timestamp_ns: stamp(),
      bbo: {
        bid: bid === undefined ? null : level([bid, bids.get(bid) ?? 0]),
        ask: ask === undefined ? null : level([ask, asks.get(ask) ?? 0]),
      },
    };
    events.push({ kind: "bbo", atMs, truth: topOf(), frame });
  };
  const sayBook = (
    atMs: number,
    isFirst: boolean,
    orderbook: OrderbookUpdate["orderbook"],
    isReset: boolean,
  ) => {
    const frame: OrderbookUpdate = {
      type: "update",
      channel: "orderbook/perp/1",
      timestamp_ns: stamp(),
      previous_sequence: isFirst || isReset || options.isUnchained ? null : String(previous),
      sequence: String(sequence),
      orderbook,
    };
    previous = sequence;
    if (isFirst || random() >= options.lossShare) {
      events.push({ kind: "orderbook", atMs, truth: topOf(), frame });
    }
  };

  sayBbo(0);
  sayBook(0, true, whole(), false);
  let said = topOf();
  for (let n = 1; n <= options.frames; n++) {
    ms += 1 + pick(60);
    const changes = changeBook({ bids, asks, random, options, best });
    sequence += 1 + pick(5);
    if (topOf() !== said) {
      said = topOf();
      sayBbo(ms + random() * options.jitterMs);
    }
    const isReset = options.wholeEvery !== undefined && n % options.wholeEvery === 0;
    const isWhole = options.sends === "whole" || isReset;
    const orderbook = isWhole ? whole() : changes;
    if (orderbook.bids.length + orderbook.asks.length === 0) continue;
    sayBook(ms + random() * options.jitterMs, false, orderbook, isReset);
  }
  return inOrderOfArrival(events);
}

interface ChangeContext {
  readonly bids: Side;
  readonly asks: Side;
  readonly random: () => number;
  readonly options: BookServiceOptions;
  best(side: Side, isBid: boolean): number | undefined;
}

/** Makes one to four changes of the real book and answers them as absolute sizes. */
function changeBook(context: ChangeContext): OrderbookUpdate["orderbook"] {
  const { bids, asks, random, options } = context;
  const changed: { bids: Side; asks: Side } = { bids: new Map(), asks: new Map() };
  for (let i = 1 + Math.floor(random() * 4); i > 0; i--) {
    const isBid = random() < 0.5;
    const [side, changes] = isBid ? [bids, changed.bids] : [asks, changed.asks];
    const isTop = random() < options.topShare;
    const change = isTop ? changeTop(context, isBid) : changeDepth(context, isBid);
    if (change === undefined) continue;
    side.set(...change);
    changes.set(...change);
    if (change[1] === 0) side.delete(change[0]);
  }
  return { bids: [...changed.bids].map(level), asks: [...changed.asks].map(level) };
}

type Change = [price: number, size: number] | undefined;

function isFree({ bids, asks, best }: ChangeContext, isBid: boolean, price: number): boolean {
  const other = best(isBid ? asks : bids, !isBid);
  return other === undefined || (isBid ? price < other : price > other);
}

/** Takes the best level away, or puts a better one before it. */
function changeTop(context: ChangeContext, isBid: boolean): Change {
  const { bids, asks, random, best } = context;
  const side = isBid ? bids : asks;
  const own = best(side, isBid);
  if (own !== undefined && side.size > 3 && random() < 0.5) return [own, 0];
  const price = own === undefined ? 10_000 : own + (isBid ? 1 : -1);
  return isFree(context, isBid, price) ? [price, 1 + Math.floor(random() * 50)] : undefined;
}

/** Changes, adds or removes a level anywhere. */
function changeDepth(context: ChangeContext, isBid: boolean): Change {
  const { bids, asks, random, options, best } = context;
  const pick = (n: number) => Math.floor(random() * n);
  const side = isBid ? bids : asks;
  const deep = (best(side, isBid) ?? 10_000) - (isBid ? 1 : -1) * (1 + pick(options.levels));
  const held = [...side.keys()];
  const price = random() < 0.6 ? (held[pick(held.length)] ?? deep) : deep;
  if (!isFree(context, isBid, price)) return undefined;
  const isRemoved = side.size > 3 && side.has(price) && random() < 0.35;
  return [price, isRemoved ? 0 : 1 + pick(50)];
}

/** Each channel keeps its own order, as on one connection; the two may overtake each other. */
function inOrderOfArrival(events: BookServiceEvent[]): BookServiceEvent[] {
  const last = { bbo: 0, orderbook: 0 };
  const arrived = events.map((event) => {
    last[event.kind] = Math.max(event.atMs, last[event.kind] + 1e-6);
    return { ...event, atMs: last[event.kind] };
  });
  return arrived.sort((a, b) => a.atMs - b.atMs);
}
