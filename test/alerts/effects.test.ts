// What a firing does beside being shown, on a virtual clock.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAlert } from "../../src/alerts/alert.ts";
import { createEffects } from "../../src/alerts/effects.ts";
import { parseRule } from "../../src/alerts/rule.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import type { Clock } from "../../src/units/clock.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

function alertWith(effects: { readonly exec?: readonly string[]; readonly record?: string }) {
  const when = "perp/1 last > 5";
  const parsed = parseRule(when, { market: undefined, findMarket: (name) => name });
  if ("fault" in parsed) throw new Error(parsed.fault);
  return createAlert(parsed.rule, { when, ...effects });
}

function start(clock: Clock, env = {}) {
  const saved: (readonly [folder: string, fromMs: number, atMs: number])[] = [];
  const faults: string[] = [];
  const effects = createEffects({
    ...{ clock, env },
    save: (folder, fromMs) => saved.push([folder, fromMs, clock.now()]),
    onFire() {},
    onFault: (text) => faults.push(text),
  });
  return { effects, saved, faults };
}

test("a recording ends a minute after the newest of its firings, and begins two before the first", async () => {
  const clock = createVirtualClock();
  const folder = folderOfTest();
  const { effects, saved } = start(clock);
  const alert = alertWith({ record: folder });
  const firstMs = clock.now();
  effects.fire(alert, {});
  clock.advance(40_000);
  effects.fire(alert, {});
  clock.advance(59_000);
  expect([saved, effects.isRecording]).toEqual([[], true]);
  clock.advance(1000);
  expect(saved).toEqual([[folder, firstMs - 120_000, firstMs + 100_000]]);
  effects.fire(alert, {});
  await effects.close();
  expect(saved).toHaveLength(2);
});

test("a folder takes twenty recordings; the next one is refused, which is said once", () => {
  const folder = join(folderOfTest(), "full");
  mkdirSync(folder);
  for (let i = 0; i < 20; i++)
    writeFileSync(join(folder, `2026-01-01T00-00-${10 + i}Z-perp-1.ndjson`), "");
  const { effects, faults } = start(createVirtualClock());
  for (let times = 0; times < 3; times++) effects.fire(alertWith({ record: folder }), {});
  expect(faults).toEqual([`alert not recorded: ${folder} holds 20 recordings`]);
  expect(effects.isRecording).toBe(false);
});

test("programs get the event on stdin and no secret of ours; a few run at once, faults are said once", async () => {
  const out = join(folderOfTest(), "out");
  const env = { PATH: process.env.PATH, MONITOR_HEADERS: "secret", NODE_OPTIONS: "secret" };
  const { effects, faults } = start(systemClock, env);
  effects.fire(alertWith({ exec: ["/bin/sh", "-c", `(cat; env) > ${out}`] }), { value: "6" });
  await effects.close();
  const text = readFileSync(out, "utf8");
  expect(text.split("\n", 1)).toEqual(['{"value":"6"}']);
  expect(text).not.toContain("secret");
  const failing = alertWith({ exec: ["/bin/sh", "-c", "exit 3"] });
  for (let times = 0; times < 6; times++) effects.fire(failing, {});
  await effects.close();
  expect(faults).toEqual([
    "program of an alert: /bin/sh: 4 programs run already",
    "program of an alert: /bin/sh: ended with exit code 3",
  ]);
});
