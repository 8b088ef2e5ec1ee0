import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import type { Options } from "../../src/cli/context.ts";
import { isHeadless, requireScreen } from "../../src/cli/plain.ts";
import { MonitorError } from "../../src/units/monitor-error.ts";

function asked(options: Options, env: Readonly<Record<string, string>> = {}, isTTY = true) {
  return { options, env, stdout: Object.assign(new PassThrough(), { isTTY }) };
}

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
    expect(isHeadless(asked(options, env, isTTY))).toBe(isExpected);
  });

  test("a dumb terminal is refused with a hint at --plain, others are not", () => {
    const refused = () => requireScreen({ env: { TERM: "dumb" }, options: {} });
    expect(refused).toThrow(MonitorError);
    expect(refused).toThrow(
      expect.objectContaining({ advice: expect.stringContaining("--plain") }),
    );
    expect(() => requireScreen({ env: { TERM: "xterm" }, options: {} })).not.toThrow();
  });

  test("no lines at all are refused with the form that is expected", () => {
    const env = { TERM: "xterm" };
    expect(() => requireScreen({ env, options: { inline: 0 } })).toThrow(
      expect.objectContaining({ advice: expect.stringContaining("--inline N") }),
    );
    expect(() => requireScreen({ env, options: { inline: 1 } })).not.toThrow();
  });
});
