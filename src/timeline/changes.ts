// What changes in a store otherwise than by folding messages: the link, the phases of channels, what was learned. Found by
// comparing it with what was last told; put into the store of a replay as it is.
import { POINTS } from "../dialect/dialect.ts";
import { forgetGaps, type Store } from "../state/store.ts";
import { type ChannelStatus, createStatus } from "../stream/status.ts";
import type { Changes } from "./entry.ts";
import { toExact } from "./exact.ts";

export interface ChangeFinder {
  /** Is all of a channel told that its next fold looks at? Quick, since each one asks. */
  isTold(channel: string): boolean;
  /** Everything that has changed since it was last asked; undefined if nothing has. */
  find(): Changes | undefined;
}

/** Plain data by part and name. The times of a channel's frames are told by its frames. */
function partsOf(
  store: Store,
): readonly (readonly [string, Iterable<readonly [string, unknown]>])[] {
  const statuses = Array.from(store.channels, ([channel, status]) => {
    const { lastAtMs: _, everyMs: __, ...told } = status;
    return [channel, told] as const;
  });
  return [
    ["link", Object.entries(store.link)],
    ["channels", statuses],
    ["dialect", POINTS.map((point) => [point, store.dialect[point]] as const)],
    ["scales", store.scales],
    ["drift", store.drift],
  ];
}

export function createChangeFinder(store: Store): ChangeFinder {
  /** By part and name. */
  const told = new Map<string, string>();
  const channels = new Map<
    string,
    { readonly status: ChannelStatus; readonly copy: ChannelStatus }
  >();

  function findGone(): readonly string[] {
    const gone = [...channels].filter(([name, { status }]) => store.channels.get(name) !== status);
    for (const [channel] of gone) {
      channels.delete(channel);
      told.delete(`channels ${channel}`);
    }
    return gone.map(([channel]) => channel);
  }

  function find(): Changes | undefined {
    const gone = findGone();
    const changes: Record<string, unknown> = gone.length > 0 ? { gone } : {};
    for (const [part, values] of partsOf(store)) {
      const changed = Array.from(values).filter(([name, value]) => {
        const [key, text] = [`${part} ${name}`, JSON.stringify(toExact(value))];
        if (told.get(key) === text) return false;
        told.set(key, text);
        return true;
      });
      if (changed.length > 0) changes[part] = Object.fromEntries(changed);
    }
    for (const [name, status] of store.channels)
      channels.set(name, { status, copy: { ...status } });
    return Object.keys(changes).length === 0 ? undefined : changes;
  }

  find();
  return {
    isTold(channel) {
      const status = store.channels.get(channel);
      const { status: known, copy } = channels.get(channel) ?? {};
      return (
        status === known &&
        status?.phase === copy?.phase &&
        status?.isBroken === copy?.isBroken &&
        status?.isContradicted === copy?.isContradicted
      );
    },
    find,
  };
}

export function applyChanges(store: Store, changes: Changes): void {
  store.version++;
  const { link = {}, gone = [], channels = {}, dialect = {} } = changes;
  const { scales = {}, drift = {}, states = {} } = changes;
  for (const [name, value] of Object.entries(link))
    Object.assign(store.link, { [name]: value ?? undefined });
  for (const channel of gone) {
    store.channels.delete(channel);
    store.states.delete(channel);
  }
  for (const [channel, status] of Object.entries(channels)) {
    const { lastAtMs, everyMs } = store.channels.get(channel) ?? {};
    const times = { lastAtMs, everyMs };
    store.channels.set(channel, { ...createStatus(channel, status.kind), ...status, ...times });
  }
  const hadNumbers = store.dialect.chain.value !== "none";
  Object.assign(store.dialect, dialect);
  if (hadNumbers && store.dialect.chain.value === "none") forgetGaps(store);
  for (const [market, scale] of Object.entries(scales)) store.scales.set(market, scale);
  for (const [what, times] of Object.entries(drift)) store.drift.set(what, times);
  for (const [channel, state] of Object.entries(states)) store.states.set(channel, state);
}
