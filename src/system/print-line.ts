// Prints lines to standard output: verbatim to a pipe or file; to a terminal, without anything that it would interpret.

import type { Writable } from "node:stream";
import { visibleJson } from "../units/visible.ts";

export function printLine(
  { stdout }: { readonly stdout: Writable & { isTTY?: boolean } },
  text: string,
): void {
  stdout.write(`${stdout.isTTY ? visibleJson(text) : text}\n`);
}
