// What a full-screen program sets in a terminal, and how each of it is taken back.

/** The modes that depend on options. */
export interface ModeOptions {
  /** Report clicks and the wheel, in the SGR form (1006). While it is on, the terminal's own selection needs Shift. */
  readonly mouse: boolean;
}

interface Mode {
  readonly on: string;
  readonly off: string;
  readonly isWanted: (options: ModeOptions) => boolean;
}

const always = () => true;

/** In the order in which they are set; they are taken back in the opposite order, all of them, wanted or not. */
const MODES: readonly Mode[] = [
  { on: "\x1b[?1049h", off: "\x1b[?1049l", isWanted: always },
  { on: "\x1b[?25l", off: "\x1b[?25h", isWanted: always },
  { on: "\x1b[?2004h", off: "\x1b[?2004l", isWanted: always },
  {
    on: "\x1b[?1000h\x1b[?1006h",
    off: "\x1b[?1006l\x1b[?1000l",
    isWanted: ({ mouse }) => mouse,
  },
];

/** A frame that was cut off may have left an update open and a style set. */
const END_OF_FRAME = "\x1b[?2026l\x1b[m";

/** Alternate screen, hidden cursor, bracketed paste and, if wanted, the mouse. */
export function enterSequence(options: ModeOptions): string {
  const wanted = MODES.filter((mode) => mode.isWanted(options));
  return `${wanted.map((mode) => mode.on).join("")}\x1b[m`;
}

/** Takes everything back that `enterSequence` can set. Harmless when it was not set. */
export function restoreSequence(): string {
  return (
    END_OF_FRAME +
    MODES.map((mode) => mode.off)
      .reverse()
      .join("")
  );
}
