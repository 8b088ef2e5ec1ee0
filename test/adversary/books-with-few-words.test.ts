// Order books of which the best bid and offer say little: published every few seconds, beside books of few levels, beside
// snapshots in mid-stream. What they do not say speaks for no interpretation.
import { expect, test } from "vitest";
import { streamOf } from "./compose-stream.ts";
import { watchBooks } from "./watch-books.ts";

const SEEDS = [1, 2, 3, 4];
const slow = { levels: 2, bboEveryMs: 3_000, rate: 2 };

const services = {
  "whole books whose best prices are published every three seconds": [
    {},
    { ...slow, scheme: "snapshots" },
  ],
  "the same, of which no frame has a number": [
    { numbering: "null", hasNullSequences: true },
    { ...slow, scheme: "snapshots" },
  ],
  "changes whose best prices are published every three seconds": [{}, slow],
  "changes with snapshots in between": [
    { resnapshotShare: 0.2, resnapshotsHeld: true },
    { ...slow, scheme: "deltas-and-snapshots" },
  ],
  "changes of the five best levels, with snapshots in between": [
    { resnapshotShare: 0.02, timeJitterMs: 2 },
    { scheme: "deltas-and-snapshots", depth: 5, canBeEmpty: true, rate: 2 },
  ],
} as const satisfies Record<string, Parameters<typeof streamOf> | readonly [object, object]>;

test.each(Object.entries(services))(
  "%s are found out, and shown as they are",
  (_, [delivery, book]) => {
    for (const seed of SEEDS) {
      const { untrue, looks, marked, dimmed } = watchBooks(
        streamOf({ seed, ...delivery }, { book }),
        seed,
      );
      expect(untrue).toBe("");
      expect(marked / looks).toBeLessThan(0.2);
      expect(dimmed / looks).toBeLessThan(0.15);
    }
  },
);
