// Starts the feeder process.
import { fork } from "node:child_process";
import { once } from "node:events";
import { FEEDER } from "./places.ts";

export interface Feeder {
  /** Its address without a path. */
  readonly url: string;
  close(): void;
}

export async function startFeeder(): Promise<Feeder> {
  const child = fork(FEEDER, { execArgv: [] });
  const [port] = await once(child, "message");
  return { url: `ws://127.0.0.1:${port}`, close: () => child.disconnect() };
}
