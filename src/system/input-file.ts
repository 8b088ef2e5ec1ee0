// Reads a file named by the user, which may be a pipe: it neither blocks the process nor lasts for ever.
import { constants, createReadStream, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";

const { O_RDONLY, O_NONBLOCK = 0 } = constants;
/** How long a pipe may take to end if nothing else is said. */
const DEFAULT_TIMEOUT_MS = 10_000;

export interface ReadLimits {
  readonly timeoutMs?: number | undefined;
  readonly interrupt?: AbortSignal | undefined;
}

/** @throws {Error} of the system; for a folder; on a timeout; if it is larger than `mostBytes`; the signal's reason when interrupted */
export async function readInputText(
  path: string,
  mostBytes: number,
  { timeoutMs = DEFAULT_TIMEOUT_MS, interrupt }: ReadLimits = {},
): Promise<string> {
  const late = AbortSignal.timeout(timeoutMs);
  const signal = interrupt === undefined ? late : AbortSignal.any([interrupt, late]);
  const fd = openSync(path, O_RDONLY | O_NONBLOCK);
  // A pipe opened as a socket is asynchronous: no thread blocks on its writer.
  const isPipe = fstatSync(fd).isFIFO();
  const stream = isPipe ? new Socket({ fd, signal }) : createReadStream("", { fd, signal });
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > mostBytes) throw new Error(`it is larger than ${mostBytes >> 20} MiB`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (late.aborted) throw new Error(`it has not ended in ${timeoutMs / 1000} s`);
    throw error;
  }
  return Buffer.concat(chunks).toString();
}
