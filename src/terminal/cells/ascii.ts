// What stands for a character where only ASCII may be drawn. The width stays the same, so that nothing moves.

const QUESTION_MARK = 0x3f;
const BOX_START = 0x2500;
const BOX_END = 0x259f;

/** Box drawing and blocks, 0x2500 to 0x259f: sixteen in each line. Thick, half-thick and double
 * lines are bodies of candles. */
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

const SIGNS: ReadonlyMap<number, string> = new Map(
  Object.entries({
    "●": "*",
    "○": "o",
    "◌": ".",
    "↻": "~",
    "×": "x",
    "⊘": "!",
    "▲": "^",
    "▼": "v",
    "△": "^",
    "▽": "v",
    "▶": ">",
    "◀": "<",
    "◆": "*",
    "◇": "o",
    "→": ">",
    "←": "<",
    "↑": "^",
    "↓": "v",
    "–": "-",
    "—": "-",
    "−": "-",
    "…": ".",
    "·": ".",
    "•": "*",
    "±": "+",
    "≈": "~",
    "≤": "<",
    "≥": ">",
    "≠": "!",
    "✓": "y",
    "✗": "x",
    "★": "*",
    "☆": "*",
    Σ: "S",
    Δ: "D",
    µ: "u",
    "°": "'",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "›": ">",
    "‹": "<",
    "\u00a0": " ",
  }).map(([sign, letter]) => [sign.codePointAt(0) ?? 0, letter]),
);

/** The ASCII character for a code point: itself, a likeness, its letter without marks, or `?`. */
export function asciiOf(codePoint: number): number {
  if (codePoint < 0x7f) return codePoint;
  if (codePoint >= BOX_START && codePoint <= BOX_END) {
    return BOXES.charCodeAt(codePoint - BOX_START);
  }
  const sign = SIGNS.get(codePoint);
  if (sign !== undefined) return sign.charCodeAt(0);
  // Braille and sparklines carry no value that is not written beside them.
  if (codePoint >= 0x2800 && codePoint <= 0x28ff) return codePoint === 0x2800 ? 0x20 : 0x3a;
  const letter = String.fromCodePoint(codePoint).normalize("NFKD").charCodeAt(0);
  return letter >= 0x20 && letter < 0x7f ? letter : QUESTION_MARK;
}
