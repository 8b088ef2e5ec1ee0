// What our output may consist of: characters that can be seen, and a short list of sequences.

/** A frame: styles, cursor moves (backspaces only behind one down), synchronised updates, and the erasing of all of the screen. */
const FRAME_SEQUENCE = /^\[(?:[\d;]*m|\d*(?:;\d*)?H|\d*B[\b]{0,3}|\d*[CD]|\?2026[hl]|2J)/;
/** Characters that a terminal would obey or that hide in the text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/u;

/** Everything in these bytes that is not allowed, as JSON text; empty when all of it is. */
export function forbiddenIn(bytes: Uint8Array): string[] {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    const allowed = allowedLength(text.slice(at, at + 64));
    if (allowed === 0) found.push(JSON.stringify(text.slice(at, at + 12)));
    at += Math.max(1, allowed);
  }
  return found;
}

/** Units at the beginning of the text that are one allowed thing; 0 when it begins with something else. */
function allowedLength(text: string): number {
  if (text.startsWith("\r\n")) return 2;
  if (text.startsWith("\u001b")) {
    const sequence = text.slice(1);
    const match = FRAME_SEQUENCE.exec(sequence);
    return match ? 1 + match[0].length : 0;
  }
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return UNSEEN.test(character) ? 0 : character.length;
}
