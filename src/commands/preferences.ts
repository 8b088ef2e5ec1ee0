// Display preferences: options, else the config file.

import type { Context } from "../args/context.ts";
import type { Config, ConfigRule } from "../config/config-file.ts";
import { effectiveOptions } from "../config/settings.ts";
import { THEME_NAMES, type ThemeChoice } from "../screen/theme/theme.ts";
import { DEFAULT_DISPLAY, type DisplayChoice } from "../select/display.ts";
import { type Market, readMarket } from "../select/market.ts";
import { getLocale, lacksUtf8 } from "../terminal/session/terminal-traits.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatNearest } from "../units/nearest.ts";
import { isTimeZone } from "../units/time.ts";

export interface Preferences {
  readonly theme: ThemeChoice;
  readonly display: DisplayChoice;
  readonly isAscii: boolean;
  /** Why the screen is ASCII if the user did not ask for it; otherwise empty. */
  readonly asciiReason: string;
  readonly hasMouse: boolean;
  /** Upper limit of the frame rate; undefined for the default. */
  readonly framesPerSecond: number | undefined;
  readonly watchlist: readonly Market[];
}

/** @throws {UsageError} when an option has an unknown name as its value */
export function resolvePreferences(
  given: Pick<Context, "options" | "env">,
  config: Config,
): Preferences {
  const { theme = "auto", timeZone = "local", fps } = effectiveOptions(given, config);
  const { colours = "usual", rising = "green", ascii, mouse = true } = config;
  checkName("--theme", theme, THEME_NAMES);
  return {
    theme: { theme, colours, isRedUp: rising === "red" },
    display: {
      numbers: config.numbers ?? DEFAULT_DISPLAY.numbers,
      timeZone,
    },
    hasMouse: mouse,
    framesPerSecond: fps,
    isAscii: ascii ?? lacksUtf8(given.env),
    asciiReason:
      ascii === undefined && lacksUtf8(given.env)
        ? `drawn in ASCII: the locale ${getLocale(given.env)} is not UTF-8`
        : "",
    watchlist: (config.watchlist ?? []).flatMap((name) => readMarket(name) ?? []),
  };
}

export const zoneRule: ConfigRule = ({ time_zone: zone }) =>
  zone === undefined || zone === "local" || isTimeZone(zone)
    ? []
    : [{ path: ["time_zone"], message: "no such time zone; local, UTC, or as in: Europe/Berlin" }];

function checkName(option: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw new UsageError(
    `${option} cannot be ${JSON.stringify(name)}`,
    `there are: ${known.join(", ")}`,
  );
}

export const themeRule: ConfigRule = ({ theme }) => {
  if (theme === undefined || THEME_NAMES.includes(theme)) return [];
  return [{ path: ["theme"], message: `unknown theme; ${formatNearest(theme, THEME_NAMES)}` }];
};
