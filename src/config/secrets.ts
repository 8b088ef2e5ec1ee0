// Redacts secrets of the command line and the environment in messages: a last safeguard, since messages should not contain them.

import { OPTIONS } from "../args/options.ts";
import { createSecrets } from "../wire/secrets.ts";

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*(.+)$/s;

/** Values of everything that looks like a header. */
export function givenSecrets(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const flag = `--${OPTIONS.header.name}`;
  const given = [
    ...argv.filter((_, i) => argv[i - 1] === flag),
    ...argv.flatMap((word) => (word.startsWith(`${flag}=`) ? [word.slice(flag.length + 1)] : [])),
    ...(env[OPTIONS.header.env] ?? "").split("\n"),
  ];
  // In other arguments (a time, an address, a channel) no blank follows a colon.
  const likely = argv.filter((word) => /:[ \t]/.test(word));
  const values = [...given, ...likely].flatMap((line) => HEADER.exec(line)?.[1]?.trim() ?? []);
  return [...values, ...given].filter((value) => value !== "");
}

export function hideSecrets(text: string, secrets: readonly string[]): string {
  return createSecrets(secrets)?.redactText(text) ?? text;
}
