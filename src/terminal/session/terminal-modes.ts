// What a full-screen program sets in a terminal, and how each of it is taken back.
import { NO_TITLE } from "./osc.ts";

export interface ModeOptions {
  /** Report clicks, drags (1002) and the wheel, in the SGR form (1006). While it is on, the terminal's own selection needs Shift. */
  readonly mouse: boolean;
  /** Draw in some lines below the cursor instead of on a screen of its own. */
  readonly isInline?: boolean | undefined;
  /** Titles of the window will be set: the one before is put on the terminal's stack. */
  readonly hasTitle?: boolean | undefined;
}

interface Mode {
  readonly on: string;
  readonly off: string;
  readonly isWanted: (options: ModeOptions) => boolean;
  /**
   * True for a mode that may only be taken back where it was set: elsewhere that moves the cursor, or changes how
   * lines wrap.
   */
  readonly isExact?: boolean;
}

const always = () => true;
const onScreen = ({ isInline = false }: ModeOptions) => !isInline;
const inline = ({ isInline = false }: ModeOptions) => isInline;

const PUSH_TITLE = "\x1b[22;2t";
/** A terminal without such a stack is left without a title, which a shell's prompt sets again. */
const POP_TITLE = `${NO_TITLE}\x1b[23;2t`;
/** Gives the window the title that it had before, while titles may still be set. */
export const TITLE_BEFORE = `${POP_TITLE}${PUSH_TITLE}`;

/** In the order in which they are set; they are taken back in the opposite order. */
const MODES: readonly Mode[] = [
  // Cleared before it is left: tmux and GNU screen without one of their own would leave rows of it behind.
  {
    on: "\x1b[?1049h",
    off: "\x1b[m\x1b[H\x1b[2J\x1b[?1049l",
    isWanted: onScreen,
    isExact: true,
  },
  {
    on: PUSH_TITLE,
    off: POP_TITLE,
    isWanted: ({ hasTitle = false }) => hasTitle,
    isExact: true,
  },
  // Lines that are drawn while the terminal is made narrower must not wrap: what is above them would move.
  { on: "\x1b[?7l", off: "\x1b[?7h", isWanted: inline, isExact: true },
  // Where the lines begin is kept there, and in every frame that makes room for them; from there on all is erased.
  { on: "\x1b7", off: "\x1b8\r\x1b[J", isWanted: inline, isExact: true },
  { on: "\x1b[?25l", off: "\x1b[?25h", isWanted: always },
  { on: "\x1b[?2004h", off: "\x1b[?2004l", isWanted: always },
  { on: "\x1b[?1002h\x1b[?1006h", off: "\x1b[?1006l\x1b[?1002l", isWanted: ({ mouse }) => mouse },
];

/** A frame that was cut off may have left an update open and a style set. */
const END_OF_FRAME = "\x1b[?2026l\x1b[m";

/** Alternate screen (or inline, none), hidden cursor, bracketed paste and, if wanted, the mouse. */
export function enterSequence(options: ModeOptions): string {
  const wanted = MODES.filter((mode) => mode.isWanted(options));
  return `${wanted.map((mode) => mode.on).join("")}\x1b[m`;
}

/** Takes everything back that `enterSequence` can set. Harmless when it was not set. */
export function restoreSequence(options: Omit<ModeOptions, "mouse">): string {
  return (
    END_OF_FRAME +
    MODES.filter((mode) => mode.isExact !== true || mode.isWanted({ ...options, mouse: true }))
      .map((mode) => mode.off)
      .reverse()
      .join("")
  );
}
