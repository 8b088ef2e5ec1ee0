// Display preferences: options, else the config file.

import type { PrintOptions } from "../print/view-text.ts";
import { lacksUtf8 } from "../terminal/osc.ts";
import type { Config } from "./config/config-keys.ts";
import { effectiveOptions } from "./config/settings.ts";
import type { Context } from "./context.ts";

const MAX_FPS = 60;

export function resolvePreferences(given: Pick<Context, "options" | "env">, config: Config) {
  const { theme = "auto", timeZone = "local", fps = MAX_FPS } = effectiveOptions(given, config);
  const { colours = "usual", rising = "green", ascii, mouse = true } = config;
  return {
    theme: { name: theme, colours, rising },
    display: {
      numbers: config.numbers ?? "grouped",
      timeZone: zoneOf(timeZone),
    },
    hasMouse: mouse,
    framesPerSecond: fps,
    isAscii: ascii ?? lacksUtf8(given.env),
  } as const;
}

/** Undefined for the machine's own. */
export const zoneOf = (chosen: string) => (chosen === "local" ? undefined : chosen);

/** The same for what is printed. */
export function printOptions(
  given: Pick<Context, "options" | "env">,
  config: Config,
): PrintOptions {
  const { depth, mask = false } = given.options;
  return { display: resolvePreferences(given, config).display, depth, isMasked: mask };
}
