// Reads a file named by the user, which may be a pipe, terminal or device: neither blocks the process nor lasts for ever.
import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type Clock, pause } from "../units/clock.ts";

const { O_RDONLY, O_NONBLOCK = 0 } = constants;
/** Polling interval for pipes and terminals. */
const ASK_AGAIN_MS = 20;
const CHUNK_BYTES = 65_536;
/** How long a pipe may take to end if there is no --timeout. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** How long to wait for the end of what is no regular file, and what ends the wait. */
export interface ReadLimits {
  readonly clock: Clock;
  readonly timeoutMs?: number | undefined;
  readonly interrupt?: AbortSignal | undefined;
}

const NEVER = new AbortController().signal;

/** @throws {Error} of the system; for a folder; on a timeout; if it is larger than `mostBytes`; the signal's reason when interrupted */
export async function readInputText(
  path: string,
  mostBytes: number,
  limits: ReadLimits,
): Promise<string> {
  // With O_NONBLOCK, neither opening nor reading a pipe blocks.
  const handle = await open(path, O_RDONLY | O_NONBLOCK);
  try {
    const facts = await handle.stat();
    if (facts.isDirectory()) throw new Error("it is a folder");
    return await readToEnd(handle, facts, mostBytes, limits);
  } finally {
    await handle.close();
  }
}

async function readToEnd(
  handle: FileHandle,
  facts: Stats,
  mostBytes: number,
  { clock, timeoutMs = DEFAULT_TIMEOUT_MS, interrupt = NEVER }: ReadLimits,
): Promise<string> {
  const untilMs = facts.isFile() ? Number.POSITIVE_INFINITY : clock.now() + timeoutMs;
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    // A pipe that has had no writer yet looks like one at its end.
    const chunk = await readChunk(handle, facts.isFIFO() && length === 0);
    if (chunk === "end") return Buffer.concat(chunks).toString();
    if (chunk === "later") await pause(clock, ASK_AGAIN_MS, interrupt);
    else {
      chunks.push(chunk);
      length += chunk.length;
    }
    if (length > mostBytes) throw new Error(`it is larger than ${mostBytes >> 20} MiB`);
    if (clock.now() > untilMs) throw new Error(`it has not ended in ${timeoutMs / 1000} s`);
  }
}

async function readChunk(handle: FileHandle, mayBegin: boolean): Promise<Buffer | "later" | "end"> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead > 0) return chunk.subarray(0, bytesRead);
    return mayBegin ? "later" : "end";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return "later";
    throw error;
  }
}
