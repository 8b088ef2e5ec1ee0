// A process on a real pseudo terminal, timed from outside: when its bytes come, and what keys cost it.
import { fileURLToPath } from "node:url";
import { type IPty, spawn } from "@lydell/node-pty";

/** The built program. Benches run from bench/dist. */
export const PROGRAM = fileURLToPath(new URL("../../bin/monitor.js", import.meta.url));
/** The end of a synchronised update (DEC 2026): a frame is whole. */
export const FRAME_END = "\x1b[?2026l";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export class TerminalProcess {
  readonly pid: number;
  /** Bytes that came so far. */
  bytes = 0;
  /** Sees each piece of output as it comes. */
  onData: (data: string) => void = () => {};
  readonly #pty: IPty;
  readonly #ended: Promise<void>;

  constructor(
    args: readonly string[],
    { columns, rows }: TerminalSize = { columns: 120, rows: 40 },
  ) {
    const { PATH = "" } = process.env;
    this.#pty = spawn(process.execPath, [...args], {
      cols: columns,
      rows,
      env: { PATH, HOME: "/nonexistent", TERM: "xterm-256color", COLORTERM: "truecolor" },
    });
    this.pid = this.#pty.pid;
    this.#pty.onData((data) => {
      this.bytes += data.length;
      this.onData(data);
    });
    this.#ended = new Promise((resolve) => this.#pty.onExit(() => resolve()));
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Waits until the output so far contains the text. */
  shows(text: string): Promise<void> {
    let seen = "";
    return new Promise((resolve) => {
      this.onData = (data) => {
        // What is looked for may come in two pieces.
        seen = (seen + data).slice(-(text.length + data.length));
        if (seen.includes(text)) resolve();
      };
    });
  }

  /** Ends it, whatever it does, and waits for that. */
  async end(): Promise<void> {
    this.#pty.kill("SIGKILL");
    await this.#ended;
  }
}
