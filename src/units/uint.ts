// Unsigned integers of any size as digit text: the form that ticks, lots, nanoseconds and sequences
// have on the wire. Text that is compared here has only ASCII digits; schemas have made sure of that.

/** The same integer without leading zeros. Returns the argument itself when there are none. Never throws. */
export function stripZeros(digits: string): string {
  if (digits.charCodeAt(0) !== 48) return digits;
  let start = 0;
  while (start < digits.length - 1 && digits.charCodeAt(start) === 48) start++;
  return start === 0 ? digits : digits.slice(start);
}

/** True for "0" and for any run of zeros. Never throws. */
export function isZero(digits: string): boolean {
  for (let i = 0; i < digits.length; i++) {
    if (digits.charCodeAt(i) !== 48) return false;
  }
  return true;
}

/** Order of two integers in stripped form (see stripZeros): negative, zero or positive. Never throws. */
export function compareUint(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
