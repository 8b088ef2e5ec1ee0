// Lookalikes for a terminal that draws ASCII alone. Widths stay the same, so that nothing moves.

const BOX_START = 0x2500;
const BRAILLE_START = 0x2800;

/** Box drawing and blocks, 0x2500 to 0x259f, sixteen a line. Heavy and double lines are the bodies of candles. */
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

/** Each sign is followed by its lookalike. */
const SIGNS = new Map(
  [
    "●* ○o ◌. ↻~ ×x ✖x ⊘! ▲^ ▼v △^ ▽v ▶> ◀< ◆* ◇o →> ←< ↑^ ↓v –- —- −- …. ·. •* ★* ☆* ⚑!",
    "±+ ≈~ ≤< ≥> ≠! ✓y ✗x ΣS ΔD µu °' “\" ”\" ‘' ’' ›> ‹< ▸> ◂< ≡= ⋯. ◐@ ■# ‖|",
  ]
    .flatMap((line) => line.split(" "))
    .map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]),
);

/** The character itself, a lookalike, its letter without marks, or `?`. */
export function toAscii(codePoint: number): number {
  if (codePoint < 0x7f) return codePoint;
  const likeness = SIGNS.get(codePoint) ?? BOXES.charCodeAt(codePoint - BOX_START);
  if (likeness > 0) return likeness;
  if (codePoint >> 8 === BRAILLE_START >> 8) return codePoint === BRAILLE_START ? 0x20 : 0x3a;
  const letter = String.fromCodePoint(codePoint).normalize("NFKD").charCodeAt(0);
  return letter >= 0x20 && letter < 0x7f ? letter : 0x3f;
}
