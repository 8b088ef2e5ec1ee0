// 3: what a storm costs: 10,000 updates a second and 60 frames, over a client that only reads and parses.
import { compare, median, type Row } from "./measure.ts";
import { BUSY, measureShares } from "./processes.ts";

export async function measure(): Promise<readonly Row[]> {
  const { ours, bare, updates } = await measureShares({ service: BUSY });
  const what = `share of a core, ${Math.round(median(updates))} updates/s, 60 frames/s`;
  return [compare(what, "%", [ours, bare], ["bare client", "≤", 1.5])];
}
