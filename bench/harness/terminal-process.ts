// A process on a real pseudo-terminal, timed from outside: when its output arrives, and the latency of keys.
import { type IPty, spawn } from "@lydell/node-pty";

/** End of a synchronised update (DEC 2026), and so of a frame. */
export const FRAME_END = "\x1b[?2026l";

/** Counts frame ends in a chunk of output. */
function countFrames(data: string): number {
  return data.split(FRAME_END).length - 1;
}

/** Enough even for a busy machine. */
const GIVEN_UP_MS = 30_000;

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Limit of the reading rate; unlimited by default. */
  readonly bytesPerSecond?: number;
}

export class TerminalProcess {
  readonly pid: number;
  /** Bytes and complete frames received so far. */
  bytes = 0;
  frames = 0;
  /** Called with each chunk of output. */
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
        // The text may be split over two chunks.
        seen = (seen + data).slice(-(text.length + data.length));
        if (!seen.includes(text)) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Kills it, whatever it is doing, and waits for its end. */
  async end(): Promise<void> {
    this.#pty.kill("SIGKILL");
    await this.#ended;
  }

  #hold(ms: number): void {
    this.#pty.pause();
    setTimeout(() => this.#pty.resume(), ms);
  }
}
