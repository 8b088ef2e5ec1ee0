// Keeps header values of the command line and the environment out of our own messages, which should not have them anyway.

import { createRedact } from "../../wire/redact.ts";

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*(.+)$/s;

/** Everything that looks like a header, however it is given, also without its option. */
export function hideSecrets(
  text: string,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string {
  // In other arguments (a time, an address, a channel) no blank follows a colon.
  const isLikely = (word: string, i: number) => argv[i - 1] === "--header" || /:[ \t]/.test(word);
  const lines = [
    ...argv.filter((word, i) => word.startsWith("--header=") || isLikely(word, i)),
    ...(env.MONITOR_HEADERS ?? "").split("\n"),
  ].map((line) => line.replace(/^--header=/, ""));
  const values = lines.flatMap((line) => [line, HEADER.exec(line)?.[1] ?? ""]);
  return createRedact(Object.fromEntries(values.entries()))?.(text) ?? text;
}
