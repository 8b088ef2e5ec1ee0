// Checks of the config file beyond its schema, contributed by the other folders; they run on settings that already fit the schema.
import { alertRule } from "../alerts/alert-run.ts";
import type { ConfigRule } from "../config/config-file.ts";
import { MEANINGS } from "../state/aliases.ts";
import { formatNearest } from "../units/nearest.ts";
import { keyRule, themeRule, zoneRule } from "./preferences.ts";

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
