// 2: what a calm market costs: share of a core, 160x50.
import { median, type Row } from "./measure.ts";
import { measureShares } from "./processes.ts";

export async function measure(): Promise<readonly Row[]> {
  const { ours, bare, updates } = await measureShares({ service: [], columns: 160, rows: 50 });
  const what = `share of a core in a calm market, 160x50, ${Math.round(median(updates))} updates/s`;
  const other = { name: "bare client", value: median(bare) };
  return [{ what, unit: "%", ours: median(ours), other, goal: ["ours", "≤", 5] }];
}
