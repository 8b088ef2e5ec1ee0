// 2: what a calm market costs: share of a core, 160x50, about 65 updates a second.
import { median, type Row } from "./measure.ts";
import { measureShares } from "./processes.ts";

export async function measure(): Promise<readonly Row[]> {
  const shares = await measureShares({ service: [], columns: 160, rows: 50 });
  const rate = median(shares.map(({ updatesPerSecond }) => updatesPerSecond));
  return [
    {
      what: `share of a core in a calm market, 160x50, ${Math.round(rate)} updates/s`,
      ...{ unit: "%", ours: median(shares.map(({ program }) => program)), goal: ["ours", "≤", 5] },
      other: { name: "bare client", value: median(shares.map(({ bare }) => bare)) },
    },
  ];
}
