// A client that only writes down what comes, against a simulated exchange with faults, on a virtual clock.
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { FaultName } from "../../../src/simulator/faults/fault-kinds.ts";
import { decodeScenario, loadScenario } from "../../../src/simulator/scenarios/scenario.ts";
import { startSimulator } from "../../../src/simulator/simulator.ts";
import { settleLoopback, watchLoopback } from "../../support/loopback.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const STEP_MS = 100;

/** Everything that one connection brought. */
export interface Heard {
  readonly socket: WebSocket;
  /** Text messages as they came. */
  readonly texts: string[];
  /** Lengths of binary messages. */
  readonly binaries: number[];
  pongs: number;
  closeCode: number | undefined;
  /** HTTP status in place of an upgrade, with Retry-After. */
  refused: readonly [number, string | undefined] | undefined;
  error: Error | undefined;
}

/** @param scenario name of a built-in scenario, or the faults of one */
export async function startFaultRig(scenario: string | readonly object[], readings: object = {}) {
  watchLoopback();
  const clock = createVirtualClock();
  const struck = new Map<FaultName, number>();
  const simulator = await startSimulator({
    seed: 3,
    history: 0,
    port: 0,
    clock,
    scenario:
      typeof scenario === "string"
        ? loadScenario(scenario)
        : decodeScenario({ name: "test", description: "", readings, faults: scenario }, "test"),
    onFault: (kind) => struck.set(kind, (struck.get(kind) ?? 0) + 1),
  });
  onTestFinished(() => simulator.close());
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
    async connect(...channels: string[]): Promise<Heard> {
      const socket = new WebSocket(simulator.announcement.ws_url, { perMessageDeflate: false });
      onTestFinished(() => socket.terminate());
      const heard = listen(socket);
      await settleLoopback();
      for (const channel of channels) command(heard, "subscribe", channel);
      await settleLoopback();
      return heard;
    },
    settle: settleLoopback,
  };
}

/** A client of a simulated exchange with these faults. */
export async function openFaulty(scenario: string | readonly object[], ...channels: string[]) {
  const rig = await startFaultRig(scenario);
  return { rig, heard: await rig.connect(...channels) };
}

export function command({ socket }: Heard, type: string, channel: string): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ type, channel }));
}

function listen(socket: WebSocket): Heard {
  const heard: Heard = {
    socket,
    texts: [],
    binaries: [],
    pongs: 0,
    closeCode: undefined,
    refused: undefined,
    error: undefined,
  };
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) heard.binaries.push(data.length);
    else heard.texts.push(String(data));
  });
  socket.on("pong", () => {
    heard.pongs++;
  });
  socket.on("close", (code) => {
    heard.closeCode = code;
  });
  socket.on("error", (error) => {
    heard.error = error;
  });
  socket.on("unexpected-response", (request, response) => {
    heard.refused = [response.statusCode ?? 0, response.headers["retry-after"]];
    request.destroy();
  });
  return heard;
}

/** Frames of a channel that can be read. */
// biome-ignore lint/suspicious/noExplicitAny: what a frame holds is what the tests find out
export function updatesIn({ texts }: Heard, channel: string): any[] {
  return texts.flatMap((text) => {
    try {
      const value = JSON.parse(text);
      return value.type === "update" && value.channel === channel ? [value] : [];
    } catch {
      return [];
    }
  });
}

/** Frames of a sequenced channel that do not name the one before. */
export function gapsIn(heard: Heard, channel: string): number {
  const frames = updatesIn(heard, channel);
  return frames.slice(1).filter((frame, i) => frame.previous_sequence !== frames[i].sequence)
    .length;
}

/** Count of text messages that are no JSON. */
export function unreadable({ texts }: Heard): number {
  return texts.filter((text) => {
    try {
      JSON.parse(text);
      return false;
    } catch {
      return true;
    }
  }).length;
}
