// Runs `monitor export …` and `monitor statement …` inside the process of the test, without pauses.
import { readFileSync } from "node:fs";
import { hurriedClock } from "./hurried-clock.ts";
import { runInside } from "./monitor-inside.ts";

interface Service {
  readonly baseUrl: string;
}

/** Words are separated by single spaces. */
export function monitor(words: string, { baseUrl }: Service, interrupt?: AbortSignal) {
  return runInside([...words.split(" "), "--base-url", baseUrl], interrupt, hurriedClock);
}

/** What a line has besides its record. */
const DERIVED = ["time", "role", "side", "fee_quote"];

/** The records of an NDJSON export. */
export function recordsOf(path: string): readonly object[] {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const record = JSON.parse(line) as Record<string, unknown>;
    for (const name of DERIVED) delete record[name];
    return record;
  });
}
