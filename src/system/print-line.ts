// Prints lines to standard output: verbatim to a pipe or file; to a terminal, without anything that it would interpret.

import type { Writable } from "node:stream";
import { visibleJson } from "../units/visible.ts";

export function printLine(
  { stdout }: { readonly stdout: Writable & { isTTY?: boolean } },
  text: string,
): void {
  stdout.write(`${stdout.isTTY ? visibleJson(text) : text}\n`);
}

/**
 * For lines without end: Node waits in each write to a terminal, and one that was stopped (Ctrl+S) would stop signals, too. The
 * mode is of Node's own open file, which no other process has.
 */
export function printWithoutWaiting(stdout: Writable & { isTTY?: boolean }): void {
  const { _handle } = stdout as { _handle?: { setBlocking?(isBlocking: boolean): void } };
  if (stdout.isTTY && process.platform !== "win32") _handle?.setBlocking?.(false);
}
