// Signals that end the program, a stdout that nobody reads any more and faults of ours, as one AbortSignal.

/** Why a command is to end before it has finished. SIGHUP counts as SIGTERM. */
export type Interruption = "SIGINT" | "SIGTERM" | "closed-stdout" | "failed-stdout" | "fault";

type Fault = "uncaughtException" | "unhandledRejection";
const FAULTS: readonly Fault[] = ["uncaughtException", "unhandledRejection"];

interface Watched {
  on(event: NodeJS.Signals, listener: () => void): unknown;
  on(event: Fault, listener: (error: unknown) => void): unknown;
  off(event: NodeJS.Signals | Fault, listener: (error: unknown) => void): unknown;
  listenerCount(event: Fault): number;
  readonly stdout: {
    on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  };
}

/** Who is notified of what is not asked for. */
export interface InterruptHandlers {
  /** Stdout takes nothing any more, for another reason than that nobody reads it. */
  onFailure(error: NodeJS.ErrnoException): void;
  /** Nothing has caught this, and no screen is there that would end because of it. Called once. */
  onFault(error: unknown): void;
}

/**
 * SIGHUP counts as SIGTERM: nobody is left to see the difference. Observes until `stop` is called; from then on,
 * signals end the process as they would have without us. A second fault does so at once.
 */
export function watchInterrupts(
  process: Watched,
  { onFailure, onFault }: InterruptHandlers,
): { interrupt: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const abort = (reason: Interruption) => () => controller.abort(reason);
  const listeners: [NodeJS.Signals, () => void][] = [
    ["SIGINT", abort("SIGINT")],
    ["SIGTERM", abort("SIGTERM")],
    ["SIGHUP", abort("SIGTERM")],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  const takeFault = (error: unknown) => {
    // A screen listens, too, and has to give the terminal back first.
    if (process.listenerCount("uncaughtException") > 1) return;
    ignoreFaults();
    onFault(error);
    controller.abort("fault" satisfies Interruption);
  };
  const ignoreFaults = () => {
    for (const event of FAULTS) process.off(event, takeFault);
  };
  for (const event of FAULTS) process.on(event, takeFault);
  process.stdout.on("error", (error) => {
    // A reader that went away (head, a closed pager) is no error of ours; a full disk is.
    const isReaderGone = error.code === "EPIPE";
    if (!isReaderGone) onFailure(error);
    const reason: Interruption = isReaderGone ? "closed-stdout" : "failed-stdout";
    controller.abort(reason);
  });
  return {
    interrupt: controller.signal,
    stop() {
      ignoreFaults();
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}
