// Standard output, a device or a pipe: written as they are, never renamed, and no faster than they take it.
import { createWriteStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { openInPlace } from "../system/named-file.ts";

/** @throws {UsageError} when nobody reads the pipe; otherwise Node's errors */
export function openInPlaceStream(path: string): Writable {
  const fd = openInPlace(path);
  // A pipe opened as a socket is asynchronous: no thread blocks on its reader.
  const stream = fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: false, writable: true })
    : createWriteStream("", { fd });
  // The write reports the error.
  stream.on("error", () => {});
  return stream;
}

/** @returns a function that resolves when more may be written, and rejects with the stream's error or the signal's reason */
export function createWriter(
  stream: Writable,
  signal: AbortSignal,
): (text: string | Uint8Array) => Promise<void> {
  return (text) =>
    new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (stream.errored) return reject(stream.errored);
      const onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      stream.write(text, (error) => {
        signal.removeEventListener("abort", onAbort);
        if (error) reject(error);
        else resolve();
      });
    });
}

/** Closes the stream. @returns when everything is written; rejects with the stream's error */
export function endStream(stream: Writable, last = ""): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.errored) return reject(stream.errored);
    stream.once("error", reject);
    stream.end(last, resolve);
  });
}
