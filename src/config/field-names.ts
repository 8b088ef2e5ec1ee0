// Names of fields, and words of a status, that the config adds to the tables of what they mean.

import { Aliases, type ExtraNames, MEANINGS } from "../state/aliases.ts";
import { formatNearest } from "../units/nearest.ts";
import type { Config, ConfigRule } from "./config-file.ts";

/** Each key must be a meaning. */
export const fieldRule: ConfigRule = ({ fields = {} }) =>
  Object.keys(fields).flatMap((name) => {
    if ((MEANINGS as readonly string[]).includes(name)) return [];
    const message = `no such meaning; ${formatNearest(name, MEANINGS)}`;
    return [{ path: ["fields", name], message }];
  });

/** The table in force. The file has been checked: each of its keys is a meaning. Never throws. */
export function aliasesOf({ fields, words }: Pick<Config, "fields" | "words">): Aliases {
  return new Aliases((fields ?? {}) as ExtraNames, words);
}
