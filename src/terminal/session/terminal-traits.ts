// What the environment reveals about the terminal.

type Environment = Readonly<Record<string, string | undefined>>;

export interface TerminalTraits {
  /** It is inside of tmux, which obeys what it knows itself and hands on only what is wrapped. */
  readonly isTmux: boolean;
  /** The only notification that it takes, by its number: two would be shown twice. */
  readonly notification: 9 | 99 | 777;
  /** False where a title could be drawn as text. */
  readonly hasTitle: boolean;
  /** What has to be set, or cannot be, so that text gets into its clipboard; empty where nothing is known to be in the way. */
  readonly clipboardAdvice: string;
  /** False where the terminal surely has no command for its clipboard. */
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

/** Other terminals that a shell in one of GNOME's kind has started inherit its version. */
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

/** The name of the locale that text is written in; empty where none is set. */
export function getLocale({ LC_ALL, LC_CTYPE, LANG }: Environment): string {
  return LC_ALL || LC_CTYPE || LANG || "";
}

/** True where the locale names another encoding than UTF-8, as C and POSIX do; without one the terminal decides. */
export function lacksUtf8(env: Environment): boolean {
  const locale = getLocale(env);
  return locale !== "" && !/utf-?8/i.test(locale);
}
