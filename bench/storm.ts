// 3: what a storm costs: 10,000 updates a second and 60 frames, over a client that only reads and parses.
import { median, medianRatio, type Row } from "./measure.ts";
import { measureShares } from "./processes.ts";

export async function measure(): Promise<readonly Row[]> {
  const shares = await measureShares({ service: ["--scenario", "busy"] });
  const program = shares.map((share) => share.program);
  const bare = shares.map((share) => share.bare);
  const rate = median(shares.map(({ updatesPerSecond }) => updatesPerSecond));
  return [
    {
      what: `share of a core, ${Math.round(rate)} updates/s, 60 frames/s; over a bare client`,
      ...{ unit: "%", ours: median(program), ratio: medianRatio(program, bare) },
      ...{ other: { name: "bare client", value: median(bare) }, goal: ["ratio", "≤", 1.5] },
    },
  ];
}
