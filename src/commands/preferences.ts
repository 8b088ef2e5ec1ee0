// Display preferences: options, else the config file.

import type { Context } from "../args/context.ts";
import type { Config, ConfigFault, ConfigRule } from "../config/config-file.ts";
import { effectiveOptions } from "../config/settings.ts";
import { type Keymap, type KeyOverrides, keyFaults, remapKeys } from "../screen/keymap.ts";
import {
  getDefaultRoles,
  parseStyle,
  STYLE_NAMES,
  type ThemeChoice,
  themeNames,
} from "../screen/theme/theme.ts";
import { PALETTES, type PaletteName, THEMES } from "../screen/theme/themes.ts";
import { DEFAULT_DISPLAY, type DisplayChoice } from "../select/display.ts";
import { type Market, readMarket } from "../select/market.ts";
import { getLocale, lacksUtf8 } from "../terminal/session/terminal-traits.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatNearest } from "../units/nearest.ts";
import { isTimeZone } from "../units/time.ts";

export interface Preferences {
  readonly theme: ThemeChoice;
  readonly display: DisplayChoice;
  /** Whether the spread always stays in the middle of the book. */
  readonly centre: "hold" | "follow";
  readonly isAscii: boolean;
  /** Why the screen is ASCII if the user did not ask for it; otherwise empty. */
  readonly asciiReason: string;
  readonly hasMouse: boolean;
  /** Upper limit of the frame rate; undefined for the default. */
  readonly framesPerSecond: number | undefined;
  readonly keymap: Keymap;
  readonly watchlist: readonly Market[];
}

/** @throws {UsageError} when an option has an unknown name as its value */
export function resolvePreferences(
  given: Pick<Context, "options" | "env">,
  config: Config,
): Preferences {
  const custom = config.themes ?? {};
  const {
    theme = "terminal",
    palette = "usual",
    redUp = false,
    noMouse = false,
    timeZone = "local",
    ascii,
    fps,
  } = effectiveOptions(given, config);
  checkName("--theme", theme, themeNames({ custom }));
  checkName("--palette", palette, Object.keys(PALETTES));
  return {
    theme: { theme, palette: palette as PaletteName, isRedUp: redUp, custom },
    display: {
      numbers: config.numbers ?? DEFAULT_DISPLAY.numbers,
      moneyDecimals: config.money_decimals ?? DEFAULT_DISPLAY.moneyDecimals,
      timeZone,
    },
    centre: config.centre ?? "hold",
    hasMouse: !noMouse,
    framesPerSecond: fps,
    isAscii: ascii ?? lacksUtf8(given.env),
    asciiReason:
      ascii === undefined && lacksUtf8(given.env)
        ? `drawn in ASCII: the locale ${getLocale(given.env)} is not UTF-8`
        : "",
    keymap: remapKeys(getOverrides(config)),
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

export const themeRule: ConfigRule = ({ theme, palette, themes: custom = {} }) => [
  ...unknownFaults(["palette"], "palette", palette, Object.keys(PALETTES)),
  ...unknownFaults(["theme"], "theme", theme, themeNames({ custom })),
  ...Object.entries(custom).flatMap(([name, { base, looks = {} }]) => [
    ...unknownFaults(["themes", name, "base"], "built-in theme", base, Object.keys(THEMES)),
    ...Object.entries(looks).flatMap(([look, text]) =>
      lookFaults(["themes", name, "looks", look], look, text),
    ),
  ]),
];

export const keyRule: ConfigRule = (config) =>
  keyFaults(getOverrides(config)).map(({ action, message }) => ({
    path: ["keys", action],
    message,
  }));

function getOverrides({ keys = {} }: Config): KeyOverrides {
  return Object.fromEntries(
    Object.entries(keys).map(([action, given]) => [
      action,
      typeof given === "string" ? [given] : given,
    ]),
  );
}

function lookFaults(path: readonly string[], name: string, text: string): readonly ConfigFault[] {
  const unknown = unknownFaults(path, "look", name, ["base", ...STYLE_NAMES]);
  if (unknown.length > 0) return unknown;
  const look = parseStyle(text, getDefaultRoles());
  if (!("unknown" in look)) return [];
  const message = `${look.unknown} is no colour, attribute or role, as in: bold #ffaa00 on #202020`;
  return [{ path, message }];
}

/** Empty if the name is known or undefined. */
function unknownFaults(
  path: readonly string[],
  kind: string,
  name: string | undefined,
  known: readonly string[],
): readonly ConfigFault[] {
  if (name === undefined || known.includes(name)) return [];
  return [{ path, message: `unknown ${kind}; ${formatNearest(name, known)}` }];
}
