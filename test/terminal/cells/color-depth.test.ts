import { expect, test } from "vitest";
import { colorDepth } from "../../../src/terminal/cells/color.ts";

test.each([
  [{}, false, "ansi16"],
  [{ TERM: "xterm-256color" }, false, "ansi256"],
  [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, false, "truecolor"],
  [{ TERM: "xterm-kitty" }, false, "truecolor"],
  [{ TERM: "xterm-direct" }, false, "truecolor"],
  [{ TERM: "dumb" }, false, "none"],
  [{ COLORTERM: "truecolor", NO_COLOR: "1" }, false, "none"],
  [{ COLORTERM: "truecolor", NO_COLOR: "" }, false, "truecolor"],
  [{ COLORTERM: "truecolor" }, true, "none"],
  [{ TERM: "dumb", FORCE_COLOR: "3" }, false, "truecolor"],
  [{ COLORTERM: "truecolor", FORCE_COLOR: "0" }, false, "none"],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false, "none"],
] as const)("an environment of %j (--no-color: %j) has colours: %s", (env, isOff, depth) => {
  expect(colorDepth(env, isOff)).toBe(depth);
});
