// How traders draw numbers.
import type { Random } from "../../units/random.ts";

/** A number in a range. Never throws. */
export function between(random: Random, [low, high]: readonly [number, number]): number {
  return low + random() * (high - low);
}

/** A size in lots: mostly below the mean, now and then many times larger, often a round number. Never throws. */
export function drawLots(random: Random, meanLots: number): number {
  const lots = Math.max(1, Math.round((meanLots * 0.3) / (random() + 0.03)));
  if (lots < 20 || random() < 0.5) return lots;
  const round = 10 ** (String(lots).length - 1);
  return Math.round(lots / round) * round;
}
