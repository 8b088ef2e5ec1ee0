// A device, a pipe or a terminal that an export is written to: as it comes, and to be read once.
import { createWriteStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import { openInPlace } from "../system/named-file.ts";

/** Where text goes, and what it is. */
export interface InPlace {
  /** Fails by its `error` event; ending it closes it. */
  readonly stream: Writable;
  readonly isTerminal: boolean;
}

/** @throws {UsageError} when nobody reads the pipe; what Node throws otherwise */
export function openInPlaceStream(path: string): InPlace {
  const fd = openInPlace(path);
  // A pipe takes what it can and says when it takes more: no thread waits for its reader.
  const stream = fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: false, writable: true })
    : createWriteStream("", { fd });
  // Whoever writes sees what it failed with, then or later.
  stream.on("error", () => {});
  return { stream, isTerminal: isatty(fd) };
}

/**
 * Writes to a stream that may be slow.
 * @returns a write that resolves when more may be written; it rejects with what the stream failed with, or the reason of
 * the signal
 */
export function paced(
  stream: Writable,
  signal: AbortSignal,
): (text: string | Uint8Array) => Promise<void> {
  return (text) =>
    new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (stream.errored) return reject(stream.errored);
      if (stream.write(text)) return resolve();
      const stop = (settle: () => void) => {
        for (const [event, listener] of listeners) stream.off(event, listener);
        signal.removeEventListener("abort", abort);
        settle();
      };
      const abort = () => stop(() => reject(signal.reason));
      const listeners = [
        ["drain", () => stop(resolve)],
        ["error", (error: Error) => stop(() => reject(error))],
      ] as const;
      for (const [event, listener] of listeners) stream.on(event, listener);
      signal.addEventListener("abort", abort, { once: true });
    });
}

/**
 * Waits until everything is written, and closes the stream. Rejects with what it failed with.
 * @param last is written before that
 */
export function ended(stream: Writable, last?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.errored) return reject(stream.errored);
    stream.once("error", reject);
    stream.end(last, (error?: Error | null) => (error ? reject(error) : resolve()));
  });
}
