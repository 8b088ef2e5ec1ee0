// An export to a stream. It cannot be resumed.
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
  /** A temporary file that does not exist yet, for reversing pages. */
  readonly spoolPath: string;
  readonly files: Files;
}

/**
 * Oldest first, it writes when all pages have come.
 * @throws {HistoryError} when the service fails; the signal's reason when aborted; what `write` throws
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
    // After the first answer: a failed command has printed nothing.
    let isHeaderDue = true;
    const writeHeader = async () => {
      if (isHeaderDue) await write(plan.format.header);
      isHeaderDue = false;
    };
    for await (const block of run.blocks()) {
      await writeHeader();
      // The reader may take it after `write` has resolved.
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
  /** Fails by its `error` event; ending it closes it. */
  readonly stream: Writable;
  readonly isTerminal: boolean;
}

/** @throws {UsageError} when nobody reads the pipe; what Node throws otherwise */
export function openInPlaceStream(path: string): InPlace {
  const fd = openInPlace(path);
  // A pipe as a socket is asynchronous: no thread waits for its reader.
  const stream = fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: false, writable: true })
    : createWriteStream("", { fd });
  // Writing reports the error.
  stream.on("error", () => {});
  return { stream, isTerminal: isatty(fd) };
}

/**
 * @returns a write that resolves when more may be written; it rejects with the error of the stream or the reason of the signal
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

/** Closes the stream after `last`. @returns when everything is written; rejects with the error of the stream */
export function ended(stream: Writable, last?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.errored) return reject(stream.errored);
    stream.once("error", reject);
    stream.end(last, (error?: Error | null) => (error ? reject(error) : resolve()));
  });
}
