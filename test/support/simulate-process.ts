// `monitor simulate` as its user starts it, for all tests of a file.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect } from "vitest";
import type { Announcement } from "../../src/simulator/simulator.ts";
import { ROOT } from "./documents.ts";

/** Called once at the top of a file; answers the line that it has printed, when tests run. */
export function simulateForFile(...args: readonly string[]): () => Announcement {
  let child: ChildProcess;
  let announcement: Announcement;
  beforeAll(async () => {
    child = spawn(process.execPath, [`${ROOT}bin/monitor.js`, "simulate", ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(child.stdout as NonNullable<typeof child.stdout>, "data");
    announcement = JSON.parse(String(line));
  });
  afterAll(async () => {
    child.kill("SIGTERM");
    expect((await once(child, "exit"))[0]).toBe(0);
  });
  return () => announcement;
}
