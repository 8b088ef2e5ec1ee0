// What changes in a store otherwise than by folding messages: the link, the phases of channels, what was learned. Found by
// comparing each part with what was last told of it; put into the store of a replay as it is.
import { forgetGaps, type Store } from "../state/store.ts";
import { createLink } from "../stream/link.ts";
import { type ChannelStatus, createStatus } from "../stream/status.ts";
import type { Changes } from "./entry.ts";
import { toExact } from "./exact.ts";

export interface ChangeFinder {
  /** Is all of a channel told that its next fold looks at? Quick, since each one asks. */
  isTold(channel: string): boolean;
  /** Everything that has changed since it was last asked; undefined if nothing has. */
  find(): Changes | undefined;
}

/** The times of a channel's frames are told by its frames. */
function partsOf({ link, channels, dialect, scales, drift }: Store): Changes {
  const { names: _, ...points } = dialect;
  const statuses = Array.from(channels, ([channel, status]) => {
    const { lastAtMs: _last, everyMs: _every, ...told } = status;
    return [channel, told] as const;
  });
  return { link, channels: new Map(statuses), dialect: points, scales, drift };
}

export function createChangeFinder(store: Store): ChangeFinder {
  let told = new Map<string, string>();
  let channels = new Map<
    string,
    { readonly status: ChannelStatus; readonly copy: ChannelStatus }
  >();

  function find(): Changes | undefined {
    const gone = [...channels].filter(([name, { status }]) => store.channels.get(name) !== status);
    const all = Array.from(store.channels, ([name, status]) => {
      return [name, { status, copy: { ...status } }] as const;
    });
    channels = new Map(all);
    const before = told;
    const parts = Object.entries(partsOf(store));
    told = new Map(parts.map(([part, value]) => [part, JSON.stringify(toExact(value))]));
    const changed = parts.filter(([part]) => told.get(part) !== before.get(part));
    if (changed.length + gone.length === 0) return undefined;
    return {
      ...Object.fromEntries(changed),
      ...(gone.length > 0 && { gone: gone.map(([channel]) => channel) }),
    };
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
  const { link, gone = [], channels = [], dialect, states = {}, ...whole } = changes;
  if (link !== undefined) Object.assign(store.link, createLink(), link);
  for (const channel of gone) {
    store.channels.delete(channel);
    store.states.delete(channel);
  }
  for (const [channel, status] of channels) {
    const { lastAtMs, everyMs } = store.channels.get(channel) ?? {};
    const times = { lastAtMs, everyMs };
    store.channels.set(channel, { ...createStatus(channel, status.kind), ...status, ...times });
  }
  const hadNumbers = store.dialect.chain.value !== "none";
  Object.assign(store.dialect, dialect);
  if (hadNumbers && store.dialect.chain.value === "none") forgetGaps(store);
  Object.assign(store, whole);
  for (const [channel, state] of Object.entries(states)) store.states.set(channel, state);
}
