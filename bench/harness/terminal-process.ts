// A process on a real pseudo terminal, timed from outside: when its bytes come, and what keys cost it.
import { type IPty, spawn } from "@lydell/node-pty";

/** The end of a synchronised update (DEC 2026): a frame is whole. */
export const FRAME_END = "\x1b[?2026l";

/** Frame ends in a piece of output. */
function countFrames(data: string): number {
  return data.split(FRAME_END).length - 1;
}

/** What a busy machine needs at the most. */
const GIVEN_UP_MS = 30_000;

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Read no faster than this; without it as fast as it comes. */
  readonly bytesPerSecond?: number;
}

export class TerminalProcess {
  readonly pid: number;
  /** Bytes and whole frames that came so far. */
  bytes = 0;
  frames = 0;
  /** Sees each piece of output as it comes. */
  onData: (data: string) => void = () => {};
  readonly #pty: IPty;
  readonly #ended: Promise<void>;

  constructor(args: readonly string[], options: TerminalOptions = {}) {
    const { columns = 120, rows = 40, env = {}, bytesPerSecond } = options;
    const { PATH = "" } = process.env;
    this.#pty = spawn(process.execPath, [...args], {
      cols: columns,
      rows,
      env: { PATH, HOME: "/dev/null", TERM: "xterm-256color", COLORTERM: "truecolor", ...env },
    });
    this.pid = this.#pty.pid;
    this.#pty.onData((data) => {
      const bytes = Buffer.byteLength(data);
      this.bytes += bytes;
      this.frames += countFrames(data);
      if (bytesPerSecond !== undefined) this.#hold((bytes / bytesPerSecond) * 1000);
      this.onData(data);
    });
    this.#ended = new Promise((resolve) => this.#pty.onExit(() => resolve()));
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  /** Waits until the output from now on contains the text. @throws {Error} after half a minute without it */
  shows(text: string): Promise<void> {
    let seen = "";
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(`the terminal never showed ${JSON.stringify(text)}`));
      const timer = setTimeout(giveUp, GIVEN_UP_MS);
      this.onData = (data) => {
        // What is looked for may come in two pieces.
        seen = (seen + data).slice(-(text.length + data.length));
        if (!seen.includes(text)) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends it, whatever it does, and waits for that. */
  async end(): Promise<void> {
    this.#pty.kill("SIGKILL");
    await this.#ended;
  }

  #hold(ms: number): void {
    this.#pty.pause();
    setTimeout(() => this.#pty.resume(), ms);
  }
}
