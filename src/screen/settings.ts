// What `:` sets: how the screen looks. The names and values are those of the config file.

import { THEMES } from "./themes.ts";
import type { MenuItem } from "./ui.ts";

const SETTINGS = {
  theme: () => ["auto", ...Object.keys(THEMES)],
  colours: () => ["usual", "colour-blind"],
  rising: () => ["green", "red"],
  numbers: () => ["grouped", "plain"],
  time_zone: () => ["local", "UTC", ...Intl.supportedValuesOf("timeZone")],
} as const satisfies Readonly<Record<string, () => readonly string[]>>;
export type SettingKey = keyof typeof SETTINGS;

/** A line for each value of each setting. */
export function settingItems(set: (key: SettingKey, value: string) => void): readonly MenuItem[] {
  return (Object.keys(SETTINGS) as SettingKey[]).flatMap((key) =>
    SETTINGS[key]().map((value) => ({
      ...{ text: `set ${key} ${value}`, note: "setting" },
      run: () => set(key, value),
    })),
  );
}
