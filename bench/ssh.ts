// 10: bytes a second to a terminal of 120x40, as over SSH: a busy market at 60 and at 10 frames a second, and a calm one.
import { median, type Row } from "./measure.ts";
import { BUSY, measureShares } from "./processes.ts";

async function bytesOf(words: string, service: readonly string[], fps: string, most: number) {
  const { bytes } = await measureShares({ service, args: ["--fps", fps], warmMs: 2000 });
  const what = `bytes/s to a terminal of 120x40, ${words}`;
  return { what, unit: "B/s", ours: median(bytes), goal: ["ours", "≤", most] } satisfies Row;
}

export async function measure(): Promise<readonly Row[]> {
  return [
    await bytesOf("10,000 updates/s, 60 frames/s", BUSY, "60", 110_000),
    await bytesOf("10,000 updates/s, 10 frames/s", BUSY, "10", 20_000),
    await bytesOf("a calm market", [], "60", 15_000),
  ];
}
