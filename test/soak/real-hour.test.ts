// A screen that is left open: an hour of the built program on real terminals. What a minute costs, and what is held, is what it
// was in the first minutes.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { onTestFinished, test } from "vitest";
import { systemClock } from "../../src/system/system-clock.ts";
import { pause } from "../../src/units/clock.ts";
import { isSoak, report, runs } from "../support/soak.ts";
import { openPty } from "../support/terminal/open-pty.ts";
import { createYardstick, expectFlat, LIMIT_MS, MIB, SIZE, type Stretch } from "./growth.ts";

/** Seconds of CPU and MiB of a process and its threads. */
function readProcess(pid: number): { readonly cpuMs: number; readonly memory: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const [userTicks, systemTicks, pages] = [fields[11], fields[12], fields[21]].map(Number);
  return {
    cpuMs: ((userTicks ?? 0) + (systemTicks ?? 0)) * 10,
    memory: ((pages ?? 0) * 4096) / MIB,
  };
}

const PROGRAM = fileURLToPath(new URL("../../bin/monitor.js", import.meta.url));

test.runIf(isSoak)(
  "an hour of the built program costs in each minute what the first ones cost",
  async () => {
    const minutes = runs(0, 60);
    const open = (...args: string[]) => {
      const { PATH = "" } = process.env;
      const { pty } = openPty(process.execPath, [PROGRAM, ...args], {
        cols: SIZE.columns,
        rows: SIZE.rows,
        env: { PATH, HOME: "/dev/null", TERM: "xterm-256color", COLORTERM: "truecolor" },
      });
      onTestFinished(() => pty.kill());
      return pty;
    };
    const announced = new Promise<string>((resolve) => {
      let text = "";
      open("simulate").onData((data) => {
        text += data;
        if (text.includes("}}")) resolve(text.replaceAll(/[\r\n]/g, ""));
      });
    });
    const { ws_url, base_url, account } = JSON.parse(await announced);
    const service = ["--ws-url", ws_url, "--base-url", base_url];
    const screens = {
      demo: open("demo"),
      market: open("perp/1", ...service),
      account: open("account", account.address, `${account.subaccount_id}`, ...service),
    };
    for (const { onData } of Object.values(screens)) onData(() => {});
    const names = Object.keys(screens) as (keyof typeof screens)[];
    const stretches = { demo: [], market: [], account: [] } as Record<string, Stretch[]>;
    let before = names.map((name) => readProcess(screens[name].pid));
    const yardstick = createYardstick();
    for (let minute = 1; minute <= minutes; minute++) {
      for (let second = 0; second < 60; second++) {
        await pause(systemClock, 1000, new AbortController().signal);
        yardstick.take();
      }
      const dearer = yardstick.read();
      const now = names.map((name) => readProcess(screens[name].pid));
      for (const [i, name] of names.entries()) {
        const cpuMs = ((now[i]?.cpuMs ?? 0) - (before[i]?.cpuMs ?? 0)) / dearer;
        const { memory } = now[i] ?? { memory: 0 };
        stretches[name]?.push({ cpuMs, memory });
        report(
          `minute ${minute}, ${name}: ${cpuMs.toFixed(0)} ms of CPU, ${memory.toFixed(0)} MiB`,
        );
      }
      before = now;
    }
    for (const name of names) expectFlat(`an hour, ${name}`, stretches[name] ?? []);
  },
  LIMIT_MS,
);
