// Frames as a service sends them, and updates decoded from them.

import { decode } from "../../src/wire/decode.ts";
import type { Kind, Level, Trade, Update } from "../../src/wire/frames.ts";

export interface Numbers {
  readonly previous?: string | null;
  readonly sequence?: string | null;
  readonly timestampNs?: string;
}

/** The text of an update. Numbered where its numbers are given. */
export function message(channel: string, body: object, numbers: Numbers = {}): string {
  const { previous, sequence, timestampNs = "1800000000000000000" } = numbers;
  const chain =
    sequence === undefined ? {} : { previous_sequence: previous ?? null, sequence: sequence };
  return JSON.stringify({ type: "update", channel, timestamp_ns: timestampNs, ...chain, ...body });
}

export function update<K extends Kind>(
  kind: K,
  channel: string,
  body: object,
  numbers: Numbers = {},
): Update<K> {
  const frame = decode(message(channel, body, { sequence: null, ...numbers }));
  if (frame.type !== "update" || frame.kind !== kind)
    throw new Error(frame.type === "rejected" ? frame.reason : `not ${kind}`);
  return frame as Update<K>;
}

export function level(price: number | string, size: number | string): Level {
  return { price_ticks: `${price}`, size_base_lots: `${size}` };
}

/** @param time nanoseconds */
export function trade(time: number, price: number, size = 1, isBuy = true): Trade {
  return {
    timestamp_ns: `${1_800_000_000_000_000_000n + BigInt(time)}`,
    price_ticks: `${price}`,
    size_base_lots: `${size}`,
    taker_is_bid: isBuy,
  };
}

export const ADDRESS = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T";
