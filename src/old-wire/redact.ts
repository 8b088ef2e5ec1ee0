// Keeps the values of our headers out of everything that the service sends, where it enters: a service may repeat what it was sent,
// in an error, a field or a page, and all that is received is shown, logged or recorded.

const HIDDEN = "[hidden]";
/** Headers whose values are no secrets, and may be data. */
const PUBLIC =
  /^(?:accept|cache|connection|content|origin|pragma|user-agent)|account|address|owner|version|wallet/i;

/** Replaces the values of these headers, and their parts (`Bearer` TOKEN, a cookie); undefined if there is nothing to replace. */
export function createRedact(
  headers: Readonly<Record<string, string>>,
): ((text: string) => string) | undefined {
  const secrets = Object.entries(headers)
    .filter(([name]) => !PUBLIC.test(name))
    .flatMap(([, value]) => [value, ...value.split(/[\s;,="]+/)])
    .filter(isSecret)
    // The longest first: another one may be part of it.
    .sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return undefined;
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

/** Too long and mixed to be data by chance, unlike `5000` or `perp`. */
function isSecret(text: string): boolean {
  const isMixed = !/^(?:[A-Za-z]*|[0-9]*)$/.test(text);
  return text.length >= (isMixed ? 8 : 16);
}
