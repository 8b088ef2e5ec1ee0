// All that is held and shown: a state and a status for each channel, the link, and the dialect. Plain data: what is frozen is a
// copy.
import type { Dialect, Finding } from "../dialect/dialect.ts";
import { createLink, type Link } from "../stream/link.ts";
import type { ChannelStatus } from "../stream/status.ts";
import type { Kind, Update } from "../wire/frames.ts";
import { type BestPrices, bboFold } from "./bbo.ts";
import { type Book, bookFold } from "./book.ts";
import { type Candles, candlesFold } from "./candles.ts";
import { copyFlow } from "./flow.ts";
import type { Context, Fold } from "./fold.ts";
import { copyHeatmap, type Heatmap } from "./heatmap.ts";
import type { List } from "./list.ts";
import {
  type Account,
  type Accounts,
  accountFold,
  accountsFold,
  type FundingRates,
  fundingFold,
  marketsFold,
  statsFold,
} from "./records.ts";
import type { KnownScale } from "./scale.ts";
import { dropGaps, type Tape, tapeFold } from "./tape.ts";

/** The state of each kind of channel. */
export interface States {
  bbo: BestPrices;
  orderbook: Book;
  trades: Tape;
  candles: Candles;
  "mark-candles": Candles;
  markets: List;
  "market-stats": List;
  "funding-rates": FundingRates;
  accounts: Accounts;
  account: Account;
}

const FOLDS: { readonly [K in Kind]: Fold<States[K], K> } = {
  bbo: bboFold,
  orderbook: bookFold,
  trades: tapeFold,
  candles: candlesFold,
  "mark-candles": candlesFold,
  markets: marketsFold,
  "market-stats": statsFold,
  "funding-rates": fundingFold,
  accounts: accountsFold,
  account: accountFold,
};

export interface Store {
  /** Counts what was folded: figures of one version stay as they are. */
  version: number;
  /** By channel name; read with `select`. */
  readonly states: Map<string, States[Kind]>;
  readonly channels: Map<string, ChannelStatus>;
  readonly link: Link;
  readonly dialect: Dialect;
  /** Scales by market, `perp/1`, that the config gives or that were measured. */
  readonly scales: Map<string, KnownScale>;
  /** What the service sends beside the document, and how often. */
  readonly drift: Map<string, number>;
  /** The book over time, by market (`perp/1`): of markets that were shown. */
  readonly heat: Map<string, Heatmap>;
}

export function createStore(dialect: Dialect): Store {
  return {
    version: 0,
    states: new Map(),
    channels: new Map(),
    link: createLink(),
    dialect,
    scales: new Map(),
    drift: new Map(),
    heat: new Map(),
  };
}

/** Folds an accepted update into what its channel holds. */
export function reduce(store: Store, update: Update, context: Context): readonly Finding[] {
  // The table pairs each kind with its state and its updates, which TypeScript cannot follow through an index.
  const fold = FOLDS[update.kind] as Fold<States[Kind], Kind>;
  const state = store.states.get(update.channel) ?? fold.empty();
  store.states.set(update.channel, state);
  store.version++;
  return fold.apply(state, update, context);
}

/** What a channel holds; undefined before its first frame. @param channel of this kind */
export function select<K extends Kind>(
  store: Store,
  kind: K,
  channel: string,
): States[K] | undefined {
  return store.channels.get(channel)?.kind === kind
    ? (store.states.get(channel) as States[K] | undefined)
    : undefined;
}

/** What the numbers made, before they turned out to show no gaps. */
export function forgetGaps(store: Store): void {
  for (const channel of store.states.keys()) {
    const tape = select(store, "trades", channel);
    if (tape !== undefined) dropGaps(tape);
  }
}

/** A store of its own, which later updates do not change. What does not change either is shared. */
export function copyStore(store: Store): Store {
  const { dialect, states, heat, ...held } = store;
  const { names, ...points } = dialect;
  return {
    ...structuredClone(held),
    dialect: { ...structuredClone(points), names },
    states: new Map(Array.from(states, ([channel, state]) => [channel, copyState(state)])),
    heat: new Map(Array.from(heat, ([market, each]) => [market, copyHeatmap(each)])),
  };
}

/** Records in lists are replaced, never changed; a tape has more than records. */
function copyState<State extends States[Kind]>(state: State): State {
  if (!("flow" in state)) return copyLists(state);
  const { holes, flow, earlier, ...lists } = state;
  const sums = { flow: copyFlow(flow), earlier: copyFlow(earlier) };
  return { ...copyLists(lists), holes: structuredClone(holes), ...sums } as State;
}

function copyLists<Part>(part: Part): Part {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return [...part] as Part;
  if (part instanceof Map) return new Map(part) as Part;
  if (part instanceof Set) return new Set(part) as Part;
  const fields = Object.entries(part).map(([name, value]) => [name, copyLists(value)]);
  return Object.fromEntries(fields) as Part;
}

/** A figure of the store that is asked for often: made once for each version. @param make depends on the store and the name alone */
export function cached<Figure>(
  make: (store: Store, name: string) => Figure,
): (store: Store, name: string) => Figure {
  const made = new WeakMap<Store, { version: number; figures: Map<string, Figure> }>();
  return (store, name) => {
    let known = made.get(store);
    if (known?.version !== store.version) {
      known = { version: store.version, figures: new Map() };
      made.set(store, known);
    }
    const figure = known.figures.get(name) ?? make(store, name);
    known.figures.set(name, figure);
    return figure;
  };
}
