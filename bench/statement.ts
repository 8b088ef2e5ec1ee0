// P12: a statement of 100,000 fills, from the first request to its daily sums: the first run, which stores what was proven, and the
// second, which requests only newer fills.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFills } from "../src/statement/fills.ts";
import { StatementFold } from "../src/statement/fold.ts";
import { runBench } from "./harness/bench.ts";
import { createClient } from "./harness/export-all.ts";
import { atMost, type Effort, type Figure } from "./harness/figure.ts";
import { LISTER } from "./harness/places.ts";

/** The taker of all listed trades. */
const OWNER = { owner: `0x${"cd".repeat(20)}`, subaccountId: 2 };

/** @returns seconds */
async function statement(port: number, path: string, rows: number): Promise<number> {
  const start = performance.now();
  const client = createClient(port);
  const read = await readFills({
    owner: OWNER,
    client,
    baseUrl: `http://127.0.0.1:${port}`,
    signal: new AbortController().signal,
    folder: path,
  });
  const fold = new StatementFold(OWNER, (ms) => new Date(ms).toISOString().slice(0, 10));
  for await (const fills of read.pages()) for (const fill of fills) fold.add(fill);
  await client.close();
  const { fills } = fold.statement();
  if (!read.isComplete || fills !== rows) throw new Error(`${fills} of ${rows}: ${read.proof}`);
  return (performance.now() - start) / 1000;
}

async function measure(effort: Effort): Promise<readonly Figure[]> {
  const rows = effort.pick(100_000, 1200);
  const folder = await mkdtemp(join(tmpdir(), "monitor-bench-"));
  const lister = fork(LISTER, [String(rows), "0"]);
  const [port] = (await once(lister, "message")) as [number];
  try {
    const first = await statement(port, folder, rows);
    const second = await statement(port, folder, rows);
    return [
      {
        id: "P12",
        what: `a statement of ${rows} fills, the first`,
        unit: "s",
        ours: first,
        goal: atMost("ours", 20),
      },
      { id: "", what: "the same, the second", unit: "s", ours: second },
    ];
  } finally {
    lister.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
}

runBench(measure);
