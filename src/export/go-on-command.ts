// The command that goes on with an export which a view has begun.

import type { Options } from "../args/context.ts";
import { OPTIONS, type OptionKey } from "../args/options.ts";
import type { ExportWish } from "../screen/views/history/listings.ts";

/** What of this command line says which service it is; what the environment and the config file say, they say again. */
const OF_SERVICE = ["baseUrl", "profile", "config", "insecure", "strict"] as const;
const BARE = /^[0-9A-Za-z_@%+=:,./-]+$/;

/**
 * As it is typed into a shell. Values of headers are secrets: only their names stand in it. Never throws.
 * @param file its name in the current folder
 */
export function goOnCommand(
  { name, sinceMs, untilMs }: Pick<ExportWish, "name" | "sinceMs" | "untilMs">,
  file: string,
  options: Options,
): string {
  const bounds = [
    ...(sinceMs === undefined ? [] : [`--since ${sinceMs}`]),
    ...(untilMs === undefined ? [] : [`--until ${untilMs}`]),
  ];
  const service = OF_SERVICE.flatMap((key) => optionWords(key, options[key]));
  const headers = (options.header ?? []).map((header) => {
    return `--header ${quoted(`${header.split(":", 1)[0]}: …`)}`;
  });
  return ["monitor export", name, ...bounds, "-o", quoted(file), ...service, ...headers].join(" ");
}

function optionWords(key: OptionKey, value: string | boolean | undefined): string[] {
  if (value === undefined || value === false) return [];
  const name = `--${OPTIONS[key].name}`;
  return [value === true ? name : `${name} ${quoted(value)}`];
}

/** One word of a shell's line. */
function quoted(word: string): string {
  return BARE.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
