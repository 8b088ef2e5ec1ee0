// How many columns a terminal gives to a code point, and which code points never reach one.
// Marks and invisible characters come from the engine's Unicode tables; widths, which it lacks, are listed below.

/** A mark on the character before it: takes no column and is not drawn. */
export const MARK = 0;
/** One column. */
export const NARROW = 1;
/** Two columns. */
export const WIDE = 2;
/** A control, an invisible or a direction-changing character: never written; a replacement character stands for it. */
export const HIDDEN = 3;

const CLASS_BITS = 3;
/** Set where terminals differ about the width, so that the cursor's place is not known after it. */
const UNSETTLED = 4;

/** East Asian Width W and F of Unicode 17, as pairs of first and last. */
const WIDE_RANGES = [
  0x1100, 0x115f, 0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ec, 0x23f0, 0x23f0, 0x23f3, 0x23f3,
  0x25fd, 0x25fe, 0x2614, 0x2615, 0x2630, 0x2637, 0x2648, 0x2653, 0x267f, 0x267f, 0x268a, 0x268f,
  0x2693, 0x2693, 0x26a1, 0x26a1, 0x26aa, 0x26ab, 0x26bd, 0x26be, 0x26c4, 0x26c5, 0x26ce, 0x26ce,
  0x26d4, 0x26d4, 0x26ea, 0x26ea, 0x26f2, 0x26f3, 0x26f5, 0x26f5, 0x26fa, 0x26fa, 0x26fd, 0x26fd,
  0x2705, 0x2705, 0x270a, 0x270b, 0x2728, 0x2728, 0x274c, 0x274c, 0x274e, 0x274e, 0x2753, 0x2755,
  0x2757, 0x2757, 0x2795, 0x2797, 0x27b0, 0x27b0, 0x27bf, 0x27bf, 0x2b1b, 0x2b1c, 0x2b50, 0x2b50,
  0x2b55, 0x2b55, 0x2e80, 0x2e99, 0x2e9b, 0x2ef3, 0x2f00, 0x2fd5, 0x2ff0, 0x303e, 0x3041, 0x3096,
  0x3099, 0x30ff, 0x3105, 0x312f, 0x3131, 0x318e, 0x3190, 0x31e5, 0x31ef, 0x321e, 0x3220, 0x3247,
  0x3250, 0xa48c, 0xa490, 0xa4c6, 0xa960, 0xa97c, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe10, 0xfe19,
  0xfe30, 0xfe52, 0xfe54, 0xfe66, 0xfe68, 0xfe6b, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x16fe4,
  0x16ff0, 0x16ff6, 0x17000, 0x18cda, 0x18cff, 0x18d20, 0x18d80, 0x18df2, 0x18e00, 0x19191, 0x191a0,
  0x191d2, 0x1aff0, 0x1aff3, 0x1aff5, 0x1affb, 0x1affd, 0x1affe, 0x1b000, 0x1b128, 0x1b132, 0x1b132,
  0x1b150, 0x1b152, 0x1b155, 0x1b155, 0x1b164, 0x1b168, 0x1b170, 0x1b2fb, 0x1d300, 0x1d356, 0x1d360,
  0x1d376, 0x1f004, 0x1f004, 0x1f0cf, 0x1f0cf, 0x1f18e, 0x1f18e, 0x1f191, 0x1f19a, 0x1f1ae, 0x1f1ae,
  0x1f200, 0x1f202, 0x1f210, 0x1f23b, 0x1f240, 0x1f248, 0x1f250, 0x1f251, 0x1f260, 0x1f265, 0x1f300,
  0x1f320, 0x1f32d, 0x1f335, 0x1f337, 0x1f37c, 0x1f37e, 0x1f393, 0x1f3a0, 0x1f3ca, 0x1f3cf, 0x1f3d3,
  0x1f3e0, 0x1f3f0, 0x1f3f4, 0x1f3f4, 0x1f3f8, 0x1f43e, 0x1f440, 0x1f440, 0x1f442, 0x1f4fc, 0x1f4ff,
  0x1f53d, 0x1f54b, 0x1f54e, 0x1f550, 0x1f567, 0x1f57a, 0x1f57a, 0x1f595, 0x1f596, 0x1f5a4, 0x1f5a4,
  0x1f5fb, 0x1f64f, 0x1f680, 0x1f6c5, 0x1f6cc, 0x1f6cc, 0x1f6d0, 0x1f6d2, 0x1f6d5, 0x1f6d9, 0x1f6dc,
  0x1f6df, 0x1f6eb, 0x1f6ec, 0x1f6f4, 0x1f6fc, 0x1f7da, 0x1f7da, 0x1f7e0, 0x1f7eb, 0x1f7f0, 0x1f7f0,
  0x1f90c, 0x1f93a, 0x1f93c, 0x1f945, 0x1f947, 0x1f9ff, 0x1fa70, 0x1fa7c, 0x1fa80, 0x1fac6, 0x1fac8,
  0x1fac8, 0x1facc, 0x1fadd, 0x1fadf, 0x1faeb, 0x1faef, 0x1fafa, 0x20000, 0x2fffd, 0x30000, 0x3fffd,
];

/** Where every terminal agrees: Latin to Cyrillic, punctuation to Braille, and the long-settled part of CJK. */
const SETTLED_RANGES = [
  0x20, 0x52f, 0x2010, 0x2027, 0x2030, 0x205e, 0x2070, 0x218b, 0x2190, 0x2319, 0x2336, 0x23cf,
  0x2460, 0x25fc, 0x2605, 0x2606, 0x2713, 0x2713, 0x2717, 0x2717, 0x2800, 0x28ff, 0x3001, 0x3029,
  0x3041, 0x3096, 0x309b, 0x30ff, 0x4e00, 0x9fff, 0xac00, 0xd7a3, 0xff01, 0xff60, 0xfffd, 0xfffd,
];

/** Vowels and finals of Hangul: they join the syllable before them. */
const JOINING_JAMO = [0x1160, 0x11ff, 0xd7b0, 0xd7fb];

const ZERO_WIDTH_JOINER = 0x200d;
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
const NONSPACING = /[\p{Mn}\p{Me}]/u;

const PAGE_SIZE = 256;
/** Classes of 256 code points each, made when the first of them is asked for. */
const pages: (Uint8Array | undefined)[] = [];

/** True for ASCII, box drawing, blocks and Braille: narrow everywhere, without a look-up. Never throws. */
export function isPlainUnit(unit: number): boolean {
  return (
    (unit >= 0x20 && unit < 0x7f) ||
    (unit >= 0x2500 && unit < 0x25a0) ||
    (unit >= 0x2800 && unit < 0x2900)
  );
}

/** MARK, NARROW, WIDE or HIDDEN. Anything that is not a code point is HIDDEN. Never throws. */
export function classOf(codePoint: number): number {
  return entryOf(codePoint) & CLASS_BITS;
}

/** Columns that a drawn code point takes: 0, 1 or 2; a hidden one takes the one of its replacement. Never throws. */
export function widthOf(codePoint: number): number {
  const kind = classOf(codePoint);
  return kind === HIDDEN ? 1 : kind;
}

/** True when terminals do not agree about the width of it. Never throws. */
export function isUnsettled(codePoint: number): boolean {
  return (entryOf(codePoint) & UNSETTLED) !== 0;
}

function entryOf(codePoint: number): number {
  const index = codePoint >>> 8;
  return (pages[index] ?? makePage(index))[codePoint & 255] ?? HIDDEN;
}

function makePage(index: number): Uint8Array {
  const page = new Uint8Array(PAGE_SIZE);
  const first = index * PAGE_SIZE;
  if (first > 0x10ffff) return page.fill(HIDDEN);
  for (let offset = 0; offset < PAGE_SIZE; offset++) {
    const codePoint = first + offset;
    const isSettled = isInRanges(codePoint, SETTLED_RANGES);
    page[offset] = classify(codePoint) | (isSettled ? 0 : UNSETTLED);
  }
  pages[index] = page;
  return page;
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (NONSPACING.test(character) || codePoint === ZERO_WIDTH_JOINER) return MARK;
  if (INVISIBLE.test(character)) return HIDDEN;
  if (isInRanges(codePoint, JOINING_JAMO)) return MARK;
  // The two halves of a flag are narrow: together they take the two columns of the flag.
  return isInRanges(codePoint, WIDE_RANGES) ? WIDE : NARROW;
}

function isInRanges(codePoint: number, ranges: readonly number[]): boolean {
  for (let index = 0; index < ranges.length; index += 2) {
    const last = ranges[index + 1] ?? 0;
    if (codePoint <= last) return codePoint >= (ranges[index] ?? 0);
  }
  return false;
}
