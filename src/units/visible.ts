// Makes text from outside safe to show: escapes invisible characters.

/** Control, invisible and bidirectional formatting characters, lone surrogates, variation selectors. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

const SHORT_FORMS: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Escapes every character that a terminal would execute or hide, as in JavaScript: ESC becomes `\x1b`, a right-to-left override
 * `\u202e`, a line break `\n`. Everything else, including backslashes, is unchanged.
 */
export function visible(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => SHORT_FORMS[character] ?? spell(character.codePointAt(0) ?? 0),
  );
}

/** By far the most common case; JSON text is long. */
const PLAIN = /^[\n\x20-\x7e]*$/;

/**
 * The same for JSON text, or text already made visible, keeping line breaks: what a terminal would execute or hide becomes a JSON
 * escape, so that JSON stays equivalent.
 */
export function visibleJson(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(INVISIBLE, (character) => JSON_BLANKS[character] ?? escapeUnits(character));
}

/** Between JSON values these are whitespace; inside of values they do not occur. */
const JSON_BLANKS: Readonly<Record<string, string>> = { "\n": "\n", "\r": " ", "\t": " " };

function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}

function spell(codePoint: number): string {
  const digits = codePoint.toString(16);
  if (codePoint <= 0xff) return `\\x${digits.padStart(2, "0")}`;
  return codePoint <= 0xffff ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}
