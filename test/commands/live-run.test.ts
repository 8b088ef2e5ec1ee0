import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/args/arguments.ts";
import type { Options } from "../../src/args/context.ts";
import { isHeadless } from "../../src/commands/live-run.ts";
import { runCommand } from "../../src/run.ts";
import { createContext } from "../support/create-context.ts";
import { runMonitor } from "../support/monitor-inside.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const ADDRESS = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";

describe("lines instead of a screen", () => {
  test.each<[string, Options, Record<string, string>, boolean, boolean]>([
    ["a terminal has a screen", {}, {}, true, false],
    ["a pipe has none", {}, {}, false, true],
    ["--plain has none", { plain: true }, {}, true, true],
    ["--once has none", { once: true }, {}, true, true],
    ["--for has none, even of no time", { for: 0 }, {}, true, true],
    ["--json has none", { json: true }, {}, true, true],
    ["a screen reader has none", {}, { INK_SCREEN_READER: "1" }, true, true],
    ["a screen reader has none, as Ink says it", {}, { INK_SCREEN_READER: "true" }, true, true],
    ["no screen reader", {}, { INK_SCREEN_READER: "0" }, true, false],
    ["no screen reader, said with nothing", {}, { INK_SCREEN_READER: "" }, true, false],
  ])("%s", (_, options, env, isTTY, isExpected) => {
    const stdout = Object.assign(new PassThrough(), { isTTY });
    expect(isHeadless({ options, env, stdout })).toBe(isExpected);
  });

  test.each([
    "1",
    "demo",
    `account ${ADDRESS} 0`,
    "trades perp/1",
    "liquidations 1",
    `fills 0x${"0".repeat(40)} 0`,
  ])("monitor %s watches no alerts without a screen, and says so", async (line) => {
    const clock = createVirtualClock();
    const urls = line === "demo" ? "" : " --ws-url ws://127.0.0.1:1 --base-url http://127.0.0.1:1";
    const { command, args, options } = parseArguments([
      ...`${line}${urls}`.split(" "),
      "--alert",
      "perp/1 last > 65000",
    ]);
    if (command === undefined) throw new Error("no command");
    const ended = runCommand(command, createContext({ args, options, clock }));
    await expect(ended).rejects.toThrow("--alert needs the screen");
    expect(clock.pending).toBe(0);
  });

  test("a recording takes no alerts at all: its times are over", () => {
    expect(() => parseArguments(["replay", "x", "--alert", "perp/1 last > 65000"])).toThrow(
      "--alert has no meaning with replay",
    );
  });

  test.each([
    "perp/1 --ws-url ws://127.0.0.1:1",
    `account ${ADDRESS} --ws-url ws://127.0.0.1:1`,
    "replay x",
  ])("monitor %s masks nothing in JSON, and says so", async (words) => {
    const args = `${words} --json --mask`.split(" ");
    const { code, stdout, stderr } = await runMonitor(args);
    expect([code, stdout, stderr.split("\n")[0]]).toEqual([
      2,
      "",
      "monitor: --json prints records as received, and --mask would hide parts of them",
    ]);
  });

  test.each(["--max 5", "--since 2026-01-01", "--until 2026-01-01"])(
    "a listing on the screen has no bounds: %s is refused, not ignored",
    async (bound) => {
      const { code, stderr } = await runMonitor(
        `trades perp/1 --base-url http://127.0.0.1:1 ${bound}`.split(" "),
        { isTTY: true, env: { TERM: "xterm" } },
      );
      const [option] = bound.split(" ");
      expect([code, stderr.split("\n")[0]]).toEqual([
        2,
        `monitor: ${option} has no meaning on the screen`,
      ]);
    },
  );

  test("a dumb terminal is refused with a hint at --plain, without one escape sequence", async () => {
    const args = ["perp/1", "--ws-url", "ws://127.0.0.1:1"];
    const ended = await runMonitor(args, { isTTY: true, env: { TERM: "dumb" } });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(
      /^monitor: this terminal cannot show a screen \(TERM=dumb\)\n.*--plain/,
    );
    expect(ended.stderr).not.toContain("\u001b");
  });
});
