// What was given in confidence on the command line or in the environment, taken out of what is told: the last net, below
// messages that do not repeat it in the first place.
import { OPTIONS } from "./options.ts";

/** A shorter value could be part of any word. */
const MIN_LENGTH = 4;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*(.+)$/s;
/** Words before a secret that are none themselves. */
const SCHEMES = new Set(["Bearer", "Basic"]);

/** Values of everything that looks like a header, the longest first. Never throws. */
export function secretsOf(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const flag = `--${OPTIONS.header.name}`;
  const given = [
    ...argv.filter((_, i) => argv[i - 1] === flag),
    ...argv
      .filter((word) => word.startsWith(`${flag}=`))
      .map((word) => word.slice(flag.length + 1)),
    ...(env[OPTIONS.header.env] ?? "").split("\n"),
  ];
  // Of other words, a time, an address or a channel has no blank after its colon.
  const likely = argv.filter((word) => /:[ \t]/.test(word));
  const values = [...given, ...likely].flatMap((line) => {
    const value = HEADER.exec(line)?.[1]?.trim();
    return value === undefined ? [] : [value, ...value.split(/\s+/)];
  });
  return [...values, ...given]
    .filter((value) => value.length >= MIN_LENGTH && !SCHEMES.has(value))
    .sort((a, b) => b.length - a.length);
}

/** The text without any of the secrets. Never throws. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "[hidden]"), text);
}
