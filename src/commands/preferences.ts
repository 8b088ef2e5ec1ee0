// How the user likes the screen: options before the config file.

import type { Context } from "../args/context.ts";
import type { Config, ConfigRule } from "../config/config-file.ts";
import { optionsInForce } from "../config/settings.ts";
import { type Keymap, type KeyOverrides, keyFaults, remapKeys } from "../screen/keymap.ts";
import {
  parseStyle,
  ROLE_NAMES,
  STYLE_NAMES,
  type ThemeChoice,
  themeNames,
} from "../screen/theme/theme.ts";
import { PALETTES, type PaletteName, THEMES } from "../screen/theme/themes.ts";
import { DEFAULT_DISPLAY, type DisplayChoice, isTimeZone } from "../select/display.ts";
import { type Market, readMarket } from "../select/market.ts";
import { getLocale, lacksUtf8 } from "../terminal/session/terminal-traits.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatNearest } from "../units/nearest.ts";

/** How the screen is to be, checked. */
export interface Preferences {
  readonly theme: ThemeChoice;
  readonly display: DisplayChoice;
  /** Whether the spread of the book is always in the middle. */
  readonly centre: "hold" | "follow";
  readonly isAscii: boolean;
  /** Why, where the user has not asked for it; else empty. */
  readonly asciiReason: string;
  readonly hasMouse: boolean;
  /** The most that are drawn; undefined for the usual. */
  readonly framesPerSecond: number | undefined;
  readonly keymap: Keymap;
  readonly watchlist: readonly Market[];
}

/** @throws {UsageError} when an option names what does not exist */
export function settlePreferences(
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
  } = optionsInForce(given, config);
  checkName("--theme", theme, themeNames({ custom }));
  checkName("--palette", palette, Object.keys(PALETTES));
  return {
    theme: { theme, palette: palette as PaletteName, isRedUp: redUp, custom },
    display: {
      numbers: config.numbers ?? DEFAULT_DISPLAY.numbers,
      moneyDecimals: config.money_decimals ?? DEFAULT_DISPLAY.moneyDecimals,
      timeZone: checkZone(timeZone),
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

/** @throws {UsageError} when there is no such zone */
function checkZone(name: string): string {
  if (name === "local" || isTimeZone(name)) return name;
  throw new UsageError(
    `--time-zone cannot be ${JSON.stringify(name)}`,
    "give local, UTC, or a name such as Europe/Berlin",
  );
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

/** Names of themes, palettes and looks, and looks in words. */
export const themeRule: ConfigRule = (config) => {
  const { theme, palette, themes: custom = {} } = config;
  const names = themeNames({ custom });
  const palettes = Object.keys(PALETTES);
  return [
    ...(palette === undefined || palettes.includes(palette)
      ? []
      : [{ path: ["palette"], message: unknown("palette", palette, palettes) }]),
    ...(theme === undefined || names.includes(theme)
      ? []
      : [{ path: ["theme"], message: unknown("theme", theme, names) }]),
    ...Object.entries(custom).flatMap(([name, { base, looks = {} }]) => [
      ...(base === undefined || Object.hasOwn(THEMES, base)
        ? []
        : [
            {
              path: ["themes", name, "base"],
              message: unknown("built-in theme", base, Object.keys(THEMES)),
            },
          ]),
      ...Object.entries(looks).flatMap(([look, text]) =>
        lookFault(look, text).map((message) => ({
          path: ["themes", name, "looks", look],
          message,
        })),
      ),
    ]),
  ];
};

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

function lookFault(name: string, text: string): string[] {
  const names: readonly string[] = ["base", ...STYLE_NAMES];
  if (!names.includes(name)) return [unknown("look", name, names)];
  const roles = Object.fromEntries(ROLE_NAMES.map((role) => [role, {}]));
  const look = parseStyle(text, roles);
  return "unknown" in look
    ? [`${look.unknown} is no colour, attribute or role, as in: bold #ffaa00 on #202020`]
    : [];
}

function unknown(kind: string, name: string, known: readonly string[]): string {
  return `unknown ${kind}; ${formatNearest(name, known)}`;
}
