// The state of a channel as lines of a recording: frames as a service would send them, marked as made, and the facts that
// frames do not contain.
import { type AnyFold, FOLDS, type Slice } from "../state/slices.ts";
import { nsOfMs } from "../units/time.ts";
import { CHANNELS, type ChannelKind } from "../wire/channels.ts";
import { stringifyExact } from "../wire/exact-numbers.ts";
import type { Entry, Stamp } from "./entry.ts";

/** Maximum list items per frame; for candles and funding rates the interface's limits. */
const MAX_ITEMS = 2000;
const FEWER: { readonly [K in ChannelKind]?: number } = {
  candles: 2,
  "mark-candles": 2,
  "funding-rates": 200,
};

export function* createChannelLines(slice: Slice, stamp: Stamp): Generator<Entry> {
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

/** Repeats the same fields, each time with at most `most` items of each list. */
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
