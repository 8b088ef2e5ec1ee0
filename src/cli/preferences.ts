// Display preferences: options, else the config file.

import type { ThemeChoice } from "../screen/theme.ts";
import { THEMES } from "../screen/themes.ts";
import { lacksUtf8 } from "../terminal/osc.ts";
import { UsageError } from "../units/monitor-error.ts";
import { nearest } from "../units/nearest.ts";
import type { Config } from "./config/config-file.ts";
import { effectiveOptions } from "./config/settings.ts";
import type { Context } from "./context.ts";

export const THEME_NAMES: readonly string[] = ["auto", ...Object.keys(THEMES)];
const MAX_FPS = 60;

export type ThemePreference = Omit<ThemeChoice, "name"> & {
  readonly name: ThemeChoice["name"] | "auto";
};

/** @throws {UsageError} when an option has an unknown name as its value */
export function resolvePreferences(given: Pick<Context, "options" | "env">, config: Config) {
  const { theme = "auto", timeZone = "local", fps = MAX_FPS } = effectiveOptions(given, config);
  const { colours = "usual", rising = "green", ascii, mouse = true } = config;
  if (!THEME_NAMES.includes(theme)) {
    const near = nearest(theme, THEME_NAMES);
    throw new UsageError(
      `--theme cannot be ${JSON.stringify(theme)}`,
      near === undefined ? `there are: ${THEME_NAMES.join(", ")}` : `did you mean ${near}?`,
    );
  }
  return {
    theme: { name: theme, colours, rising } as ThemePreference,
    display: {
      numbers: config.numbers ?? "grouped",
      timeZone: timeZone === "local" ? undefined : timeZone,
    },
    hasMouse: mouse,
    framesPerSecond: fps,
    isAscii: ascii ?? lacksUtf8(given.env),
  } as const;
}
