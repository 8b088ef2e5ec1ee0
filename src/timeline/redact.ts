// Replaces addresses in the lines of a recording, each always by the same substitute of its form, so that it can be shared and
// still be replayed.

/** Possible addresses, and escapes of JSON, whose last letter does not belong to the text after them. */
const TOKEN = /\\+(?:u[0-9a-fA-F]{4}|[bfnrt])|[0-9A-Za-z]{32,}/g;
/** Base58 of 32 to 44 characters that is no number, or 0x and 40 hex digits. */
const ADDRESS = /^(?:0x[0-9a-fA-F]{40}|(?![0-9]+$)[1-9A-HJ-NP-Za-km-z]{32,44})$/;

export function createAddressRedact(): (line: string) => string {
  const known = new Map<string, string>();
  const substitute = (token: string): string => {
    if (!ADDRESS.test(token)) return token;
    const isHex = token.startsWith("0x");
    const key = isHex ? token.toLowerCase() : token;
    const number = known.size + 1;
    const replacement = known.get(key) ?? (isHex ? hexOf(number) : base58Of(number));
    known.set(key, replacement);
    return replacement;
  };
  return (line) => line.replace(TOKEN, substitute);
}

function hexOf(number: number): string {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

/** Base58 has no 0. */
function base58Of(number: number): string {
  return `Redacted${`${number}`.replaceAll("0", "a").padStart(32, "A")}`;
}
