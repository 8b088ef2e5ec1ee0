// Signals that end the program, and a stdout that nobody reads any more, as one AbortSignal.
import type { Interruption } from "./context.ts";

interface Watched {
  on(event: NodeJS.Signals, listener: () => void): unknown;
  off(event: NodeJS.Signals, listener: () => void): unknown;
  readonly stdout: {
    on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  };
}

/**
 * SIGHUP counts as SIGTERM: nobody is left to hear of the difference. Listens until `stop` is called; from then on,
 * signals end the process as they would have without us. Never throws.
 * @param onFailure stdout takes nothing any more, for another reason than that nobody reads it
 */
export function watchInterrupts(
  process: Watched,
  onFailure: (error: NodeJS.ErrnoException) => void,
): { interrupt: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const abort = (reason: Interruption) => () => controller.abort(reason);
  const listeners: [NodeJS.Signals, () => void][] = [
    ["SIGINT", abort("SIGINT")],
    ["SIGTERM", abort("SIGTERM")],
    ["SIGHUP", abort("SIGTERM")],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
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
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}
