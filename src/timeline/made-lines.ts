// What a store holds, as lines with which a recording begins: frames as a service would send them, marked as made, and what
// frames do not say. A replay of them holds the same.
import type { Scales } from "../state/scales.ts";
import { type AnyFold, FOLDS, type Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import { nsOfMs } from "../units/time.ts";
import { CHANNELS, type ChannelKind } from "../wire/channels.ts";
import { stringifyExact } from "../wire/exact-numbers.ts";
import type { Entry, Stamp } from "./entry.ts";

/** Items of a list in one frame: of candles and of funding rates, no more than the interface allows. */
const MAX_ITEMS = 2000;
const FEWER: { readonly [K in ChannelKind]?: number } = {
  candles: 2,
  "mark-candles": 2,
  "funding-rates": 200,
};

export interface MadeStateOptions {
  /** False for channels that are left out. */
  readonly isShown: (channel: string) => boolean;
  /** Its channels come first, so that a replay shows it: `perp/1`. */
  readonly market?: string | undefined;
}

export function* createMadeLines(
  store: Store,
  scales: Scales,
  stamp: Stamp,
  { isShown, market }: MadeStateOptions,
): Generator<Entry> {
  const { link, counts } = store;
  yield { ...stamp, made: { session: { link, counts } } };
  for (const made of scales.facts()) yield { ...stamp, made: { scale: made } };
  // A book is there before what is evidence for it.
  const orderOf = ({ channel, kind }: Slice) =>
    (market !== undefined && isOf(channel, market) ? 0 : 2) + (kind === "orderbook" ? 0 : 1);
  for (const slice of [...store.slices].sort((a, b) => orderOf(a) - orderOf(b))) {
    if (isShown(slice.channel)) yield* createChannelLines(slice, stamp);
  }
}

function isOf(channel: string, market: string): boolean {
  return `${channel}/`.includes(`/${market}/`);
}

function* createChannelLines(slice: Slice, stamp: Stamp): Generator<Entry> {
  const { channel, kind, feed, data } = slice;
  const fold = FOLDS[kind] as AnyFold;
  const fields = feed.frames === 0 ? undefined : fold.snapshot(data);
  if (fields !== undefined) {
    const heldWallMs = stamp.w - (stamp.t - (feed.lastFrameAtMs ?? stamp.t));
    for (const part of splitFields(fields, FEWER[kind] ?? MAX_ITEMS)) {
      const frame = {
        type: "update",
        channel,
        timestamp_ns: nsOfMs(Math.max(0, Math.round(heldWallMs))),
        ...(CHANNELS[kind].isSequenced && {
          previous_sequence: null,
          sequence: feed.sequence ?? null,
        }),
        ...part,
      };
      yield { ...stamp, in: stringifyExact(frame), made: true };
    }
  }
  yield { ...stamp, made: { channel, feed, facts: fields && fold.facts?.(data) } };
}

/** The same fields again and again, with so many items of each list. */
function* splitFields(fields: object, most: number): Generator<object> {
  const lengths = Object.values(fields).map((each) => (Array.isArray(each) ? each.length : 0));
  const longest = Math.max(...lengths, 1);
  for (let from = 0; from < longest; from += most) {
    yield Object.fromEntries(
      Object.entries(fields).map(([name, each]) => [
        name,
        Array.isArray(each) ? each.slice(from, from + most) : each,
      ]),
    );
  }
}
