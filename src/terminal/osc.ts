// Sequences that draw nothing: title, clipboard, notification, questions. Made here alone, so that no text from outside ends one
// and begins another.

type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment says about the terminal. */
export interface Traits {
  /** tmux obeys what it knows itself, and passes on only what is wrapped. */
  readonly isTmux: boolean;
  /** The one notification sequence that it has: a terminal would show two of them twice. */
  readonly notification: 9 | 99 | 777;
  /** False where a title might be drawn as text. */
  readonly hasTitle: boolean;
}

export function terminalTraits(env: Environment): Traits {
  const { TERM = "", TMUX } = env;
  return {
    isTmux: Boolean(TMUX),
    notification: isKitty(env) ? 99 : isOfGnome(env) || has777(env) ? 777 : 9,
    hasTitle: TERM !== "" && !/^(?:dumb|linux|vt\d|ansi|cons|wscons|sun|cygwin)/.test(TERM),
  };
}

function isKitty({ TERM, KITTY_WINDOW_ID }: Environment): boolean {
  return TERM === "xterm-kitty" || Boolean(KITTY_WINDOW_ID);
}

function has777({ TERM = "", TERM_PROGRAM }: Environment): boolean {
  return /^(?:foot|rxvt)/.test(TERM) || TERM_PROGRAM === "ghostty";
}

/** Another terminal that was started from a shell in one of GNOME's kind has its VTE_VERSION, too. */
function isOfGnome(env: Environment): boolean {
  const { TERM = "", VTE_VERSION, XTERM_VERSION, KONSOLE_VERSION } = env;
  const isOther = Boolean(XTERM_VERSION || KONSOLE_VERSION) || isKitty(env);
  return Boolean(VTE_VERSION) && !isOther && !/^(?:alacritty|foot|rxvt|st-)/.test(TERM);
}

/** Does the locale name an encoding other than UTF-8? Without one, the terminal is trusted. */
export function lacksUtf8({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || "";
  return locale !== "" && !/utf-?8/i.test(locale);
}

export const BELL = "\x07";
const ST = "\x1b\\";
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Some terminals show nothing of a longer notification. */
const MAX_TEXT = 200;

/** A semicolon would end the text of a notification. */
function clean(text: string): string {
  return text.replace(CONTROL, "").replaceAll(";", ",").slice(0, MAX_TEXT);
}

export function titleSequence(text: string): string {
  return `\x1b]2;${clean(text)}${BELL}`;
}

/** Base64, so any text is allowed. */
export function clipboardSequence(text: string, { isTmux }: Traits): string {
  const sequence = `\x1b]52;c;${Buffer.from(text).toString("base64")}${BELL}`;
  // Whether tmux obeys or passes on depends on two settings, neither of which is on by default.
  return isTmux ? sequence + wrapped(sequence) : sequence;
}

export function notificationSequence(text: string, { isTmux, notification }: Traits): string {
  const made = {
    9: `\x1b]9;monitor: ${clean(text)}${BELL}`,
    99: `\x1b]99;;monitor: ${clean(text)}${ST}`,
    777: `\x1b]777;notify;monitor;${clean(text)}${BELL}`,
  }[notification];
  return isTmux ? wrapped(made) : made;
}

/**
 * Asks for the background colour, in tmux of the terminal behind it, too, then for the identity: a terminal that answers only
 * the second does not know the first.
 */
export function backgroundQuestion({ isTmux }: Traits): string {
  const question = `\x1b]11;?${ST}`;
  return `${isTmux ? wrapped(question) : ""}${question}\x1b[c`;
}

/** @returns undefined if it is no reply to that question */
export function isDarkReply(reply: string): boolean | undefined {
  const parts = /^11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(reply);
  if (parts === null) return undefined;
  const [red = 0, green = 0, blue = 0] = parts
    .slice(1)
    .map((hex) => Number.parseInt(hex, 16) / (16 ** hex.length - 1));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5;
}

function wrapped(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}${ST}`;
}
