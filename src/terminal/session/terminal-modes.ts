// The modes that a full-screen program sets in a terminal, and how each is reset.
import { NO_TITLE } from "./osc.ts";

export interface ModeOptions {
  /** Report clicks, drags (1002) and the wheel, in SGR format (1006). While on, the terminal's own selection needs Shift. */
  readonly mouse: boolean;
  /** Window titles will be set: the previous one is pushed onto the terminal's title stack. */
  readonly hasTitle?: boolean | undefined;
}

interface Mode {
  readonly on: string;
  readonly off: string;
  readonly isWanted: (options: ModeOptions) => boolean;
  /** May only be reset if it was set: otherwise that moves the cursor. */
  readonly isExact?: boolean;
}

const always = () => true;

const PUSH_TITLE = "\x1b[22;2t";
/** A terminal without a title stack is left without a title, which a shell's prompt sets again. */
const POP_TITLE = `${NO_TITLE}\x1b[23;2t`;
/** Restores the window's previous title, while further titles may still be set. */
export const TITLE_BEFORE = `${POP_TITLE}${PUSH_TITLE}`;

/** In the order in which they are set; reset in reverse order. */
const MODES: readonly Mode[] = [
  // Cleared before leaving: tmux and GNU screen without an alternate screen of their own would keep some of its rows.
  {
    on: "\x1b[?1049h",
    off: "\x1b[m\x1b[H\x1b[2J\x1b[?1049l",
    isWanted: always,
    isExact: true,
  },
  {
    on: PUSH_TITLE,
    off: POP_TITLE,
    isWanted: ({ hasTitle = false }) => hasTitle,
    isExact: true,
  },
  { on: "\x1b[?25l", off: "\x1b[?25h", isWanted: always },
  { on: "\x1b[?2004h", off: "\x1b[?2004l", isWanted: always },
  { on: "\x1b[?1002h\x1b[?1006h", off: "\x1b[?1006l\x1b[?1002l", isWanted: ({ mouse }) => mouse },
];

/** A frame that was cut off may have left a synchronised update open and a style set. */
const END_OF_FRAME = "\x1b[?2026l\x1b[m";

/** Alternate screen, hidden cursor, bracketed paste and, if requested, the mouse. */
export function enterSequence(options: ModeOptions): string {
  const wanted = MODES.filter((mode) => mode.isWanted(options));
  return `${wanted.map((mode) => mode.on).join("")}\x1b[m`;
}

/** Resets everything that `enterSequence` can set. Harmless for what was not set. */
export function restoreSequence(options: Omit<ModeOptions, "mouse">): string {
  return (
    END_OF_FRAME +
    MODES.filter((mode) => mode.isExact !== true || mode.isWanted({ ...options, mouse: true }))
      .map((mode) => mode.off)
      .reverse()
      .join("")
  );
}
