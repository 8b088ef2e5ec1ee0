// An export to a stream. Not resumable.
import { createHash } from "node:crypto";
import { createWriteStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import { openInPlace } from "../system/named-file.ts";
import { type ExportPlan, type ExportResult, ExportRun } from "./export-run.ts";
import type { Files } from "./files.ts";
import { PartFile } from "./part-file.ts";

export interface StreamTarget {
  /** Resolves when more may be written. */
  write(text: string | Uint8Array): Promise<void>;
  /** Path of a temporary file for reversing pages; it must not exist yet. */
  readonly spoolPath: string;
  readonly files: Files;
}

/**
 * If oldest first, writes nothing until all pages are read.
 * @throws {HistoryError} when the service fails; the signal's reason when aborted; whatever `write` throws
 */
export async function exportToStream<T extends object>(
  plan: ExportPlan<T>,
  target: StreamTarget,
): Promise<ExportResult> {
  const hash = createHash("sha256");
  const write = (text: string | Uint8Array) => {
    hash.update(text);
    return target.write(text);
  };
  const run = new ExportRun(plan);
  if (plan.isOldestFirst) await writeReversed(run, plan, { ...target, write });
  else {
    // Only after the first response, so that a failed command prints nothing.
    let isHeaderDue = true;
    const writeHeader = async () => {
      if (isHeaderDue) await write(plan.format.header);
      isHeaderDue = false;
    };
    for await (const block of run.blocks()) {
      await writeHeader();
      // The stream may still use the bytes after `write` has resolved.
      await write(Uint8Array.from(block));
    }
    await writeHeader();
  }
  return { ...run.result, sha256: hash.digest("hex") };
}

async function writeReversed<T extends object>(
  run: ExportRun<T>,
  { format }: ExportPlan<T>,
  { write, spoolPath, files }: StreamTarget,
): Promise<void> {
  const spool = await PartFile.open(files, spoolPath, "new");
  const blocks: number[] = [];
  try {
    for await (const block of run.blocks()) {
      const before = spool.bytes;
      await spool.append(block);
      blocks.push(spool.bytes - before);
    }
    await write(format.header);
    for await (const block of spool.readBack(blocks)) await write(block);
  } finally {
    await spool.close();
    await files.remove(spoolPath);
  }
}

export interface InPlace {
  /** Reports failures by its `error` event; ending it closes it. */
  readonly stream: Writable;
  readonly isTerminal: boolean;
}

/** @throws {UsageError} when nobody reads the pipe; otherwise Node's errors */
export function openInPlaceStream(path: string): InPlace {
  const fd = openInPlace(path);
  // A pipe opened as a socket is asynchronous: no thread blocks on its reader.
  const stream = fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: false, writable: true })
    : createWriteStream("", { fd });
  // The write reports the error.
  stream.on("error", () => {});
  return { stream, isTerminal: isatty(fd) };
}

/**
 * @returns a write function that resolves when more may be written, and rejects with the stream's error or the signal's reason
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

/** Writes `last` and closes the stream. @returns when everything is written; rejects with the stream's error */
export function ended(stream: Writable, last?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.errored) return reject(stream.errored);
    stream.once("error", reject);
    stream.end(last, (error?: Error | null) => (error ? reject(error) : resolve()));
  });
}
