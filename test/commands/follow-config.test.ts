import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Context } from "../../src/args/context.ts";
import { followConfig } from "../../src/commands/screen/follow-config.ts";
import { parseConfig, watchConfig } from "../../src/config/config-file.ts";
import { getAction } from "../../src/screen/keymap.ts";
import { Appearance, DEFAULT_THEME } from "../../src/screen/theme/theme.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "monitor-follow-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A dashboard that follows a file, which is looked at from the first second on. */
async function follow(text: string) {
  const path = join(folder, "config.toml");
  writeFileSync(path, text);
  const clock = createVirtualClock();
  const { dashboard } = openDashboard(new MarketFeed());
  const appearance = new Appearance(new StyleTable(), DEFAULT_THEME);
  const alerts: string[] = [];
  const stop = followConfig({ clock, options: { config: path }, env: {} } as unknown as Context, {
    config: parseConfig(text, path),
    dashboard,
    appearance,
    onConfig: (config) => alerts.push(...(config.alerts ?? []).map(({ when }) => when)),
  });
  clock.advance(1000);
  while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
  /** Saves another text; answers the warning that is told when it has been looked at. */
  const save = async (changed: string) => {
    writeFileSync(path, changed);
    const isTold = new Promise<void>((resolve) => {
      const { warn } = dashboard;
      dashboard.warn = (warning) => {
        dashboard.warn = warn;
        warn.call(dashboard, warning);
        resolve();
      };
    });
    clock.advance(1000);
    await isTold;
    return dashboard.warning.replace(folder, "");
  };
  const state = () => ({
    theme: appearance.choice.theme,
    quits: getAction("J", [], dashboard.keymap) === "quit",
    aliases: dashboard.aliases,
    alerts: [...alerts],
  });
  return { save, state, stop };
}

test("a changed config file brings its theme, keys, aliases and alerts; a broken one changes nothing and is told", async () => {
  const { save, state, stop } = await follow('theme = "dark"');
  const whole = [
    'theme = "light"',
    'keys.quit = "J"',
    'aliases.BTC = "perp/1"',
    "[[alerts]]",
    'when = "perp/1 last > 65000"',
  ].join("\n");
  expect(await save(whole)).toBe("");
  const taken = {
    theme: "light",
    quits: true,
    aliases: { BTC: "perp/1" },
    alerts: ["perp/1 last > 65000"],
  };
  expect(state()).toEqual(taken);
  const broken = whole.replace("light", "mono").replace("BTC", "ETH").replace('"J"', '"j"');
  expect(await save(broken)).toMatch(
    /^config file not taken up: \/config.toml:2:\d+: keys.quit: j means quit and scrollDown/,
  );
  expect(state()).toEqual(taken);
  expect(await save(whole.replace("BTC", "ETH"))).toBe("");
  expect(state().aliases).toEqual({ ETH: "perp/1" });
  stop();
});

test("settings that count from the next start are named when they change, and only while they differ", async () => {
  const { save, stop } = await follow('interval = "5m"');
  const changed = 'interval = "5m"\ntheme = "light"\n[fields]\nequity = ["worth"]';
  expect(await save(changed)).toBe("config file taken up; from the next start: fields");
  expect(await save('ws_url = "wss://x.example"\n[headers]\nKey = "canary"')).toBe(
    "config file taken up; from the next start: interval, ws_url, headers",
  );
  expect(await save('interval = "5m"\ntheme = "dark"')).toBe("");
  stop();
});

function watch(
  text?: string,
  path = join(folder, "config.toml"),
  start = parseConfig(text ?? "", path),
) {
  if (text !== undefined) writeFileSync(path, text);
  const clock = createVirtualClock();
  let receive = (_: string) => {};
  const stop = watchConfig({
    location: { path, isNamed: false },
    clock,
    rules: [],
    start,
    isNeeded: false,
    onConfig: (config) => receive(JSON.stringify(config)),
    onProblem: (words) => receive(words.replace(folder, "")),
  });
  /** What is received after a second. */
  const next = () =>
    new Promise<string>((resolve) => {
      receive = resolve;
      clock.advance(1000);
    });
  return { path, clock, stop, next };
}

describe("a config file that changes while the program runs", () => {
  test("is taken up when it is right, and told with its place when it is broken", async () => {
    const { path, next } = watch('theme = "dark"');
    writeFileSync(path, 'theme = "light"\n[keys]\nquit = "U"\n');
    expect(await next()).toBe('{"theme":"light","keys":{"quit":"U"}}');
    writeFileSync(path, 'theme = "light"\n\nthem = 5');
    expect(await next()).toBe("/config.toml:3:1: them: unknown key; did you mean theme?");
    writeFileSync(path, 'theme = "mono"');
    expect(await next()).toBe('{"theme":"mono"}');
  });

  test("is taken up although it changed between the start and the first look", async () => {
    const start = parseConfig('theme = "dark"', "config.toml");
    const { next } = watch('theme = "light"', undefined, start);
    expect(await next()).toBe('{"theme":"light"}');
  });

  test("is not taken up anew when it is saved as it was, but when it is mended", async () => {
    const { path, next } = watch('theme = "dark"');
    writeFileSync(path, '# As before.\ntheme = "dark"\n');
    const isLeft = next();
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    writeFileSync(path, "theme = 5");
    expect(await Promise.race([isLeft, next()])).toMatch(/theme: expected string/);
    writeFileSync(path, 'theme = "dark"');
    expect(await next()).toBe('{"theme":"dark"}');
  });

  test("that changes once more while it is read is taken up as it is then", async () => {
    const { path, clock, next } = watch('theme = "dark"');
    execFileSync("sh", ["-c", `mkfifo "${path}.pipe"`]);
    renameSync(`${path}.pipe`, path);
    clock.advance(1000);
    unlinkSync(path);
    writeFileSync(path, 'theme = "mono"');
    expect(await next()).toBe('{"theme":"mono"}');
    const said: string[] = [];
    void next().then((words) => said.push(words));
    clock.advance(60_000);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(said).toEqual([]);
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
