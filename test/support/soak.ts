// The long forms of all that is tested by chance and by number: `npm run soak`. Tests in them have an hour each.

/** True in `npm run soak`. */
export const isSoak = process.env.MONITOR_SOAK === "long";

/** The first seed; MONITOR_SEED chooses another. */
export const SEED = Number(process.env.MONITOR_SEED ?? 1);

/** How many times something is tried; MONITOR_RUNS chooses another number. */
export const runs = (short: number, long: number): number =>
  Number(process.env.MONITOR_RUNS ?? (isSoak ? long : short));

/** Prints what was counted, in the long form only. */
export function report(text: string): void {
  if (isSoak) process.stdout.write(`${text}\n`);
}
