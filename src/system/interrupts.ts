// Termination signals, a closed or failing stdout, and internal errors, as one AbortSignal.

/** Why a command must end early. */
export type Interruption =
  | "SIGINT"
  | "SIGTERM"
  | "SIGHUP"
  | "closed-stdout"
  | "failed-stdout"
  | "fault";

const FAULTS = ["uncaughtException", "unhandledRejection"] as const;

type Emitter = Pick<NodeJS.EventEmitter, "on" | "off" | "listenerCount">;

/** Handlers of unexpected ends. */
export interface InterruptHandlers {
  /** Stdout no longer accepts data, for a reason other than a closed reader. */
  onFailure(error: NodeJS.ErrnoException): void;
  /** Whether the standard streams had a terminal at the start, and whether it has gone since. */
  terminal(): "none" | "there" | "gone";
  /** An uncaught error or unhandled rejection while no screen handles it. Called once. */
  onFault(error: unknown): void;
}

/** Calls the listener at each SIGHUP that is not about a closed terminal, which then ends nothing. @returns its stop function */
export type OnHangup = (listener: () => void) => () => void;

/** After `stop`, signals end the process as they would have by default. A second internal error ends it at once. */
export function watchInterrupts(
  process: Emitter & { readonly stdout: Emitter; readonly stderr: Emitter },
  { terminal, onFailure, onFault }: InterruptHandlers,
): { interrupt: AbortSignal; onHangup: OnHangup; stop(): void } {
  const controller = new AbortController();
  const abort = (reason: Interruption) => controller.abort(reason);
  let hangup: (() => void) | undefined;
  // Node forgets that nohup had it ignored; but nohup takes the terminal away, and without one there is none to be closed.
  const onSighup = () => {
    const state = terminal();
    if (state === "gone" || (state === "there" && hangup === undefined)) abort("SIGHUP");
    else hangup?.();
  };
  const listeners: readonly (readonly [NodeJS.Signals, () => void])[] = [
    ["SIGINT", () => abort("SIGINT")],
    ["SIGTERM", () => abort("SIGTERM")],
    ["SIGHUP", onSighup],
  ];
  const onFatal = (error: unknown) => {
    // A screen has its own listener, and must restore the terminal first.
    if (process.listenerCount("uncaughtException") > 1) return;
    for (const event of FAULTS) process.off(event, onFatal);
    onFault(error);
    abort("fault");
  };
  for (const [signal, listener] of listeners) process.on(signal, listener);
  for (const event of FAULTS) process.on(event, onFatal);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A closed reader (head, a pager) is not an error; a full disk is.
    const isReaderGone = error.code === "EPIPE";
    if (!isReaderGone) onFailure(error);
    abort(isReaderGone ? "closed-stdout" : "failed-stdout");
  });
  // Messages that nobody can read are lost; the run continues.
  process.stderr.on("error", () => {});
  return {
    interrupt: controller.signal,
    onHangup(listener) {
      hangup = listener;
      return () => {
        hangup = undefined;
      };
    },
    stop() {
      for (const event of FAULTS) process.off(event, onFatal);
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}
