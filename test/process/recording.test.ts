// Recording and replaying as the user does it.
import { copyFile, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startMarketService } from "../support/market-service.ts";
import { runMonitor } from "../support/monitor-inside.ts";
import { type Finished, runUntilFile } from "../support/monitor-process.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

/** Some hundred frames of the demo. */
const ENOUGH_BYTES = 80_000;
/** What is left of a recording that is cut. */
const CUT_SHARE = 0.9;
const folder = folderOfFile();

describe.concurrent("a recorded run", () => {
  const runs = new Map<string, Promise<Finished>>();
  /** The demo, recorded until there is enough of it, once for each file. */
  function recordDemo(name: string) {
    const file = join(folder, name);
    const live = ["demo", "perp/1", "--json", "--for", "10m", "--history", "100", "--record", file];
    const run = runs.get(name) ?? runUntilFile(live, file, ({ length }) => length > ENOUGH_BYTES);
    runs.set(name, run);
    return run;
  }

  test("is replayed to the last byte", async () => {
    const name = "run.ndjson";
    const file = join(folder, name);
    const { code, stdout } = await recordDemo(name);
    expect(code).toBe(143);
    const again = await runMonitor(["replay", file, "perp/1", "--json"]);
    expect(again).toEqual({ code: 0, signal: null, stdout, stderr: "" });
    const once = await runMonitor(["replay", file, "--once"]);
    expect(once.stdout).toContain("market  perp/1");
    const part = join(folder, `cut-${name}`);
    await copyFile(file, part);
    await truncate(part, Math.floor((await stat(file)).size * CUT_SHARE));
    const cut = await runMonitor(["replay", part, "--json"]);
    expect(cut.code).toBe(0);
    const tradesOf = (json: string): object[] =>
      JSON.parse(json.trimEnd().split("\n").at(-1) ?? "").trades;
    expect(tradesOf(cut.stdout).length).toBeGreaterThan(0);
    expect(tradesOf(stdout)).toEqual(expect.arrayContaining(tradesOf(cut.stdout)));
  });

  test("of an account is replayed to the last byte, and holds no address when it was redacted", async ({
    onTestFinished,
  }) => {
    const address = "Demo1Address1Demo1Address1Demo1Addr";
    const service = await startMarketService();
    onTestFinished(service.close);
    const file = join(folder, "account.ndjson");
    const args = ["account", address, "0", "--json", "--once", "--redact", "--record", file];
    const { stdout } = await runMonitor([...args, "--ws-url", service.wsUrl]);
    expect(stdout).toContain(address);
    expect(await readFile(file, "utf8")).not.toContain(address);
    const again = await runMonitor(["replay", file, "--json"]);
    const shown = /RedactedA+1/.exec(again.stdout)?.[0] ?? "";
    expect(again.stdout.replaceAll(shown, address)).toBe(stdout);
  });

  test("of channels says what it holds, and what it lacks", async ({ onTestFinished }) => {
    const service = await startMarketService({ quietAfterMs: 400 });
    onTestFinished(service.close);
    const file = join(folder, "channels.ndjson");
    const args = ["record", "bbo/perp/1", "bbo/perp/9", "-o", file, "--ws-url", service.wsUrl];
    const { code, stdout, stderr } = await runUntilFile(args, file, (bytes) => {
      const isAll = bytes.includes(JSON.stringify(service.bbo));
      return service.isStill && isAll && bytes.includes("unknown here");
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    // That the user ended it is no loss of the connection.
    expect(await readFile(file, "utf8")).not.toContain('"disconnected"');
    expect(stderr).toMatch(/^\d+ updates of 1 of 2 channels, bbo\/perp\/9 refused \(404: /);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await runMonitor(["replay", file, "--json"]);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout).bbo).toEqual(service.bbo);
  });

  test("is shown on the dashboard, as what it is, and leaves the terminal as it was", async () => {
    await recordDemo("run.ndjson");
    const screen = new MonitorScreen(["replay", join(folder, "run.ndjson")]);
    await screen.until((text) => text.includes("REPLAY"));
    screen.type(";".repeat(10));
    await screen.until((text) => /REPLAY ■ end/.test(text) && /BTC-PERP +[▲▼] \d/.test(text));
    expect(screen.lines.join("\n")).toContain(" SIM");
    await screen.leave();
  });

  test("needs a file that is not there yet", async () => {
    const file = join(folder, "there.ndjson");
    await writeFile(file, "mine");
    const args = ["perp/1", "--json", "--once", "--ws-url", "ws://127.0.0.1:1", "--record", file];
    const { code, stderr } = await runMonitor(args);
    expect(code).toBe(2);
    expect(stderr).toContain("exists already");
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  test.each([
    [["replay", "/nonexistent/file"], "the recording cannot be read"],
    [["record", "bbo/perp/1", "--ws-url", "ws://127.0.0.1:1"], "record needs a file"],
    [["record", "books", "-o", "x", "--ws-url", "ws://127.0.0.1:1"], "not a channel: books"],
    [["replay", "/etc/hostname", "--json"], "is no recording"],
  ])("that cannot be made or read is told in one line: %j", async (args, words) => {
    const { code, stderr } = await runMonitor(args);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr.trimEnd().split("\n").length).toBe(2);
  });
});
