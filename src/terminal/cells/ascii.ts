// Substitutes for characters if only ASCII may be drawn. Widths stay the same, so that nothing moves.

const QUESTION_MARK = 0x3f;
const COLON = 0x3a;
const BOX_START = 0x2500;
const BRAILLE_START = 0x2800;

/** Box drawing and blocks, 0x2500 to 0x259f, sixteen per line. Heavy, half-heavy and double lines are candle bodies. */
const BOXES = [
  "-=|#-=|#-=|#++++",
  "++++++++++++++++",
  "++++++++++++++++",
  "++++++++++++++++",
  "++++++++++++-=|#",
  "=O++++++++++++++",
  "++++++++++++++++",
  "+/\\X-|-|=#=#=#=#",
  "^___====#====---",
  "#.:%-|..........",
].join("");

/** Symbols, each followed by its substitute. */
const SIGN_PAIRS = [
  "●* ○o ◌. ↻~ ×x ⊘! ▲^ ▼v △^ ▽v ▶> ◀< ◆* ◇o →> ←< ↑^ ↓v –- —- −- …. ·. •*",
  "±+ ≈~ ≤< ≥> ≠! ✓y ✗x ★* ☆* ⚑! ΣS ΔD µu °' “\" ”\" ‘' ’' ›> ‹<",
  "▸> ◂< ≡= ⋯. ◐@ ■# ‖|",
].flatMap((line) => line.split(" "));
const SIGNS = new Map(SIGN_PAIRS.map((pair) => [pair.charCodeAt(0), pair.charAt(1)]));
SIGNS.set(0xa0, " ");

/** The ASCII character for a code point: itself, a lookalike, its letter without diacritics, or `?`. */
export function toAscii(codePoint: number): number {
  if (codePoint < 0x7f) return codePoint;
  const likeness = BOXES[codePoint - BOX_START] ?? SIGNS.get(codePoint);
  if (likeness !== undefined) return likeness.charCodeAt(0);
  // Braille and sparklines carry no value that is not also written as text.
  if (codePoint >> 8 === BRAILLE_START >> 8) return codePoint === BRAILLE_START ? 0x20 : COLON;
  const letter = String.fromCodePoint(codePoint).normalize("NFKD").charCodeAt(0);
  return letter >= 0x20 && letter < 0x7f ? letter : QUESTION_MARK;
}

export function toAsciiText(text: string): string {
  return Array.from(text, (each) => String.fromCharCode(toAscii(each.codePointAt(0) ?? 0))).join(
    "",
  );
}
