// The rig for exchanges with faults: clients that may never open or answer, and time in steps after each of which
// everything that was sent has arrived.
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { FaultName } from "../../../src/simulator/faults/fault-kinds.ts";
import { settleLoopback, watchLoopback } from "../../support/loopback.ts";
import { Client, startRig } from "../rig.ts";

const STEP_MS = 100;

/** @param scenario name of a built-in scenario, or the faults of one */
export async function startFaultRig(scenario: string | readonly object[], readings: object = {}) {
  watchLoopback();
  const struck = new Map<FaultName, number>();
  const { simulator, clock } = await startRig({
    seed: 3,
    scenario: typeof scenario === "string" ? scenario : { readings, faults: scenario },
    onFault: (kind) => struck.set(kind, (struck.get(kind) ?? 0) + 1),
  });
  return {
    simulator,
    clock,
    struck,
    /** Lets time pass; what happened then has arrived. */
    async pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.advance(Math.min(STEP_MS, left));
        await settleLoopback();
      }
    },
    /** Opens a client, subscribes, and waits for what comes at once. */
    async connect(...channels: string[]): Promise<Client> {
      const socket = new WebSocket(simulator.announcement.ws_url, { perMessageDeflate: false });
      onTestFinished(() => socket.terminate());
      const client = new Client(socket);
      await settleLoopback();
      for (const channel of channels) client.command("subscribe", channel);
      await settleLoopback();
      return client;
    },
    settle: settleLoopback,
  };
}

/** A client of a simulated exchange with these faults. */
export async function openFaulty(scenario: string | readonly object[], ...channels: string[]) {
  const rig = await startFaultRig(scenario);
  return { rig, client: await rig.connect(...channels) };
}
