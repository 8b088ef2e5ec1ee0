// What the environment reveals about the terminal.

type Environment = Readonly<Record<string, string | undefined>>;

export interface TerminalTraits {
  /** Runs inside tmux, which executes what it knows itself and passes on only what is wrapped. */
  readonly isTmux: boolean;
  /** The number of the one notification sequence to send: a terminal would show two of them twice. */
  readonly notification: 9 | 99 | 777;
  /** False if the terminal might draw a title as text. */
  readonly hasTitle: boolean;
  /** The setting that clipboard access needs, or why it is impossible; empty if no obstacle is known. */
  readonly clipboardAdvice: string;
  /** False if the terminal certainly has no clipboard command. */
  readonly takesClipboard: boolean;
}

export function terminalTraits(env: Environment): TerminalTraits {
  const { TERM = "", TERM_PROGRAM = "" } = env;
  const isKitty = TERM === "xterm-kitty" || Boolean(env.KITTY_WINDOW_ID);
  const isVte = Boolean(env.VTE_VERSION) && !isKitty && !isFromVte(env);
  const isOf777 = isVte || /^(?:foot|rxvt)/.test(TERM) || TERM_PROGRAM === "ghostty";
  return {
    isTmux: Boolean(env.TMUX),
    notification: isKitty ? 99 : isOf777 ? 777 : 9,
    hasTitle: TERM !== "" && !/^(?:dumb|linux|vt\d|ansi|cons|wscons|sun|cygwin)/.test(TERM),
    clipboardAdvice: clipboardAdvice(env, isVte),
    takesClipboard:
      Boolean(env.TMUX) || !(isVte || isGnuScreen(env) || TERM_PROGRAM === "Apple_Terminal"),
  };
}

/** Other terminals started from a shell in a VTE terminal inherit its VTE_VERSION. */
function isFromVte({ TERM = "", XTERM_VERSION, KONSOLE_VERSION }: Environment): boolean {
  return (
    Boolean(XTERM_VERSION || KONSOLE_VERSION) || /^(?:alacritty|foot|rxvt|st-|mlterm)/.test(TERM)
  );
}

function isGnuScreen({ TERM = "", STY, TMUX }: Environment): boolean {
  return !TMUX && (Boolean(STY) || TERM.startsWith("screen"));
}

function clipboardAdvice(env: Environment, isVte: boolean): string {
  const { TERM_PROGRAM } = env;
  if (env.TMUX) return "in tmux with `set -g set-clipboard on`, or `set -g allow-passthrough on`";
  if (isGnuScreen(env)) return "GNU screen hands it on to no terminal";
  if (isVte) return "terminals of GNOME's kind (VTE) have no such command";
  if (TERM_PROGRAM === "Apple_Terminal") return "macOS's Terminal has no such command";
  if (TERM_PROGRAM === "iTerm.app") return "iTerm2 asks for leave in its general settings";
  if (env.XTERM_VERSION) return "in xterm with the resource `disallowedWindowOps: 20,21,SetXprop`";
  return "";
}

/** The name of the locale for text; empty if not set. */
export function getLocale({ LC_ALL, LC_CTYPE, LANG }: Environment): string {
  return LC_ALL || LC_CTYPE || LANG || "";
}

/** True if the locale names an encoding other than UTF-8, as C and POSIX do; without a locale the terminal decides. */
export function lacksUtf8(env: Environment): boolean {
  const locale = getLocale(env);
  return locale !== "" && !/utf-?8/i.test(locale);
}
