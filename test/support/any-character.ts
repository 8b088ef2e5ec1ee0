import fc from "fast-check";

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const CHARACTERS = 0x11_0000 - SURROGATES;

const place = fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: CHARACTERS - 1 }));

/**
 * Any character at all, ASCII often, but no half of a surrogate pair: as fast-check's `"binary"`, which makes a table of a million
 * characters for it that takes a second and stays.
 */
export const anyCharacter: fc.Arbitrary<string> = place.map(
  (at) => String.fromCodePoint(at < FIRST_SURROGATE ? at : at + SURROGATES),
  (text) => {
    const [character, ...more] = typeof text === "string" ? text : "";
    const code = character?.codePointAt(0) ?? -1;
    if (more.length > 0 || code < 0) throw new Error("no character");
    if (code < FIRST_SURROGATE) return code;
    if (code < FIRST_SURROGATE + SURROGATES) throw new Error("half a character");
    return code - SURROGATES;
  },
);
