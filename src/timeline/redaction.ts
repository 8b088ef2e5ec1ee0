// Takes addresses out of a line, each replaced by one and the same stand-in of its own form, so that what is left
// can be shown to others and still be replayed.

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** Base58 of 32 to 44 characters that is no plain number, or 0x and 40 hex digits. */
const ADDRESS =
  /(?<![0-9A-Za-z])(?:0x[0-9a-fA-F]{40}|(?![0-9]+(?![0-9A-Za-z]))[1-9A-HJ-NP-Za-km-z]{32,44})(?![0-9A-Za-z])/g;
const HOST = /("(?:ws|base)_url":"[a-z]+:\/\/)[^/"]*/g;

/** Makes a redaction with a memory of its own: the same address gets the same stand-in. Never throws. */
export function createRedaction(): (line: string) => string {
  const known = new Map<string, string>();
  const standIn = (address: string): string => {
    const key = address.startsWith("0x") ? address.toLowerCase() : address;
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = address.startsWith("0x")
      ? hexStandIn(known.size + 1)
      : base58StandIn(known.size + 1);
    known.set(key, made);
    return made;
  };
  return (line) => line.replace(HOST, "$1redacted").replace(ADDRESS, standIn);
}

function hexStandIn(n: number): string {
  return `0x${n.toString(16).padStart(40, "0")}`;
}

/** `Redacted…` with the number at its end, in base58 digits. */
function base58StandIn(n: number): string {
  let digits = "";
  for (let rest = n; rest > 0; rest = Math.floor(rest / 58)) {
    digits = `${BASE58[rest % 58]}${digits}`;
  }
  return `Redacted${digits.padStart(32, "1")}`;
}
