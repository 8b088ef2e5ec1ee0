import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Context } from "../../src/args/context.ts";
import { parseConfig } from "../../src/config/config-file.ts";
import { followConfig } from "../../src/config/config-follow.ts";
import { actionOf } from "../../src/screen/keymap.ts";
import { Appearance, USUAL_THEME } from "../../src/screen/theme/theme.ts";
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
  const appearance = new Appearance(new StyleTable(), USUAL_THEME);
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
    quits: actionOf("Z", [], dashboard.keymap) === "quit",
    aliases: dashboard.aliases,
    alerts: [...alerts],
  });
  return { save, state, stop };
}

test("a changed config file brings its theme, keys, aliases and alerts; a broken one changes nothing and is told", async () => {
  const { save, state, stop } = await follow('theme = "dark"');
  const whole = [
    'theme = "light"',
    'keys.quit = "Z"',
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
  const broken = whole.replace("light", "mono").replace("BTC", "ETH").replace('"Z"', '"j"');
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
