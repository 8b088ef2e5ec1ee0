// Display preferences: options, else the config file.

import type { PrintOptions } from "../print/printed.ts";
import { lacksUtf8 } from "../terminal/osc.ts";
import { isTimeZone } from "../units/time.ts";
import type { Config } from "./config/config-keys.ts";
import { effectiveOptions } from "./config/settings.ts";
import type { Context } from "./context.ts";

const MAX_FPS = 60;

export function resolvePreferences(given: Pick<Context, "options" | "env">, config: Config) {
  const { theme = "auto", timeZone = "local", fps = MAX_FPS } = effectiveOptions(given, config);
  const zone = resolveZone(timeZone, given.env);
  const { colours = "usual", rising = "green", ascii, mouse = true } = config;
  return {
    theme: { name: theme, colours, rising },
    display: {
      numbers: config.numbers ?? "grouped",
      timeZone: zone.timeZone,
    },
    zoneFault: zone.fault,
    hasMouse: mouse,
    framesPerSecond: fps,
    isAscii: ascii ?? lacksUtf8(given.env),
  } as const;
}

/** `local` is the machine's own: as Node has it, which reads a file of a zone, else as TZ names it. What TZ does not name is UTC, and has to be said. */
export function resolveZone(
  chosen: string,
  { TZ = "" }: Context["env"],
): { readonly timeZone: string | undefined; readonly fault?: string } {
  if (chosen !== "local") return { timeZone: chosen };
  const hasOffset = [0, 6].some((month) => new Date(2026, month).getTimezoneOffset() !== 0);
  if (TZ === "" || /^:?\//.test(TZ) || hasOffset) return { timeZone: undefined };
  const timeZone = [TZ, TZ.replace(/^:|,.*$|0$/g, "")].find(isTimeZone);
  if (timeZone !== undefined) return { timeZone };
  const fault = `TZ=${TZ} names no zone that is known: times are in UTC; --time-zone Europe/Berlin names one`;
  return { timeZone: "UTC", fault };
}

/** The same for what is printed. */
export function printOptions(
  given: Pick<Context, "options" | "env">,
  config: Config,
): PrintOptions {
  const { depth, mask = false } = given.options;
  return { display: resolvePreferences(given, config).display, depth, isMasked: mask };
}
