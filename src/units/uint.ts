// Unsigned integers of any size as digit text, the form of ticks, lots, nanoseconds and sequences on the wire. Text compared
// here consists of ASCII digits only, as validated by the schemas.

/** The same integer without leading zeros. Returns the argument itself if there are none. */
export function stripZeros(digits: string): string {
  if (digits.charCodeAt(0) !== 48) return digits;
  let start = 0;
  while (start < digits.length - 1 && digits.charCodeAt(start) === 48) start++;
  return start === 0 ? digits : digits.slice(start);
}

/** Maximum ids: of markets and subaccounts on the stream (2.2, 4.2), and of subaccounts in the listings (4.4). */
export const MAX_INT32 = 2_147_483_647;
export const MAX_UINT16 = 65_535;

/** Digits without leading zeros; undefined for other text, and above `most`. */
export function parseId(text: string, most = MAX_INT32): string | undefined {
  if (!/^[0-9]{1,39}$/.test(text)) return undefined;
  const id = stripZeros(text);
  return BigInt(id) <= most ? id : undefined;
}

export function isZero(digits: string): boolean {
  for (let i = 0; i < digits.length; i++) {
    if (digits.charCodeAt(i) !== 48) return false;
  }
  return true;
}

/** Compares two integers without leading zeros (see stripZeros): negative, zero or positive. */
export function compareUint(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
