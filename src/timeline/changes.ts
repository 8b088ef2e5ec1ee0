// What changes in a store otherwise than by folding messages: the link, the phases of channels, what was learned. Found by
// comparing it with what was last told; put into the store of a replay as it is.
import { POINTS } from "../dialect/dialect.ts";
import { forgetGaps, type Store } from "../state/store.ts";
import { createLink } from "../stream/link.ts";
import { type ChannelStatus, createStatus, noteFrame } from "../stream/status.ts";
import type { Changes } from "./entry.ts";

/** As told: what the store held, and copies of what changes in place. */
interface Told {
  link: Store["link"];
  readonly channels: Map<string, { readonly status: ChannelStatus; copy: ChannelStatus }>;
  readonly dialect: Map<string, unknown>;
  readonly scales: Map<string, unknown>;
  readonly drift: Map<string, unknown>;
}

export interface ChangeFinder {
  /** A message has come: the times that say so are told by it. */
  noteMessage(nowMs: number): void;
  /** One of this channel was folded. @returns what changed with it at once */
  noteFold(channel: string, nowMs: number): Changes | undefined;
  isTold(channel: string): boolean;
  /** Everything that has changed since it was last asked; undefined if nothing has. */
  find(): Changes | undefined;
}

export function createChangeFinder(store: Store): ChangeFinder {
  const told: Told = {
    link: { ...store.link },
    channels: new Map(),
    dialect: new Map(),
    scales: new Map(),
    drift: new Map(),
  };

  function findLink(): Pick<Changes, "link"> {
    if (isSame(told.link, store.link)) return {};
    told.link = { ...store.link };
    return { link: { ...store.link } };
  }

  function findChannel(channel: string, status: ChannelStatus): ChannelStatus | undefined {
    const known = told.channels.get(channel);
    if (
      known?.status === status &&
      isSame(known.copy, status) &&
      isSame(known.copy.counts, status.counts)
    )
      return undefined;
    const counts = { ...status.counts };
    told.channels.set(channel, { status, copy: { ...status, counts } });
    return { ...status, counts };
  }

  function findChannels(): Pick<Changes, "gone" | "channels"> {
    const gone = [...told.channels].filter(
      ([channel, { status }]) => store.channels.get(channel) !== status,
    );
    for (const [channel] of gone) told.channels.delete(channel);
    const changed = [...store.channels].flatMap(([channel, status]) => {
      const copy = findChannel(channel, status);
      return copy === undefined ? [] : [[channel, copy] as const];
    });
    return {
      ...(gone.length > 0 && { gone: gone.map(([channel]) => channel) }),
      ...(changed.length > 0 && { channels: Object.fromEntries(changed) }),
    };
  }

  function find(): Changes | undefined {
    const changes: Changes = {
      ...findLink(),
      ...findChannels(),
      ...named(
        "dialect",
        told.dialect,
        POINTS.map((point) => [point, store.dialect[point]]),
      ),
      ...named("scales", told.scales, store.scales),
      ...named("drift", told.drift, store.drift),
    };
    return Object.keys(changes).length === 0 ? undefined : changes;
  }

  find();
  return {
    noteMessage(nowMs) {
      told.link.aliveAtMs = nowMs;
    },
    noteFold(channel, nowMs) {
      const known = told.channels.get(channel);
      const status = store.channels.get(channel);
      if (known === undefined || status === undefined) return undefined;
      noteFrame(known.copy, nowMs);
      if (hasSamePhase(known.copy, status)) return undefined;
      const copy = findChannel(channel, status);
      return copy && { channels: { [channel]: copy } };
    },
    isTold: (channel) => told.channels.get(channel)?.status === store.channels.get(channel),
    find,
  };
}

/** Values that have been replaced since they were told. */
function named<Name extends string, Value>(
  name: Name,
  told: Map<string, unknown>,
  entries: Iterable<readonly [string, Value]>,
): { readonly [N in Name]?: Record<string, Value> } {
  const changed = [...entries].filter(([key, value]) => told.get(key) !== value);
  for (const [key, value] of changed) told.set(key, value);
  return (changed.length > 0 ? { [name]: Object.fromEntries(changed) } : {}) as {
    readonly [N in Name]?: Record<string, Value>;
  };
}

function isSame<T extends object>(a: T, b: T): boolean {
  for (const name in b) if (name !== "counts" && a[name] !== b[name]) return false;
  return true;
}

/** What a frame may change at once; quick, since each one asks. */
function hasSamePhase(a: ChannelStatus, b: ChannelStatus): boolean {
  return a.phase === b.phase && a.isBroken === b.isBroken && a.isContradicted === b.isContradicted;
}

export function applyChanges(store: Store, changes: Changes): void {
  store.version++;
  const { link, gone = [], channels = {}, dialect = {}, scales, drift, states } = changes;
  if (link !== undefined) Object.assign(store.link, createLink(), link);
  for (const channel of gone) {
    store.channels.delete(channel);
    store.states.delete(channel);
  }
  for (const [channel, status] of Object.entries(channels))
    store.channels.set(channel, { ...createStatus(channel, status.kind), ...status });
  const hadNumbers = store.dialect.chain.value !== "none";
  Object.assign(store.dialect, dialect);
  if (hadNumbers && store.dialect.chain.value === "none") forgetGaps(store);
  for (const [market, scale] of Object.entries(scales ?? {})) store.scales.set(market, scale);
  for (const [what, times] of Object.entries(drift ?? {})) store.drift.set(what, times);
  for (const [channel, state] of Object.entries(states ?? {})) store.states.set(channel, state);
}
