// Mouse reports as they arrive through Ink's `useInput`, which takes the leading ESC away.

const WHEEL_ACTIONS = ["wheel-up", "wheel-down", "wheel-left", "wheel-right"] as const;

type MouseAction = "press" | "release" | "move" | (typeof WHEEL_ACTIONS)[number];

/** One report of the mouse. */
export interface MouseReport {
  readonly action: MouseAction;
  /** 0 left, 1 middle, 2 right; 3 none; 8 to 11 those at the side. Of no meaning for the wheel. */
  readonly button: number;
  /** Column and row of the cell, from 0. */
  readonly x: number;
  readonly y: number;
  readonly shift: boolean;
  readonly alt: boolean;
  readonly ctrl: boolean;
}

const SGR_REPORT = /^\[<(\d{1,4});(\d{1,5});(\d{1,5})([Mm])$/;
const SHIFT = 4;
const ALT = 8;
const CTRL = 16;
const MOVE = 32;
const WHEEL = 64;
const SIDE = 128;
const FIRST_SIDE_BUTTON = 8;

/** The report that this input is, or undefined when it is none. */
export function parseMouse(input: string): MouseReport | undefined {
  const parts = SGR_REPORT.exec(input);
  if (parts === null) return undefined;
  const code = Number(parts[1]);
  return {
    action: actionOf(code, parts[4] === "m"),
    button: (code & 3) + (code & SIDE ? FIRST_SIDE_BUTTON : 0),
    x: Math.max(0, Number(parts[2]) - 1),
    y: Math.max(0, Number(parts[3]) - 1),
    shift: (code & SHIFT) !== 0,
    alt: (code & ALT) !== 0,
    ctrl: (code & CTRL) !== 0,
  };
}

function actionOf(code: number, isRelease: boolean): MouseAction {
  if (code & WHEEL) return WHEEL_ACTIONS[code & 3] ?? "move";
  if (code & MOVE) return "move";
  return isRelease ? "release" : "press";
}
