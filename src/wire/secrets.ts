// Removes header values from everything the service sends, at the point of entry: a service may echo what it was sent, in an
// error, a field, a page or a certificate, and everything past the socket is shown, logged or recorded. How echoes are
// distinguished from data.
import { parseChannel } from "./channels.ts";
import { endOfText } from "./json.ts";

/** Replaces a value. */
const HIDDEN = "[hidden]";

/** A shorter value is not a secret, and may be part of any word. */
const MIN_CHARACTERS = 4;
/** Values this long, of mixed characters, do not occur in data by chance; digits or letters alone must be longer. */
const SURE_CHARACTERS = 8;
const SURE_ALIKE = 16;
/** A truncated text may end within a value: this many characters of one at least twice as long identify it. */
const STEM = 12;

/** Media types and other values common to all clients and services. */
const USUAL =
  /^(?:\*\/\*|(?:application|text)\/(?:json|html|plain|xml|problem\+json)|utf-8|identity|gzip|deflate|br|no-cache|keep-alive|websocket|upgrade)$/i;
/** An owner address of the listings, which occurs in every trade. */
const OWNER = /^0x[0-9a-f]{40}$/i;
/** The first word of `Authorization: Bearer …`. */
const SCHEME = /^[A-Za-z][A-Za-z0-9-]*$/;

/** Fields with human-readable text, even if it is a single word. */
const PROSE_FIELD =
  /^(?:message|msg|reason|error|detail|details|description|title|text|note|info)$/i;
/** Maximum spaces before a colon; more do not occur in real JSON. */
const MAX_BLANKS = 64;
const QUOTE = 0x22;

type Headers = Readonly<Record<string, string>>;
const made = new WeakMap<Headers, Secrets | undefined>();

/**
 * The secrets in these headers, computed once; undefined if there are none.
 * @param open texts that are public anyway, such as arguments and addresses: parts of them are not secret. Used only in the
 *   first call with these headers.
 */
export function collectSecrets(
  headers: Headers,
  open: readonly string[] = [],
): Secrets | undefined {
  if (!made.has(headers)) made.set(headers, createSecrets(Object.values(headers), open));
  return made.get(headers);
}

export function createSecrets(
  values: readonly string[],
  open: readonly string[] = [],
): Secrets | undefined {
  const parts = new Set(values.flatMap(splitParts));
  const secret = [...parts].filter((part) => !isOpen(part, open));
  const sure = minimal(secret.filter(isSure)).flatMap(getForms);
  const rare = minimal(secret.filter((part) => !isSure(part)));
  return sure.length + rare.length === 0 ? undefined : new Secrets(sure, rare);
}

/** Redacts secrets in texts; a text without any is returned unchanged. */
export class Secrets {
  readonly #stems: readonly string[];
  readonly #bytes: readonly Buffer[];
  readonly #forms: readonly string[];
  /** Values that may occur in data by chance: matched as whole words only. */
  readonly #rare: RegExp | undefined;

  constructor(forms: readonly string[], rare: readonly string[]) {
    // Longest first, since a shorter form may be part of a longer one.
    this.#forms = [...new Set(forms)].sort((a, b) => b.length - a.length);
    this.#stems = [...new Set(this.#forms.map(getStem))];
    this.#bytes = [...this.#stems, ...rare].map((text) => Buffer.from(text));
    const pattern = rare.map((text) => text.replace(/[^\w]/g, "\\$&")).join("|");
    this.#rare = pattern === "" ? undefined : new RegExp(`(?<![\\w])(?:${pattern})(?![\\w])`, "gi");
  }

  /** Redacts one message or page, JSON or not: JSON stays JSON, and its numbers are unchanged. */
  redactJson(text: string): string {
    return this.#isClean(text) ? text : this.#tokens(text);
  }

  /** Redacts human-readable text: a reason, a status, an address, an error. */
  redactText(text: string): string {
    const hidden = this.#hide(text);
    return this.#rare === undefined ? hidden : hidden.replace(this.#rare, HIDDEN);
  }

  /** True when a UTF-8 text may contain a secret. */
  mayHold(bytes: Buffer): boolean {
    return bytes.includes("\\") || this.#bytes.some((form) => bytes.includes(form));
  }

  /** Checks the raw text only. A backslash may hide anything; documented data has none. */
  #isClean(text: string): boolean {
    if (text.includes("\\")) return false;
    for (const stem of this.#stems) if (text.includes(stem)) return false;
    return this.#rare === undefined || !hasWords(text) || text.search(this.#rare) < 0;
  }

  #tokens(text: string): string {
    if (!/^\s*[{["]/.test(text)) return this.redactText(text);
    let hidden = "";
    let from = 0;
    let field = "";
    for (const { at, end } of tokensOf(text)) {
      const token = text.slice(at, end);
      const isField = /^\s*:/.test(text.slice(end, end + MAX_BLANKS));
      if (isField) field = token.slice(1, -1);
      hidden += text.slice(from, at) + this.#token(token, isField ? "" : field);
      from = end;
    }
    // For text that starts like JSON but is not.
    return this.#hide(hidden + text.slice(from));
  }

  #token(token: string, field: string): string {
    if (token.startsWith('"')) return this.#string(token, field);
    // A number that is certainly a secret: replaced by a string, so that the text stays JSON.
    return this.#hide(token) === token ? token : `"${HIDDEN}"`;
  }

  /** Redacts one JSON string. Its escapes change only if it is redacted. */
  #string(quoted: string, field: string): string {
    const text = parseString(quoted);
    const isWords = PROSE_FIELD.test(field) || /\s/.test(text);
    const hidden = isWords ? this.redactText(text) : this.#hide(text);
    return hidden === text ? quoted : JSON.stringify(hidden);
  }

  #hide(text: string): string {
    let hidden = text;
    for (const form of this.#forms) hidden = hideForm(hidden, form);
    return hidden;
  }
}

/** Strings and numbers of a JSON text, in order; unterminated ones are omitted. */
function* tokensOf(text: string): Generator<{ readonly at: number; readonly end: number }> {
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at);
    if (end > text.length) return;
    if (end > at) yield { at, end };
    at = Math.max(end, at + 1);
  }
}

/** Exclusive end of the token that begins here; `at` itself if there is none. */
function endOfToken(text: string, at: number): number {
  if (text.charCodeAt(at) === QUOTE) return endOfText(text, at) + 1;
  let end = at;
  while (isNumeric(text.charCodeAt(end))) end++;
  return end;
}

function isNumeric(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x2e || unit === 0x2d;
}

/** True when a message may hold human-readable text: documented data has neither whitespace nor such a field. */
function hasWords(text: string): boolean {
  return /\s/.test(text) || /"(?:message|msg|reason|error|detail|note|info|text|title)/i.test(text);
}

function parseString(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

function getStem(form: string): string {
  return form.length < 2 * STEM ? form : form.slice(0, STEM);
}

/** Redacts a value, even where the text is cut within it or differs after its stem. */
function hideForm(text: string, form: string): string {
  const stem = getStem(form);
  let rest = text.indexOf(stem);
  if (rest < 0) return text;
  let hidden = "";
  let from = 0;
  for (; rest >= 0; rest = text.indexOf(stem, from)) {
    let length = stem.length;
    while (length < form.length && text[rest + length] === form[length]) length++;
    hidden += text.slice(from, rest) + HIDDEN;
    from = rest + length;
  }
  return hidden + text.slice(from);
}

/** The value, and parts of it that are secret by themselves: after a scheme, in a cookie, a signature, a Basic login. */
function splitParts(value: string): string[] {
  const words = value.split(/\s+/).filter(Boolean);
  const [first = ""] = words;
  const tokens = words.length > 1 && SCHEME.test(first) ? words.slice(1) : words;
  const fields = tokens.flatMap((word) => [word, ...word.split(/[;,]/)]);
  const values = fields.map((field) => field.replace(/^[\w-]+=(?=.)/, ""));
  const bare = [...fields, ...values].map((part) => part.replace(/^"|[";,]+$/g, ""));
  const login = /^basic$/i.test(first) ? Buffer.from(words[1] ?? "", "base64").toString() : "";
  return [value, ...bare, login, login.slice(login.indexOf(":") + 1)]
    .map((part) => part.trim())
    .filter((part) => part.length >= MIN_CHARACTERS);
}

function isOpen(part: string, open: readonly string[]): boolean {
  const channel = parseChannel(part);
  const isPublicChannel = channel !== undefined && !("address" in channel);
  if (isPublicChannel || USUAL.test(part) || OWNER.test(part)) return true;
  return open.some((text) => text.includes(part));
}

/** Too long and varied to occur in data by chance. */
function isSure(part: string): boolean {
  const isAlike = /^[0-9.,:+-]+$/.test(part) || /^[A-Za-z]+$/.test(part);
  return part.length >= (isAlike ? SURE_ALIKE : SURE_CHARACTERS);
}

/** Without those that contain another part: redacting that one suffices. */
function minimal(parts: readonly string[]): readonly string[] {
  return parts.filter((part) => !parts.some((other) => other !== part && part.includes(other)));
}

/** Ways in which a service may encode a value: unchanged, in another case, for URLs, JSON and HTML, in base64 and in hex. */
function getForms(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const url = encodeURIComponent(value);
  const html = value.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const named = value.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
  const hex = bytes.toString("hex");
  return [
    value,
    value.toLowerCase(),
    value.toUpperCase(),
    url,
    url.replace(/%../g, (code) => code.toLowerCase()),
    url.replaceAll("%20", "+"),
    html,
    named,
    JSON.stringify(value).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset)),
  ].filter((form, i) => i === 0 || form.length >= SURE_CHARACTERS);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};

/** The base64 of the value at an offset within a group of three bytes, without the edge characters that depend on its neighbours. */
function base64Forms(bytes: Buffer, offset: number): readonly string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const first = Math.ceil((offset * 4) / 3);
  const end = Math.floor((padded.length * 4) / 3);
  const text = padded.toString("base64").slice(first, end);
  return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
}
