// What earlier versions had: whoever still types it is told what to use instead, and old files do not keep the program from starting.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startForeignService } from "../support/foreign-service.ts";
import { runInside } from "../support/monitor-inside.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

const NOWHERE = ["--ws-url", "ws://127.0.0.1:9"];

describe("a removed name", () => {
  test.each([
    ["perp/1 --red-up", '--red-up is gone\ninstead: rising = "red" in the config file'],
    ["--svg=x.svg demo --once", "--svg is gone\ninstead: --once, which prints the screen as text"],
    ["demo --inline 12", "--inline is gone\ninstead: --plain, which prints lines"],
    ["watch --metrics-file x.prom", "--metrics-file is gone\ninstead: --metrics [HOST:]PORT"],
    ["tail markets --strict --x", /^monitor: --strict is gone\ninstead: monitor doctor.*\n$/],
    ["cache clear", "monitor cache is gone\nleave it out"],
    ["schema live", "monitor schema is gone\ninstead: the files in docs/schemas"],
    ["help schema", "monitor schema is gone\ninstead: the files in docs/schemas"],
  ])("on the command line ends it with 2 and two lines: %s", async (line, message) => {
    expect(await runInside(line.split(" "))).toEqual({
      code: 2,
      stdout: "",
      stderr:
        typeof message === "string" ? `monitor: ${message}\n` : expect.stringMatching(message),
    });
  });

  test("in a config file is ignored by a run, and named by config check", async () => {
    const config = join(folderOfTest(), "config.toml");
    writeFileSync(
      config,
      'theme = "mine"\npalette = "tritanopia"\naudit = false\n[themes.mine]\nbase = "dark"\n',
    );
    const run = await runInside(["perp/1", "--for", "1ms", ...NOWHERE, "--config", config]);
    expect(run.code).toBe(1);
    expect(run.stderr).not.toContain("config");
    const check = await runInside(["config", "check", "--config", config]);
    expect(check).toEqual({
      code: 2,
      stdout: [
        `${config}:2:1: palette: this key is gone; instead: colours = "usual" or "colour-blind"\n`,
        `${config}:3:1: audit: this key is gone\n`,
        `${config}:4:1: themes: this key is gone; instead: theme, with a built-in one\n`,
      ].join(""),
      stderr: `monitor: the config file has 3 problems: ${config}\nmend it where it says\n`,
    });
  });

  test("in the state of earlier runs does not keep the dashboard from starting", async () => {
    const service = await startForeignService({ quietAfterMs: 600 });
    onTestFinished(service.close);
    const folder = folderOfTest();
    mkdirSync(join(folder, "monitor"));
    const state = {
      layout: { panes: { tape: { isHidden: true } }, preset: "layoutTape" },
      layouts: { day: { shown: ["trades"] } },
      watchlist: { configured: [], markets: ["perp/2", "none"] },
      book: { "perp/1": { grouping: "10" }, depth: 7 },
      chart: { vwap: "entry", heatColumn: "5s" },
      history: ["view grid", "layout day"],
      alerts: [{ text: "perp/1 last >", setAtWallMs: 1 }],
    };
    writeFileSync(join(folder, "monitor", "state.json"), JSON.stringify(state));
    const screen = new MonitorScreen(["perp/1", "--ws-url", service.wsUrl], {
      env: { XDG_DATA_HOME: folder },
    });
    await screen.until((text) => /live/.test(text));
    await screen.leave();
  });
});
