// What the form of a config file does not say: each part of the program has its rule, which is given settings of the right form.
import { alertRule } from "../alerts/alert-run.ts";
import type { ConfigRule } from "../config/config-file.ts";
import { MEANINGS } from "../state/aliases.ts";
import { formatNearest } from "../units/nearest.ts";
import { keyRule, themeRule, zoneRule } from "./preferences.ts";

/** Each key must be a meaning. */
const fieldRule: ConfigRule = ({ fields = {} }) =>
  Object.keys(fields).flatMap((name) => {
    if ((MEANINGS as readonly string[]).includes(name)) return [];
    const message = `no such meaning; ${formatNearest(name, MEANINGS)}`;
    return [{ path: ["fields", name], message }];
  });

export const CONFIG_RULES: readonly ConfigRule[] = [
  themeRule,
  keyRule,
  zoneRule,
  fieldRule,
  alertRule,
];
