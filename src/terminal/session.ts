// Takes the terminal over, and gives it back however the program ends.
import type { Watcher } from "./watcher.ts";

/** Which modes are set: the mouse reports clicks, drags and the wheel; the title goes onto the terminal's stack. */
export interface Modes {
  readonly mouse: boolean;
  readonly hasTitle: boolean;
}

const PUSH_TITLE = "\x1b[22;2t";
/** Without a title stack the title is empty until the shell's prompt sets one. */
const POP_TITLE = "\x1b]2;\x07\x1b[23;2t";
const MOUSE_ON = "\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF = "\x1b[?1006l\x1b[?1002l";

/** Alternate screen, hidden cursor, bracketed paste. */
function enterSequence({ mouse, hasTitle }: Modes): string {
  const [title, clicks] = [hasTitle ? PUSH_TITLE : "", mouse ? MOUSE_ON : ""];
  return `\x1b[?1049h${title}\x1b[?25l\x1b[?2004h${clicks}\x1b[m`;
}

/**
 * Ends first what a frame that was cut off may have left open. The screen is cleared before it is left: a multiplexer without
 * an alternate screen would keep some of its rows.
 */
export function leaveSequence({ hasTitle }: Pick<Modes, "hasTitle">): string {
  const title = hasTitle ? POP_TITLE : "";
  return `\x1b[?2026l\x1b[m${MOUSE_OFF}\x1b[?2004l\x1b[?25h${title}\x1b[H\x1b[2J\x1b[?1049l`;
}

export type SessionEnd =
  | { readonly kind: "closed" }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals }
  /** The terminal is gone. */
  | { readonly kind: "lost"; readonly cause: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

type Listener = (...values: unknown[]) => void;
interface Events {
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
}

/** The part of Node's `process` that is used. */
export interface ProcessEvents extends Events {
  readonly pid: number;
  kill(pid: number, signal: string): unknown;
  listenerCount(event: string): number;
}

export interface SessionOptions {
  readonly process: ProcessEvents;
  readonly stdin: Events & { setRawMode?: (isRaw: boolean) => unknown };
  readonly stdout: Events;
  readonly modes: Modes;
  /** Writes synchronously, even while the process exits. */
  readonly writeNow: (text: string) => void;
  readonly watcher?: Watcher | undefined;
  /** About to be given back, for a while or for good: write nothing more. */
  readonly onLeave: () => void;
  /** Ours again, and may show anything. */
  readonly onReturn: () => void;
  /** Called once; the terminal is restored by then. */
  readonly onEnd: (end: SessionEnd) => void;
}

const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
/** A shell takes its terminal back only when every process of the job has stopped. */
const OWN_GROUP = 0;

export class Session {
  readonly #options: SessionOptions;
  readonly #undo: (() => void)[] = [];
  #hasTerminal = false;
  #isEnded = false;

  /** Registers first what restores the terminal. */
  constructor(options: SessionOptions) {
    this.#options = options;
    const { process, stdin, stdout } = options;
    for (const signal of END_SIGNALS)
      this.#on(process, signal, () => this.end({ kind: "signal", signal }));
    const fail = (error: unknown) => this.end({ kind: "failed", error });
    this.#on(process, "uncaughtException", fail);
    this.#on(process, "unhandledRejection", fail);
    this.#on(process, "exit", () => this.#giveBack());
    this.#on(process, "SIGTSTP", this.suspend);
    this.#on(process, "SIGCONT", () => this.#comeBack());
    const lose = (cause: unknown) => this.end({ kind: "lost", cause });
    this.#on(stdin, "end", () => lose("input ended"));
    // These stay: an error of a stream that nobody listens to would end the process while it shuts down.
    stdin.on("error", lose);
    stdout.on("error", lose);
    this.#take();
  }

  end(end: SessionEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#giveBack();
    // From now on a second signal has its own effect.
    for (const undo of this.#undo) undo();
    this.#options.onEnd(end);
  }

  /** As Ctrl+Z: returns when the job continues. */
  readonly suspend = () => {
    if (!this.#hasTerminal) return;
    const { process } = this.#options;
    this.#giveBack();
    // Without our listener the signal has its own effect: it stops the process.
    process.off("SIGTSTP", this.suspend);
    process.kill(OWN_GROUP, "SIGTSTP");
    process.on("SIGTSTP", this.suspend);
    this.#comeBack();
  };

  #on(emitter: Events, event: string, listener: Listener): void {
    emitter.on(event, listener);
    this.#undo.push(() => emitter.off(event, listener));
  }

  /** Also after a stop that was not ours: the shell has set its own modes then, and the size may be another. */
  #comeBack(): void {
    if (this.#isEnded) return;
    this.#setRaw(false);
    this.#take();
    this.#options.onReturn();
  }

  #take(): void {
    this.#hasTerminal = true;
    this.#options.watcher?.taken();
    this.#setRaw(true);
    this.#options.writeNow(enterSequence(this.#options.modes));
  }

  #giveBack(): void {
    if (!this.#hasTerminal) return;
    this.#hasTerminal = false;
    this.#options.onLeave();
    this.#options.writeNow(leaveSequence(this.#options.modes));
    this.#setRaw(false);
    this.#options.watcher?.given();
  }

  #setRaw(isRaw: boolean): void {
    try {
      this.#options.stdin.setRawMode?.(isRaw);
    } catch {
      // The terminal is gone: there is nothing to set.
    }
  }
}
