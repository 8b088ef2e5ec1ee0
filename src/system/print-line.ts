// The one way of lines to standard output. A pipe gets them letter by letter; a terminal gets nothing that it would obey.

import type { Writable } from "node:stream";
import { visibleJson } from "../terminal/visible.ts";

export function printLine(
  { stdout }: { readonly stdout: Writable & { isTTY?: boolean } },
  text: string,
): void {
  stdout.write(`${stdout.isTTY ? visibleJson(text) : text}\n`);
}
