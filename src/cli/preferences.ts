// Display preferences: options, else the config file, else what was set on the screen.

import type { PrintOptions } from "../print/view-text.ts";
import { lacksUtf8 } from "../terminal/osc.ts";
import type { Config } from "./config/config-keys.ts";
import type { Context } from "./context.ts";
import type { Task } from "./prepare.ts";

type Given = Pick<Task, "settings" | "options">;

/** @param chosen on the screen in an earlier run */
export function resolvePreferences(
  { options, settings, env }: Given & Pick<Context, "env">,
  chosen: Config,
) {
  const config = { ...chosen, ...settings.config };
  const { colours = "usual", rising = "green", ascii, mouse = true } = config;
  return {
    theme: { name: options.theme ?? config.theme ?? "auto", colours, rising },
    display: display({ options, settings }, config),
    hasMouse: mouse,
    framesPerSecond: options.fps ?? config.fps ?? 60,
    isAscii: ascii ?? lacksUtf8(env),
  } as const;
}

function display({ options }: Given, { numbers = "grouped", time_zone }: Config) {
  return { numbers, timeZone: zoneOf(options.timeZone ?? time_zone ?? "local") };
}

/** Undefined for the machine's own. */
export const zoneOf = (chosen: string) => (chosen === "local" ? undefined : chosen);

/** The same for what is printed. */
export function printOptions(given: Given): PrintOptions {
  const { depth, mask = false } = given.options;
  return { display: display(given, given.settings.config), depth, isMasked: mask };
}
