// Starts the simulated exchange in a worker thread: it never takes time from the event loop of a client, and its code is
// in the worker's file only.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { AccountChoice } from "../select/account.ts";
import type { FillsOwner } from "../select/listing-rows.ts";
import type { Announcement } from "../simulator/simulator.ts";
import { MonitorError } from "../units/monitor-error.ts";
import type { WorkerCommand, WorkerInput, WorkerOutput } from "./simulator-worker.ts";

/** A simulated exchange that listens, until `close`. */
export interface SimulatorThread {
  readonly wsUrl: string;
  readonly baseUrl: string;
  /** A subaccount that trades. */
  readonly account: AccountChoice;
  /** The same one, as the listings name it. */
  readonly owner: FillsOwner;
  /** All of it in wire names. */
  readonly announcement: Announcement;
  close(): Promise<void>;
}

/**
 * @param options as on the command line; `port` of any free one when it is left out
 * @param abandoned nobody waits for the start any more: the thread ends, and this never answers
 * @throws {MonitorError} when the simulated exchange cannot start, or its scenario is wrong
 */
export async function startSimulatorThread(
  { seed, scenario, history, port }: WorkerInput,
  abandoned?: AbortSignal,
): Promise<SimulatorThread> {
  const workerData: WorkerInput = { seed, scenario, history, port };
  const worker = new Worker(workerUrl(), { workerData });
  const abandon = () => void worker.terminate();
  abandoned?.addEventListener("abort", abandon);
  const [output] = (await once(worker, "message")) as [WorkerOutput];
  abandoned?.removeEventListener("abort", abandon);
  if (output.type === "failed") {
    await worker.terminate();
    const { code, kind, message, advice } = output;
    throw new MonitorError(code, kind, message, { advice });
  }
  const { announcement } = output;
  const { ws_url, base_url, account } = announcement;
  return {
    announcement,
    wsUrl: ws_url,
    baseUrl: base_url,
    account: { address: account.address, subaccountId: String(account.subaccount_id) },
    owner: { owner: account.owner, subaccountId: account.subaccount_id },
    async close() {
      const exited = once(worker, "exit");
      worker.postMessage("close" satisfies WorkerCommand);
      await exited;
    },
  };
}

const WORKER = "simulator-worker.js";

/** Once built, this code and the worker lie in one folder. */
function workerUrl(): URL {
  return new URL(WORKER, import.meta.url);
}
