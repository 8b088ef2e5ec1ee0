// Names of fields that the config adds to the table of meanings.
import type { Config, ConfigRule } from "../../config/config-file.ts";
import { Aliases, type ExtraNames, MEANINGS } from "../../store/aliases.ts";
import { formatNearest } from "../../units/nearest.ts";

/** Each key must be a meaning. */
export const fieldRule: ConfigRule = ({ fields = {} }) =>
  Object.keys(fields).flatMap((name) => {
    if ((MEANINGS as readonly string[]).includes(name)) return [];
    const message = `no such meaning; ${formatNearest(name, MEANINGS)}`;
    return [{ path: ["fields", name], message }];
  });

/** The table in force. The file has been checked: each of its keys is a meaning. Never throws. */
export function aliasesOf(fields: Config["fields"]): Aliases {
  return new Aliases((fields ?? {}) as ExtraNames);
}
