// What was given in confidence on the command line or in the environment, taken out of what is told: the last net, below
// messages that do not repeat it in the first place.
import { OPTIONS } from "./options.ts";

/** A shorter value could be part of any word. */
const MIN_LENGTH = 4;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*(.+)$/s;

/** Values of everything that looks like a header, the longest first. Never throws. */
export function secretsOf(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const flag = `--${OPTIONS.header.name}`;
  const lines = [
    ...argv.map((word) => (word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : word)),
    ...(env[OPTIONS.header.env] ?? "").split("\n"),
  ];
  const given = argv.filter((_, i) => argv[i - 1] === flag);
  const values = lines.flatMap((line) => {
    // A time, an address or a channel has no blank after its colon.
    const value = /:[ \t]/.test(line) ? HEADER.exec(line)?.[1]?.trim() : undefined;
    return value === undefined ? [] : [value, ...value.split(/\s+/)];
  });
  return [...values, ...given]
    .filter((value) => value.length >= MIN_LENGTH && value !== "Bearer" && value !== "Basic")
    .sort((a, b) => b.length - a.length);
}

/** The text without any of the secrets. Never throws. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "[hidden]"), text);
}
