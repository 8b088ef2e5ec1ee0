// The headless forms of the program: what they print, when they end, and with which code.
import { describe, expect, onTestFinished, test } from "vitest";
import { VERSION } from "../../src/system/version.ts";
import { startMarketService, withMarketService } from "../support/market-service.ts";
import { runMonitor as runInside, runMonitorSettled } from "../support/monitor-inside.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { ScriptedService } from "../support/scripted-service.ts";

/** What the program prints of a market that moves for a while. */
const run = (args: string, options: Parameters<typeof runInside>[1] = {}) =>
  withMarketService({ quietAfterMs: 400 }, ({ wsUrl }, clock) =>
    runInside([...args.split(" "), "--ws-url", wsUrl], { ...options, clock }),
  );

describe("without a screen", () => {
  test("tail prints the frames exactly as they were sent, and nothing else", async () => {
    const frames = [1, 2, 3].map(
      (n) =>
        `{"type":"update", "channel":"markets","timestamp_ns":"${n}","previous_sequence":${n > 1 ? `"${n - 1}"` : null},"sequence":"${n}","markets":[{"a":1.50,"b":12345678901234567890}]}`,
    );
    const service = await new ScriptedService({ answer: () => frames }).listen();
    onTestFinished(service.close);
    const finished = await runInside(["tail", "markets", "--ws-url", service.wsUrl], {
      until: (text) => text.split("\n").length > frames.length,
    });
    const stdout = frames.map((frame) => `${frame}\n`).join("");
    expect(finished).toMatchObject({ code: 0, stdout, stderr: "" });
  });

  test("another version of the interface is said, once, and read all the same", async () => {
    const service = await new ScriptedService({
      channels: { markets: () => ({ markets: [] }) },
      onOpen: (peer) => peer.hello(2),
    }).listen();
    onTestFinished(service.close);
    const { code, stdout, stderr } = await runInside(
      ["tail", "markets", "--ws-url", service.wsUrl],
      {
        until: (text) => text.includes("\n"),
      },
    );
    expect([code, JSON.parse(stdout).channel]).toEqual([0, "markets"]);
    expect(stderr.match(/version 2/g)).toHaveLength(1);
  });

  test("tail --events tells what happens to connection and channels", async () => {
    const { code, stdout, stderr } = await run("tail orderbook/perp/1 bbo/perp/9 --events", {
      until: (out, errors) => /"refused".*\n/.test(out) && errors.endsWith("\n"),
    });
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event !== undefined);
    expect(events.map(({ event, channel }) => [event, channel])).toEqual([
      ["connected", null],
      ["refused", "bbo/perp/9"],
    ]);
    expect(events[0].at).toMatch(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/);
    expect(stderr).toBe("monitor: bbo/perp/9 is refused: 404 unknown here\n");
    expect(code).toBe(0);
  });

  test("tail without a connection says so and fails when its time is up", async () => {
    const args = ["tail", "markets", "--for", "3s", "--ws-url", "ws://127.0.0.1:1"];
    const { code, stdout, stderr } = await runMonitorSettled(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^monitor: no connection, trying again: nobody listens at 127\.0\.0\.1:1/,
    );
  });

  test("a reader that goes away ends it quietly with 0", async () => {
    const service = await startMarketService({ quietAfterMs: 5000 });
    onTestFinished(service.close);
    const args = ["tail", "orderbook/perp/1", "--ws-url", service.wsUrl];
    const ended = await runMonitor(args, { isReaderGone: true });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ended.stdout.split("\n")[0] ?? "").channel).toBe("orderbook/perp/1");
  });

  test("a live command prints a line a second and ends with 0 when it is told to", async () => {
    const { code, stdout, stderr } = await run("perp/1", {
      until: (text) => text.split("\n").length > 2 && /bid \d+ ×.*\n/.test(text),
    });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(2);
    const form =
      /^20\S+Z {2}market perp\/1 {2}perp\/1 {2}bid (?:\d+ × \d+|–) {2}ask (?:\d+ × \d+|–) {2}spread /;
    for (const line of lines) expect(line).toMatch(form);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s before the end of --for prints what there is and ends with %i",
    async (signal, expected) => {
      const { code, stdout } = await run("tail bbo/perp/1 --for 1m", {
        onOutput: (_, kill) => kill(signal),
      });
      expect(JSON.parse(stdout.split("\n")[0] ?? "").channel).toBe("bbo/perp/1");
      expect(code).toBe(expected);
    },
  );

  test("--once prints the whole view as text", async () => {
    const { code, stdout } = await run("1 --once");
    for (const part of ["market  perp/1", "candles\n", "book\n", "trades\n", "link    open"]) {
      expect(stdout).toContain(part);
    }
    expect(code).toBe(0);
  });

  test("--depth cuts the book of the text, and never that of JSON", async () => {
    const { stdout } = await run("1 --once --depth 1");
    const sides = stdout.match(/^ *(?:ask|bid) +[0-9]/gm);
    expect(sides?.slice(0, 2).map((line) => line.trim().slice(0, 3))).toEqual(["ask", "bid"]);
    const { bids, asks } = JSON.parse((await run("1 --once --depth 1 --json")).stdout).orderbook;
    expect(bids.length).toBeGreaterThan(1);
    expect(asks.length).toBeGreaterThan(1);
  });

  test("--once says what is refused, prints the rest and ends with 1", async () => {
    const { code, stdout, stderr } = await run("perp/7 --once");
    expect(code).toBe(1);
    expect(stdout).toContain("market  perp/7");
    expect(stderr).toContain("bbo, orderbook, trades, candles (refused: 404: unknown here)");
  });

  test("--json without --once prints an object a second, with --stats also what it costs", async () => {
    const { stdout } = await run("perp/1 --json --stats", { until: (text) => text.includes("\n") });
    expect(Object.keys(JSON.parse(stdout.split("\n")[0] ?? "")).join(" ")).toBe(
      "market scale bbo orderbook trades candles stats flow account panes dialect link perf",
    );
  });

  test("--help and --version answer on stdout and end with 0", async () => {
    const help = await runInside(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain("monitor tail <channel>...");
    for (const command of ["demo", "tail", "simulate", "perp/1"]) {
      const { code, stdout } = await runInside([command, "--help"]);
      expect(code).toBe(0);
      expect(stdout).toContain("Options:");
    }
    const version = await runInside(["--version"]);
    expect(version).toMatchObject({ code: 0, stdout: `${VERSION}\n` });
  });
});

test("SIGHUP ends nothing that has no terminal, as under nohup", async () => {
  const service = await startMarketService();
  onTestFinished(() => service.close());
  let hungUpAt = 0;
  let pid = 0;
  const { code, stderr } = await runMonitor(["tail", "bbo/perp/1", "--ws-url", service.wsUrl], {
    onStart: (_, own) => {
      pid = own;
    },
    until: (stdout) => {
      if (hungUpAt > 0) return stdout.length > hungUpAt;
      process.kill(pid, "SIGHUP");
      hungUpAt = stdout.length;
      return false;
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
