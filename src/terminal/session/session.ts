// Borrows the terminal: sets its modes, and gives it back as it was, whatever ends the program.
import { enterSequence, type ModeOptions, restoreSequence } from "./terminal-modes.ts";
import type { Watcher } from "./watcher.ts";

export type SessionEnd =
  | { readonly kind: "closed" }
  | { readonly kind: "signal"; readonly signal: EndSignal }
  /** The terminal is gone: its input ended, or reading or writing failed (EIO, EPIPE). */
  | { readonly kind: "lost"; readonly cause: unknown }
  /** An error that nobody caught. It is not printed here. */
  | { readonly kind: "failed"; readonly error: unknown };

type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT";

type Listener = (...values: unknown[]) => void;

export interface Events {
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
}

export interface ProcessEvents extends Events {
  readonly pid: number;
  kill(pid: number, signal: string): unknown;
}

/** The part of standard input that is used. `setRawMode` is missing where it is no terminal. */
interface InputEvents extends Events {
  readonly setRawMode?: ((isRaw: boolean) => unknown) | undefined;
}

export interface SessionOptions extends ModeOptions {
  readonly process: ProcessEvents;
  readonly stdin: InputEvents;
  readonly stdout: Events;
  /** Writes at once, also while the process exits. May throw. */
  readonly writeSync: (text: string) => void;
  /** Gives the terminal back in our place, should we not be able to. */
  readonly watcher?: Watcher | undefined;
  /** The terminal is about to be given back, for a while or for good: write nothing more. */
  readonly onLeave: () => void;
  /** The terminal is ours again and may show anything: draw everything. */
  readonly onReturn: () => void;
  /** The end, once. The terminal is as it was before. */
  readonly onEnd: (end: SessionEnd) => void;
}

const END_SIGNALS: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/** Every process of the job: a shell takes its terminal back only when all of them have stopped. */
const OWN_GROUP = 0;

export class Session {
  readonly #options: SessionOptions;
  readonly #undo: (() => void)[] = [];
  readonly #undoSignals: (() => void)[] = [];
  #hasTerminal = false;
  #isEnded = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Takes the terminal. What gives it back is registered first. */
  enter(): void {
    this.#listen();
    this.#take();
  }

  /** Gives the terminal back for good. Nothing happens when it was given back before. */
  close(): void {
    this.#end({ kind: "closed" });
  }

  /** Gives the terminal back for good because something failed that only the caller knows of. */
  fail(error: unknown): void {
    this.#end({ kind: "failed", error });
  }

  /** Gives the terminal back for good because it does not take output any more. */
  lose(cause: unknown): void {
    this.#end({ kind: "lost", cause });
  }

  /**
   * Gives the terminal back and stops the job, as Ctrl+Z does; returns after it was continued. Where there is no
   * shell to continue it, the system does not stop it, and it goes on at once.
   */
  readonly suspend = () => {
    if (this.#isEnded || !this.#hasTerminal) return;
    this.#giveBack();
    const { process } = this.#options;
    // Without our listener the signal does what it does by itself: it stops.
    process.off("SIGTSTP", this.suspend);
    process.kill(OWN_GROUP, "SIGTSTP");
    if (this.#isEnded) return;
    process.on("SIGTSTP", this.suspend);
    this.#comeBack();
  };

  #listen(): void {
    const { process, stdin, stdout } = this.#options;
    for (const signal of END_SIGNALS) {
      const listener = () => this.#end({ kind: "signal", signal });
      process.on(signal, listener);
      this.#undoSignals.push(() => process.off(signal, listener));
    }
    this.#on(process, "uncaughtException", (error) => this.fail(error));
    this.#on(process, "unhandledRejection", (error) => this.fail(error));
    this.#on(process, "exit", () => this.#giveBack());
    this.#on(process, "SIGTSTP", this.suspend);
    this.#on(process, "SIGCONT", () => this.#comeBack());
    this.#on(stdin, "end", () => this.lose("input ended"));
    // These stay: an error of a stream that nobody listens to would end the process on its way out.
    stdin.on("error", (error) => this.lose(error));
    stdout.on("error", (error) => this.lose(error));
  }

  #on(emitter: Events, event: string, listener: Listener): void {
    emitter.on(event, listener);
    this.#undo.push(() => emitter.off(event, listener));
  }

  #end(end: SessionEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#giveBack();
    for (const undo of this.#undo.splice(0)) undo();
    // From then on a second signal does what it does by itself. Not at once: while listeners of a signal run, Ink's own
    // listener sends it again, to kill, when it finds itself alone.
    queueMicrotask(() => {
      for (const undo of this.#undoSignals) undo();
    });
    this.#options.onEnd(end);
  }

  // Also after a stop that was not ours: the shell has then set its own modes, and the size may be another.
  #comeBack(): void {
    if (this.#isEnded) return;
    this.#setRawMode(false);
    this.#take();
    const { process, onReturn } = this.#options;
    process.kill(process.pid, "SIGWINCH");
    onReturn();
  }

  #take(): void {
    this.#hasTerminal = true;
    this.#options.watcher?.taken();
    this.#setRawMode(true);
    this.#write(enterSequence(this.#options));
  }

  #giveBack(): void {
    if (!this.#hasTerminal) return;
    this.#hasTerminal = false;
    this.#options.onLeave();
    this.#write(restoreSequence(this.#options));
    this.#setRawMode(false);
    this.#options.watcher?.given();
  }

  // A terminal that is gone cannot be restored, and its streams emit the error.
  #write(text: string): void {
    try {
      this.#options.writeSync(text);
    } catch {}
  }

  #setRawMode(isRaw: boolean): void {
    try {
      this.#options.stdin.setRawMode?.(isRaw);
    } catch {}
  }
}
