// Mouse reports in the form in which Ink hands them on.
import { expect, test } from "vitest";
import { parseMouse } from "../../../src/terminal/session/input-sorter.ts";

const none = { shift: false, alt: false, ctrl: false };

test.each([
  ["[<0;1;1M", { action: "press", button: 0, x: 0, y: 0, ...none }],
  ["[<2;12;5m", { action: "release", button: 2, x: 11, y: 4, ...none }],
  ["[<64;3;4M", { action: "wheel-up", button: 0, x: 2, y: 3, ...none }],
  ["[<65;3;4M", { action: "wheel-down", button: 1, x: 2, y: 3, ...none }],
  ["[<66;3;4M", { action: "wheel-left", button: 2, x: 2, y: 3, ...none }],
  ["[<67;3;4M", { action: "wheel-right", button: 3, x: 2, y: 3, ...none }],
  ["[<128;3;4M", { action: "press", button: 8, x: 2, y: 3, ...none }],
  ["[<129;3;4m", { action: "release", button: 9, x: 2, y: 3, ...none }],
  ["[<35;300;1M", { action: "move", button: 3, x: 299, y: 0, ...none }],
  ["[<20;1;1M", { action: "press", button: 0, x: 0, y: 0, shift: true, alt: false, ctrl: true }],
  ["[<8;0;0M", { action: "press", button: 0, x: 0, y: 0, shift: false, alt: true, ctrl: false }],
])("%s is %j", (input, report) => {
  expect(parseMouse(input)).toEqual(report);
});

test.each(["", "a", "[A", "[<0;1M", "[<0;1;1X", "[<-1;1;1M", "[<0;1;1Mx", "[<99999;1;1M"])(
  "%j is no report",
  (input) => {
    expect(parseMouse(input)).toBeUndefined();
  },
);
