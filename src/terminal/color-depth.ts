// How many colours the terminal can show, by what it and the user say of it.
import type { ColorDepth } from "./cells/color.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const FORCED: Readonly<Record<string, ColorDepth>> = {
  "0": "none",
  false: "none",
  "1": "ansi16",
  true: "ansi16",
  "2": "ansi256",
  "3": "truecolor",
};

/** The option counts most, then NO_COLOR, then FORCE_COLOR, then what the terminal calls itself. Never throws. */
export function colorDepth(env: Environment, isOff: boolean): ColorDepth {
  const { NO_COLOR, FORCE_COLOR, COLORTERM = "", TERM = "" } = env;
  if (isOff || (NO_COLOR !== undefined && NO_COLOR !== "")) return "none";
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCED[FORCE_COLOR] ?? "ansi16";
  if (/^(?:truecolor|24bit)$/i.test(COLORTERM)) return "truecolor";
  if (TERM === "dumb") return "none";
  return /256(?:color)?$/i.test(TERM) ? "ansi256" : "ansi16";
}
