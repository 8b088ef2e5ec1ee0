// The long forms of all that is tested by chance and by number: `npm run soak`. Tests in them have an hour each.

import { randomInt } from "node:crypto";

/** True in `npm run soak`. */
const isSoak = process.env.MONITOR_SOAK === "long";

/** The first seed; MONITOR_SEED chooses another. */
export const SEED = Number(process.env.MONITOR_SEED ?? 1);

/** The first seed of services that are new in each long run; MONITOR_SEED is that of a run before. */
export const FRESH_SEED = Number(
  process.env.MONITOR_SEED ?? (isSoak ? randomInt(1_000_000, 2 ** 31) : 1),
);

/** How many times something is tried; MONITOR_RUNS chooses another number. */
export const runs = (short: number, long: number): number =>
  Number(process.env.MONITOR_RUNS ?? (isSoak ? long : short));
