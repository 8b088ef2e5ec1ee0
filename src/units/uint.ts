// Unsigned integers of any size as digit text: the form that ticks, lots, nanoseconds and sequences
// have on the wire. Text that is compared here has only ASCII digits; schemas have made sure of that.

/** The same integer without leading zeros. Returns the argument itself when there are none. */
export function stripZeros(digits: string): string {
  if (digits.charCodeAt(0) !== 48) return digits;
  let start = 0;
  while (start < digits.length - 1 && digits.charCodeAt(start) === 48) start++;
  return start === 0 ? digits : digits.slice(start);
}

/** The largest ids: of markets and of subaccounts on the stream (2.2, 4.2), of subaccounts in the listings (4.4). */
export const MAX_INT32 = 2_147_483_647;
export const MAX_UINT16 = 65_535;

/** Decimal digits without zeros before the number; undefined for other text, and for more than `most`. */
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

/** Order of two integers in stripped form (see stripZeros): negative, zero or positive. */
export function compareUint(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
