// What Ink takes for its output: it swallows what Ink writes, and tells Ink a size.
import { EventEmitter } from "node:events";
import type { TerminalSize } from "./terminal-size.ts";

/**
 * Not a terminal and not writable, so that Ink neither hides a cursor nor draws a last frame in its own slow way when
 * it is unmounted.
 */
export class InkOutput extends EventEmitter {
  readonly isTTY = false;
  readonly writable = false;
  #size: TerminalSize;

  constructor(size: TerminalSize) {
    super();
    this.#size = size;
  }

  /** Ink asks programs of the system for the size when it is told 0. */
  get columns(): number {
    return Math.max(1, this.#size.columns);
  }

  get rows(): number {
    return Math.max(1, this.#size.rows);
  }

  resize(size: TerminalSize): void {
    this.#size = size;
  }

  write(): boolean {
    return true;
  }
}
