// Recording and replaying as the user does it.
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startForeignService } from "../support/foreign-service.ts";
import { runMonitor as runInside } from "../support/monitor-inside.ts";
import { runMonitor, runUntilFile } from "../support/monitor-process.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";

/** Some hundred frames of the demo, compressed or not. */
const ENOUGH_BYTES = 12_000;
/** What is left of a recording that is cut. */
const CUT_SHARE = 0.9;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "monitor-recording-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe.concurrent("a recorded run", () => {
  /** The demo, recorded until there is enough of it. */
  const recordDemo = (file: string) => {
    const live = ["demo", "perp/1", "--json", "--for", "10m", "--history", "100", "--record", file];
    return runUntilFile(live, file, ({ length }) => length > ENOUGH_BYTES);
  };

  test.each(["run.ndjson", "run.ndjson.gz"])("in %s is replayed to the last byte", async (name) => {
    const file = join(folder, name);
    const { code, stdout } = await recordDemo(file);
    expect(code).toBe(143);
    const again = await runInside(["replay", file, "perp/1", "--json"]);
    expect(again).toEqual({ code: 0, signal: null, stdout, stderr: "" });
    const fast = await runInside(["replay", file, "--speed", "1000", "--json"]);
    expect(fast.stdout).toBe(stdout);
    const once = await runInside(["replay", file, "--once"]);
    expect(once.stdout).toContain("market  perp/1");
    const { size } = await stat(file);
    await truncate(file, Math.floor(size * CUT_SHARE));
    const cut = await runInside(["replay", file, "--speed", "1000", "--json"]);
    expect(cut.code).toBe(0);
    const tradesOf = (json: string): object[] =>
      JSON.parse(json.trimEnd().split("\n").at(-1) ?? "").trades;
    expect(tradesOf(cut.stdout).length).toBeGreaterThan(0);
    expect(tradesOf(stdout)).toEqual(expect.arrayContaining(tradesOf(cut.stdout)));
  });

  test("of an account is replayed to the last byte, and holds no address when it was redacted", async () => {
    const address = "Demo1Address1Demo1Address1Demo1Addr";
    const service = await startForeignService();
    try {
      const file = join(folder, "account.ndjson");
      const args = ["account", address, "0", "--json", "--once", "--redact", "--record", file];
      const { stdout } = await runMonitor([...args, "--ws-url", service.wsUrl]);
      expect(stdout).toContain(address);
      expect(await readFile(file, "utf8")).not.toContain(address);
      const again = await runInside(["replay", file, "--json"]);
      const shown = /Redacted1+2/.exec(again.stdout)?.[0] ?? "";
      expect(again.stdout.replaceAll(shown, address)).toBe(stdout);
    } finally {
      await service.close();
    }
  });

  test("of channels says what it holds, and what it lacks", async () => {
    const service = await startForeignService({ quietAfterMs: 400 });
    try {
      const file = join(folder, "channels.ndjson");
      const args = ["record", "bbo/perp/1", "bbo/perp/9", "-o", file, "--ws-url", service.wsUrl];
      const { code, stdout, stderr } = await runUntilFile(args, file, (bytes) => {
        const frames = service.sent.filter(({ channel }) => channel === "bbo/perp/1");
        const isAll = frames.every(({ frame }) => bytes.includes(JSON.stringify(frame)));
        return service.isStill && isAll && bytes.includes("unknown here");
      });
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      // That the user ended it is no loss of the connection.
      expect(await readFile(file, "utf8")).not.toContain('"closed"');
      expect(stderr).toMatch(/^\d+ updates of 1 of 2 channels, bbo\/perp\/9 refused \(404: /);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const again = await runInside(["replay", file, "--json"]);
      expect(again.code).toBe(1);
      expect(JSON.parse(again.stdout).bbo).toEqual(service.bbo);
    } finally {
      await service.close();
    }
  });

  test("is shown on the dashboard, as what it is, and leaves the terminal as it was", async () => {
    const file = join(folder, "shown.ndjson");
    await recordDemo(file);
    const screen = new MonitorScreen(["replay", file, "--speed", "1000"], {
      columns: 120,
      rows: 40,
    });
    await screen.until(
      (text) => /REPLAY ■ end/.test(text) && /BTC-PERP perp\/1 +[▲▼] \d/.test(text),
    );
    expect(screen.lines.join("\n")).toContain(" SIM");
    screen.type("q");
    expect(await screen.ended()).toEqual({ code: 0, faults: [] });
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
    const { code, stderr } = await runInside(args);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr.trimEnd().split("\n").length).toBe(2);
  });
});
