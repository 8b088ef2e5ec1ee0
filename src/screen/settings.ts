// What `:` sets: how the screen looks. The names and values are those of the config file.

import type { ChoiceValue } from "./choice.ts";
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
const KEYS = Object.keys(SETTINGS) as SettingKey[];

/** Its name among what persists between runs. */
export const settingChoice = (key: SettingKey) => `set.${key}`;

/** What earlier runs have set, in the form of the config file. */
export function readSettings(choices: Readonly<Record<string, ChoiceValue>>): object {
  const entries = KEYS.flatMap((key) => {
    const value = choices[settingChoice(key)];
    // The names of all time zones take their time.
    const isSet = value !== undefined && SETTINGS[key]().some((each) => each === value);
    return isSet ? [[key, value]] : [];
  });
  return Object.fromEntries(entries);
}

/** A line for each value of each setting. */
export function settingItems(set: (key: SettingKey, value: string) => void): readonly MenuItem[] {
  return KEYS.flatMap((key) =>
    SETTINGS[key]().map((value) => ({
      ...{ text: `set ${key} ${value}`, note: "setting" },
      run: () => set(key, value),
    })),
  );
}
