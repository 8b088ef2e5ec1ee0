import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { loadScenario } from "../../src/simulator/scenarios/scenario.ts";
import type { WorkerInput, WorkerOutput } from "../../src/simulator/worker.ts";
import { openClient } from "./rig.ts";

let folder: string;
let entry: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "simulator-worker-"));
  entry = join(folder, "worker.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("../../src/simulator/worker.ts", import.meta.url))],
    outfile: entry,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
});
afterAll(() => rm(folder, { recursive: true }));

function startWorker(port: number): Worker {
  const workerData: WorkerInput = { seed: 5, scenario: loadScenario("steady"), history: 100, port };
  const worker = new Worker(entry, { workerData });
  onTestFinished(async () => {
    await worker.terminate();
  });
  return worker;
}

const firstWord = (worker: Worker) =>
  new Promise<WorkerOutput>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });

test("a worker announces where it listens, lets real time pass, and ends when it is told to", async () => {
  const worker = startWorker(0);
  const output = await firstWord(worker);
  if (output.type !== "listening") throw new Error(output.message);
  const client = await openClient(output.announcement.ws_url);
  client.send({ type: "subscribe", channel: "market-stats/perp" });
  while (client.updates("market-stats/perp").length < 2) await client.settle();
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  const closed = new Promise((resolve) => client.socket.once("close", resolve));
  worker.postMessage("close");
  expect(await ended).toBe(0);
  await closed;
});

test("a worker that cannot listen says why and ends", async () => {
  const first = await firstWord(startWorker(0));
  if (first.type !== "listening") throw new Error(first.message);
  const port = Number(new URL(first.announcement.base_url).port);
  const second = startWorker(port);
  const ended = new Promise((resolve) => second.once("exit", resolve));
  expect(await firstWord(second)).toEqual({
    type: "failed",
    code: "port-in-use",
    message: `port ${port} is in use`,
  });
  expect(await ended).toBe(0);
});
