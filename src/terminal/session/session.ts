// Takes over the terminal: sets its modes, and restores it, however the program ends.
import { enterSequence, type ModeOptions, restoreSequence } from "./terminal-modes.ts";
import type { Watcher } from "./watcher.ts";

export type SessionEnd =
  | { readonly kind: "closed" }
  | { readonly kind: "signal"; readonly signal: EndSignal }
  /** The terminal is gone: its input ended, or reading or writing failed (EIO, EPIPE). */
  | { readonly kind: "lost"; readonly cause: unknown }
  /** An uncaught error. It is not printed here. */
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

/** The part of standard input that is used. `setRawMode` is missing if it is not a terminal. */
interface InputEvents extends Events {
  readonly setRawMode?: ((isRaw: boolean) => unknown) | undefined;
}

export interface SessionOptions extends ModeOptions {
  readonly process: ProcessEvents;
  readonly stdin: InputEvents;
  readonly stdout: Events;
  /** Writes synchronously, even while the process exits. May throw. */
  readonly writeSync: (text: string) => void;
  /** Restores the terminal in our place if we cannot. */
  readonly watcher?: Watcher | undefined;
  /** The terminal is about to be released, temporarily or for good: write nothing more. */
  readonly onLeave: () => void;
  /** The terminal is ours again and may show anything: redraw everything. */
  readonly onReturn: () => void;
  /** The end; called once. The terminal is restored by then. */
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

  /** Takes over the terminal. Registers first what restores it. */
  enter(): void {
    this.#listen();
    this.#take();
  }

  /** Restores the terminal for good. Does nothing if that has happened already. */
  close(): void {
    this.#end({ kind: "closed" });
  }

  /** Restores the terminal for good after a failure that only the caller knows about. */
  fail(error: unknown): void {
    this.#end({ kind: "failed", error });
  }

  /** Restores the terminal for good because it no longer accepts output. */
  lose(cause: unknown): void {
    this.#end({ kind: "lost", cause });
  }

  /**
   * Restores the terminal and stops the job, as Ctrl+Z does; returns once it is continued. Without a shell that could continue
   * it, the system does not stop the job, and this returns at once.
   */
  readonly suspend = () => {
    if (this.#isEnded || !this.#hasTerminal) return;
    this.#giveBack();
    const { process } = this.#options;
    // Without our listener, the signal has its default effect: it stops the process.
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
    // These stay registered: an unhandled stream error would end the process during shutdown.
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
    // From then on a second signal has its default effect. Not removed at once: while the listeners of a signal run, Ink's own
    // listener resends the signal, to kill the process, if it finds itself alone.
    queueMicrotask(() => {
      for (const undo of this.#undoSignals) undo();
    });
    this.#options.onEnd(end);
  }

  // Also after a stop that was not ours: the shell has set its own modes then, and the size may have changed.
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
