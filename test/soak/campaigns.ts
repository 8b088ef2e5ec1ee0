// The campaigns of the soak: which faults strike together. In every other minute nothing strikes.
import type { FaultName } from "../../src/simulator/faults/fault-kinds.ts";
import { createRandom } from "../../src/units/random.ts";
import { isSoak } from "../support/soak.ts";

/** A row of a scenario's faults. */
export interface CampaignFault {
  readonly kind: FaultName;
}

export interface Campaign {
  readonly name: string;
  readonly faults: readonly CampaignFault[];
  /** Also in the short form. */
  readonly isShort?: boolean;
  /** So many strikes of all kinds together are enough in the long form; when left out, each kind must have its number. */
  readonly least?: number;
}

/** Faults strike in the first minute of two; in the short form half as long. */
export const CYCLE_MS = isSoak ? 120_000 : 60_000;
const STORM_MS = isSoak ? 60_000 : 30_000;
/** True while faults strike. @param ms since the session began */
export const isStormAt = (ms: number): boolean => ms % CYCLE_MS < STORM_MS;
const when = { for_ms: STORM_MS, every_ms: CYCLE_MS };

const often = (kind: FaultName, probability: number, more: object = {}) => ({
  kind,
  probability,
  when,
  ...more,
});
const about = (kind: FaultName, everyMs: number, more: object = {}) => ({
  kind,
  every_ms: everyMs,
  when,
  ...more,
});
/** A stretch within each stormy minute. */
const during = (kind: FaultName, afterMs: number, forMs: number, more: object = {}) => ({
  kind,
  when: { after_ms: afterMs, for_ms: forMs, every_ms: CYCLE_MS },
  ...more,
});

const unavailable = (channels: string, times: object) => ({
  kind: "unavailable" as const,
  channels,
  ...times,
});

const delivery = [
  often("drop-frame", 0.002),
  often("duplicate-frame", 0.03),
  often("reorder-frames", 0.002),
  often("late-frame", 0.7),
];
const content = [
  often("truncate-frame", 0.002),
  often("wrong-type", 0.002),
  often("missing-field", 0.002),
  often("extra-field", 0.06),
  about("garbage-frame", 6000),
  about("garbage-frame", 9000, { form: "bytes" }),
];
const books = [often("crossed-book", 0.004), often("false-book", 0.004)];
/** Whichever comes first ends a connection: each as often. */
const ends = [about("close", 3500), about("terminate", 3500), about("cut-frame", 3500)];
const dead = [about("half-open", 6000), during("no-pong", 40_000, 19_000)];
const giants = [
  about("giant-frame", 8000),
  about("garbage-frame", 10_000, { form: "no-utf8" }),
  about("flood", 5000, { frames: 300 }),
];
const upgrades = [
  about("terminate", 4000),
  often("refuse-upgrade", 0.3),
  often("hang-upgrade", 0.3),
  { kind: "wrong-version", when } as const,
];
const answers = [
  often("drop-frame", 0.003),
  often("conflict", 0.4),
  often("anonymous-errors", 0.5),
  often("no-farewell", 0.3),
  about("stray-error", 8000),
  unavailable("trades/*", { after_ms: 5000, for_ms: 3000, every_ms: 30_000 }),
  unavailable("orderbook/*", { after_ms: 12_000, for_ms: 5000, every_ms: CYCLE_MS }),
];
const pace = [
  during("silence", 2000, 8000),
  during("silence", 13_000, 7000, { channels: "orderbook/*" }),
  during("slow-drip", 22_000, 6000, { bytes_per_s: 4000 }),
  during("delay-frames", 32_000, 6000, { delay_ms: 700 }),
  during("clock-skew", 40_000, 10_000, { skew_ms: 3_600_000 }),
];
/** Each of them once more in a minute. */
const unevenPace = [
  during("slow-drip", 3000, 4000, { bytes_per_s: 4000 }),
  during("delay-frames", 11_000, 4000, { delay_ms: 700 }),
  during("clock-skew", 27_000, 3000, { skew_ms: -60_000 }),
  during("silence", 52_000, 6000),
  ...pace.slice(1),
];

/** After which the same request is tried again, and after which it is not. */
export const PASSING_STATUSES: readonly number[] = [429, 500, 503];
export const FINAL_STATUSES: readonly number[] = [400, 404];

const listings = [
  ...PASSING_STATUSES.map((status) =>
    often("rest-error", 0.05, { status, ...(status === 429 && { retry_after_s: 1 }) }),
  ),
  ...FINAL_STATUSES.map((status) => often("rest-error", 0.03, { status })),
  often("rest-cut", 0.06),
  often("rest-html", 0.04),
  often("rest-slow", 0.04, { bytes_per_s: 20_000 }),
];

/** Few strike in a minute: each is waited for as long as that. */
const hangs = [often("rest-hang", 0.3), often("rest-slow", 0.3, { bytes_per_s: 2000 })];

/** The storm comes first: what is rare in it has campaigns of its own. */
export const CAMPAIGNS: readonly Campaign[] = [
  {
    name: "storm",
    isShort: true,
    least: 10_000,
    faults: [
      // What is sent twice is the same text: faults strike in this order.
      ...content,
      ...books,
      ...delivery,
      about("close", 40_000),
      about("half-open", 50_000),
      ...upgrades.slice(1),
      ...answers,
      // Pauses are longer than the short form, and exports take most of its time.
      ...(isSoak ? [...pace, ...listings, often("rest-hang", 0.02)] : []),
    ],
  },
  { name: "delivery", faults: delivery },
  { name: "content", faults: content },
  { name: "books", faults: books },
  { name: "ends", faults: ends },
  { name: "dead", faults: dead },
  { name: "giants", faults: giants },
  { name: "upgrades", faults: upgrades },
  { name: "answers", faults: answers },
  { name: "pace", faults: unevenPace },
  { name: "listings", faults: [...listings, about("terminate", 25_000)] },
  { name: "hangs", faults: hangs },
];

/** How a service may read what the document leaves open, one of the ways by chance. */
export function chooseReadings(seed: number): object {
  const random = createRandom(seed);
  const pick = <T>(choices: readonly T[]) => choices[Math.floor(random() * choices.length)] as T;
  return {
    book: pick(["delta", "delta", "whole", "delta-with-resets"]),
    hello: pick(["at-once", "at-once", "late"]),
    hello_delay_ms: 1500,
    first_previous: pick(["null", "same"]),
    trades_backlog: pick([50, 50, 500]),
    sequences: pick(["chained", "chained", "first-null"]),
    account_lists: pick(["changed-rows", "changed-lists", "everything"]),
    cursor: pick(["transaction", "id", "timestamp"]),
  };
}
