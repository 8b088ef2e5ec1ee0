// Texts that try to make a terminal do something, as a service or a user name might bring them.
import fc from "fast-check";
import { anyCharacter } from "../any-character.ts";

/** One of each kind of sequence that a terminal obeys, in its 7-bit and 8-bit forms. */
export const ATTACKS: readonly string[] = [
  "\u001b]52;c;aGFjaw==\u0007",
  "\u001b]8;;http://evil\u001b\\click\u001b]8;;\u001b\\",
  "\u001b]0;title\u0007",
  "\u001b]9;7;calc\u0007",
  "\u001b]777;notify;a;b\u001b\\",
  "\u001bP+q544e\u001b\\",
  "\u001b_Gf=24\u001b\\",
  "\u001b^pm\u001b\\",
  "\u001bXsos\u001b\\",
  "\u001b[21t",
  "\u001b[6n",
  "\u001b[5b",
  "\u001b[?1049l",
  "\u001b[?25h",
  "\u001b[2J",
  "\u001b[31;1mred",
  "\u001bc",
  "\u001b#8",
  "\u001b(0",
  "\u001b[!p",
  "\u009b31m\u009d52;c;eA==\u009c\u0090q\u009c",
  "\u0007\u0008\u000b\u000c\u000e\u000f\u007f",
  "\u001b",
  "\u001b[",
  "\u001b]52;c;unfinished",
  "a\u202eb\u2066c\u2069\u200f",
  "x\u200by\ufeffz\u00ad",
  "\ud800\udfff\ud83d",
  "line\r\nfeed\ttab\u2028separator",
  "e\u0301\u0302\u0303\u20dd",
];

const piece = fc.oneof(
  fc.constantFrom(...ATTACKS),
  fc.integer({ min: 0, max: 0x9f }).map((unit) => String.fromCharCode(unit)),
  fc.string({ unit: anyCharacter, maxLength: 4 }),
  fc.string({ maxLength: 6 }),
);

/** Attacks, controls and any characters, in any order and cut anywhere. */
export const hostileText: fc.Arbitrary<string> = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.nat({ max: 40 }))
  .map(([parts, cut]) => parts.join("").slice(0, Math.max(1, cut)));
