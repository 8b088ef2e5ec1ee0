// Keeps header values of the command line and the environment out of our own messages, which should not have them anyway.

import { createRedact } from "../../wire/redact.ts";

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*(.+)$/s;

/** Everything that looks like a header, however it is given, also without its option. */
export function hideSecrets(
  text: string,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string {
  const given = [
    ...argv.filter((_, i) => argv[i - 1] === "--header"),
    ...argv.flatMap((word) => (word.startsWith("--header=") ? [word.slice(9)] : [])),
    ...(env.MONITOR_HEADERS ?? "").split("\n"),
  ];
  // In other arguments (a time, an address, a channel) no blank follows a colon.
  const likely = argv.filter((word) => /:[ \t]/.test(word));
  const values = [...given, ...likely].flatMap((line) => [line, HEADER.exec(line)?.[1] ?? ""]);
  return createRedact(Object.fromEntries(values.entries()))?.(text) ?? text;
}
