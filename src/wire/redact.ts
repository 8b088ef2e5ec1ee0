// A service may echo the headers it was sent; everything behind the socket is shown, logged or recorded. Their plain values are
// replaced where a message enters.

const HIDDEN = "[hidden]";
/** Shorter ones are no secrets, and parts of other words. */
const MIN_CHARACTERS = 8;
/** Digits alone may be a price or a time. */
const MIN_DIGITS = 20;

/**
 * @param open texts that are public anyway, such as channel names: values in them are no secrets
 * @returns replaces the values, and each long word of them; undefined if there is nothing to replace
 */
export function createRedact(
  headers: Readonly<Record<string, string>>,
  open: readonly string[] = [],
): ((text: string) => string) | undefined {
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]+/)]);
  const secrets = [...new Set(words)]
    .filter((word) => word.length >= (/^[0-9]+$/.test(word) ? MIN_DIGITS : MIN_CHARACTERS))
    .filter((word) => !open.some((text) => text.includes(word)))
    .sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return undefined;
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, HIDDEN), text);
}
