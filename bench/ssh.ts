// 10: bytes a second to a terminal of 120x40, as over SSH: a busy market at 60 and at 10 frames a second, and a calm one.
import { median, type Row } from "./measure.ts";
import { measureShares } from "./processes.ts";

const BUSY = ["--scenario", "busy"];

async function bytesOf(
  what: string,
  service: readonly string[],
  args: readonly string[],
  most: number,
): Promise<Row> {
  const shares = await measureShares({ service, args, warmMs: 3000, slices: 6 });
  const ours = median(shares.map(({ bytesPerSecond }) => bytesPerSecond));
  return {
    what: `bytes/s to a terminal of 120x40, ${what}`,
    unit: "B/s",
    ours,
    goal: ["ours", "≤", most],
  };
}

export async function measure(): Promise<readonly Row[]> {
  return [
    await bytesOf("10,000 updates/s, 60 frames/s", BUSY, [], 110_000),
    await bytesOf("10,000 updates/s, 10 frames/s", BUSY, ["--fps", "10"], 20_000),
    await bytesOf("a calm market", [], [], 15_000),
  ];
}
