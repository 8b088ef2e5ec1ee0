// Machines that lack what most have: a home folder, folders that can be written, a current folder.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMarketService } from "../support/market-service.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const folder = folderOfFile();
const homeless = join(folder, "homeless.cjs");
let service: Awaited<ReturnType<typeof startMarketService>>;

beforeAll(async () => {
  service = await startMarketService();
  // As for a user whom the system does not know by name.
  writeFileSync(
    homeless,
    'require("os").homedir = () => { throw new Error("uv_os_homedir returned ENOENT"); };',
  );
});
afterAll(() => service.close());

describe.concurrent("without a home folder", () => {
  const env = { HOME: "", NODE_OPTIONS: `--require ${homeless}` };

  test("commands run, and say once that nothing is kept", async () => {
    const args = ["perp/1", "--once", "--ws-url", service.wsUrl];
    const { code, stdout, stderr } = await runMonitor(args, { env });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^.*home folder.*\n$/),
    });
    expect(stdout).toContain("perp/1");
  });

  test("the config file has no place of its own, but one that is named", async () => {
    const { code, stderr } = await runMonitor(["config", "path"], { env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/home folder\n.*MONITOR_CONFIG\n$/),
    });
    const named = { ...env, MONITOR_CONFIG: "/dev/null" };
    expect(await runMonitor(["config", "path"], { env: named })).toMatchObject({ code: 0 });
  });
});

test.each([
  ["relative", "/home/me/.config/monitor/config.toml\n"],
  ["/absolute", "/absolute/monitor/config.toml\n"],
])("XDG_CONFIG_HOME=%s", async (XDG_CONFIG_HOME, path) => {
  const env = { HOME: "/home/me", XDG_CONFIG_HOME };
  expect((await runMonitor(["config", "path"], { env })).stdout).toBe(path);
});

test("a dashboard whose settings cannot be kept says so when it ends", async () => {
  const screen = new MonitorScreen(["perp/1", "--ws-url", service.wsUrl]);
  await screen.until((text) => text.includes("─ Book "));
  await screen.leave();
  expect(screen.lines.join("\n")).toMatch(/monitor: what was set is not kept: cannot write/);
});

test("a current folder that was deleted is said", async () => {
  const gone = join(folder, "gone");
  const { code, stderr } = await runMonitor(["markets", "--once", "--ws-url", service.wsUrl], {
    shell: { before: `mkdir ${gone}; cd ${gone}; rmdir ${gone}` },
  });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining("folder"),
  });
});
