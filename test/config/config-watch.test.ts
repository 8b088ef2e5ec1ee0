import { mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { watchConfig } from "../../src/config/config-watch.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "monitor-watch-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function watch(text?: string, path = join(folder, "config.toml")) {
  if (text !== undefined) writeFileSync(path, text);
  const clock = createVirtualClock();
  let tell = (_: string) => {};
  const stop = watchConfig({
    location: { path, isNamed: false },
    clock,
    onConfig: (config) => tell(JSON.stringify(config)),
    onProblem: (problem) => tell(problem.replace(folder, "")),
  });
  /** What is told after a second. */
  const next = () =>
    new Promise<string>((resolve) => {
      tell = resolve;
      clock.advance(1000);
    });
  return { path, clock, stop, next };
}

describe("a config file that changes while the program runs", () => {
  test("is taken up when it is right, and told with its place when it is broken", async () => {
    const { path, next } = watch('theme = "dark"');
    writeFileSync(path, 'theme = "light"\n[keys]\nquit = "Z"\n');
    expect(await next()).toBe('{"theme":"light","keys":{"quit":"Z"}}');
    writeFileSync(path, 'theme = "light"\n\nthem = 5');
    expect(await next()).toBe("/config.toml:3:1: them: unknown key; did you mean theme?");
    writeFileSync(path, 'theme = "mono"');
    expect(await next()).toBe('{"theme":"mono"}');
  });

  test("counts as empty when it is gone, and may come later", async () => {
    const { path, next } = watch();
    writeFileSync(path, "red_up = true");
    expect(await next()).toBe('{"red_up":true}');
    unlinkSync(path);
    expect(await next()).toBe("{}");
  });

  test("may be where no folder is yet, but a file of that name", async () => {
    const parent = join(folder, "monitor");
    writeFileSync(parent, "");
    const { path, next } = watch(undefined, join(parent, "config.toml"));
    unlinkSync(parent);
    mkdirSync(parent);
    writeFileSync(path, "red_up = true");
    expect(await next()).toBe('{"red_up":true}');
  });

  test("is left alone while it stays as it is, and when nobody looks any more", () => {
    const { path, clock, stop } = watch('theme = "dark"');
    clock.advance(5000);
    expect(clock.pending).toBe(1);
    stop();
    writeFileSync(path, "red_up = true");
    clock.advance(5000);
    expect(clock.pending).toBe(0);
  });
});
