// The config file as its user meets it: found, printed, checked, and refused when it is broken.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startMarketService } from "../support/market-service.ts";
import { runMonitor } from "../support/monitor-inside.ts";
import { runMonitor as runProcess } from "../support/monitor-process.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const folder = folderOfFile();

const write = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe("monitor completion", () => {
  const offered = async (line: string) => {
    const path = write("names.toml", '[aliases]\nbtc = "perp/1"\n[profiles.paper]\n');
    const env = { COMP_LINE: `monitor ${line}`, MONITOR_CONFIG: path };
    const { stdout } = await runProcess(["completion", "words"], { env });
    return stdout.split("\n").filter(Boolean);
  };

  test.each(["bash", "zsh", "fish"])("prints a script for %s", async (shell) => {
    const { code, stdout } = await runMonitor(["completion", shell]);
    expect(code).toBe(0);
    expect(stdout).toContain("monitor completion words");
  });

  test("offers commands, markets of the config file, options and their values", async () => {
    expect(await offered("")).toEqual(expect.arrayContaining(["demo", "export", "btc", "spot/1"]));
    expect(await offered("tail --e")).toEqual(["--events"]);
    expect(await offered("perp/1 --theme ")).toContain("high-contrast");
    expect(await offered("perp/1 --profile p")).toEqual(["paper"]);
    expect(await offered("perp/1 --log ")).toEqual([]);
    expect(await offered("config ")).toEqual(["path", "print", "check"]);
  });

  test("of an unknown shell is refused", async () => {
    expect(await runMonitor(["completion", "csh"])).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("monitor config", () => {
  test("path says where the file is looked for", async () => {
    const { code, stdout } = await runProcess(["config", "path"], {
      env: { XDG_CONFIG_HOME: "/somewhere" },
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "/somewhere/monitor/config.toml\n" });
    const named = await runMonitor(["config", "path", "--config", "/x.toml"]);
    expect(named.stdout).toBe("/x.toml\n");
  });

  test("print writes a file that check finds nothing wrong with", async () => {
    const printed = await runMonitor(["config", "print"]);
    const path = write("printed.toml", printed.stdout);
    const checked = await runMonitor(["config", "check", "--config", path]);
    expect(checked).toMatchObject({ code: 0, stdout: `${path}: no problems\n`, stderr: "" });
  });

  test("check names every problem by its key, and ends with 2", async () => {
    const path = write("broken.toml", 'ws_url = 5\n\nintervall = "1m"\n');
    const { code, stdout, stderr } = await runMonitor(["config", "check", "--config", path]);
    expect(code).toBe(2);
    expect(stdout.trimEnd().split("\n")).toEqual([
      `${path}: ws_url: expected string, received number`,
      `${path}: intervall: unknown key; did you mean interval?`,
    ]);
    expect(stderr).toContain("the config file has problems");
  });

  test.each([
    ['ws_url = "http://x"', "ws_url of the config file is not such an address: http://x"],
    ['headers = { "X Y" = "secret" }', "headers is not of its form"],
  ])("check refuses %s", async (text, message) => {
    const path = write("addresses.toml", text);
    const { code, stderr } = await runMonitor(["config", "check", "--config", path]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr).not.toContain("secret");
  });

  test("check says that there is no file where none is needed", async () => {
    const { code, stdout } = await runMonitor(["config", "check"]);
    expect(code).toBe(0);
    expect(stdout).toContain("there is no config file, and none is needed");
  });

  test("a broken file stops a run before anything is sent, with its first problem", async () => {
    const path = write("stops.toml", 'interval = "2m"\n');
    const { code, stdout, stderr } = await runMonitor(["perp/1", "--once", "--config", path]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`monitor: ${path}: interval: expected one of`);
  });

  test("an unknown action names the known ones", async () => {
    const { code, stderr } = await runMonitor(["config", "edit"]);
    expect(code).toBe(2);
    expect(stderr).toContain("expected: path, print or check");
  });
});

test("on the screen :set changes how it looks, at once and in the runs after it", async () => {
  const service = await startMarketService();
  onTestFinished(service.close);
  const path = write("look.toml", 'numbers = "grouped"\n');
  const start = () =>
    new MonitorScreen(["perp/1", "--ws-url", service.wsUrl, "--config", path], {
      env: { COLORTERM: "truecolor", XDG_DATA_HOME: folder },
    });
  const light = "48;2;255;255;255";
  const screen = start();
  await screen.until((text) => /live/.test(text));
  expect(screen.output).not.toContain(light);
  screen.type(":set theme light\r");
  await screen.until((text) => text.includes("theme = light"));
  expect(screen.output).toContain(light);
  screen.type(":numbers plain\r");
  await screen.until((text) => text.includes("numbers = plain"));
  screen.type(":zone berlin\r");
  await screen.until((text) => text.includes("time_zone = Europe/Berlin"));
  await screen.leave();
  const next = start();
  await next.until((text) => /live/.test(text));
  expect(next.output).toContain(light);
  await next.leave();
});
