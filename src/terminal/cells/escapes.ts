// Escape sequences inside a text: where they end, and which of them say how the text looks.

const ESC = "\x1b";
/** Introducers of control strings, after ESC or as one C1 character: DCS, SOS, OSC, PM, APC. */
const STRING_INTRODUCERS = "PX]^_";
const C1_STRING_INTRODUCERS = "\x90\x98\x9d\x9e\x9f";
const C1_CSI = "\x9b";
const C1_CONTROL = /[\u0080-\u009f]/;
const CSI_FORM = /[0-?]*[ -/]*[@-~]/y;
const ESCAPE_FORM = /[ -/]*[0-~]/y;
const SGR_PARAMETERS = /^[\d:;]*$/;

/** An escape sequence of a text: where it ends, and its parameters when it sets the look. */
export interface EscapeSequence {
  /** Index of the first unit after it. */
  readonly end: number;
  readonly sgr: string | undefined;
}

/** The sequence that begins with the control character at this index. Never throws. */
export function readSequence(text: string, at: number): EscapeSequence {
  const first = text.charAt(at);
  const second = text.charAt(at + 1);
  if (first === C1_CSI) return readCsi(text, at + 1);
  if (C1_STRING_INTRODUCERS.includes(first)) return readControlString(text, at + 1);
  if (first !== ESC || second === "") return { end: at + 1, sgr: undefined };
  if (second === "[") return readCsi(text, at + 2);
  if (STRING_INTRODUCERS.includes(second)) return readControlString(text, at + 2);
  return { end: endOfForm(ESCAPE_FORM, text, at + 1), sgr: undefined };
}

/** The text without any escape sequence but those that set the look. Never throws. */
export function keepLooks(text: string): string {
  if (!hasSequence(text)) return text;
  let kept = "";
  let start = 0;
  for (let at = nextControl(text, 0); at < text.length; at = nextControl(text, start)) {
    const { end, sgr } = readSequence(text, at);
    kept += text.slice(start, at);
    if (sgr !== undefined) kept += `${ESC}[${sgr}m`;
    start = end;
  }
  return kept + text.slice(start);
}

/** True when the text has an ESC or a C1 control. Never throws. */
export function hasSequence(text: string): boolean {
  return text.includes(ESC) || C1_CONTROL.test(text);
}

/** Index of the next ESC or C1 control from an index on; the length of the text when there is none. Never throws. */
export function nextControl(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x1b || (unit >= 0x80 && unit <= 0x9f)) return at;
  }
  return text.length;
}

function readCsi(text: string, from: number): EscapeSequence {
  const end = endOfForm(CSI_FORM, text, from);
  const parameters = text.slice(from, end - 1);
  const isSgr = text.charAt(end - 1) === "m" && SGR_PARAMETERS.test(parameters);
  return { end, sgr: isSgr && end > from ? parameters : undefined };
}

// Without an end, the whole rest of the text belongs to the string: a terminal would swallow it too.
function readControlString(text: string, from: number): EscapeSequence {
  for (let at = from; at < text.length; at++) {
    const unit = text.charAt(at);
    if (unit === "\x07" || unit === "\x9c") return { end: at + 1, sgr: undefined };
    if (unit === ESC && text.charAt(at + 1) === "\\") return { end: at + 2, sgr: undefined };
  }
  return { end: text.length, sgr: undefined };
}

function endOfForm(form: RegExp, text: string, from: number): number {
  form.lastIndex = from;
  return form.test(text) ? form.lastIndex : from;
}
