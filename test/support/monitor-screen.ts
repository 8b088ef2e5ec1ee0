// The built program on a real pseudo terminal, started by a shell that notes the terminal's modes before and
// after; what is on the screen is read from a terminal without a window.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { IPty } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { expect } from "vitest";
import { systemClock } from "../../src/system/system-clock.ts";
import { type OpenPty, openPty } from "./terminal/open-pty.ts";

const program = fileURLToPath(new URL("../../bin/monitor.js", import.meta.url));

/** Modes that programs switch on and must switch off: alternate screen, cursor, paste, mouse. */
const MODES = ["1049", "25", "2004", "1000", "1002", "1003", "1006"];

/** Below the limit of a test, so that a failure shows the screen. */
const MAX_WAIT_MS = 18_000;

export interface ScreenOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What the shell does with its streams: `</dev/null`. */
  readonly redirect?: string;
  /** The program is killed: somebody else restores the terminal's settings, once a line was typed. */
  readonly isKilled?: boolean;
}

/** Waits in the shell for a line, and then until the terminal's settings are as before, or there is no terminal any more. */
const UNTIL_RESTORED =
  'read -r line; while now=$(stty -g); do [ "$now" = "$before" ] && break; sleep 0.05; done; echo';

/** node-pty drops what was not read a fifth of a second after the end: the shell stays until its last word was. */
const LAST_WORD = "ALL-IS-WRITTEN";
const UNTIL_READ = `echo ${LAST_WORD}; while read -r line; do [ "$line" = ${LAST_WORD} ] && break; done`;

export class MonitorScreen {
  readonly #pty: IPty;
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  readonly #exit: OpenPty["exit"];
  #output = "";
  #onChange = () => {};
  #isOver = false;
  #isRead = false;

  constructor(
    args: readonly string[],
    { columns = 120, rows = 40, env = {}, cwd, redirect = "", isKilled }: ScreenOptions = {},
  ) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    const words = [process.execPath, program, ...args].map((word) => `'${word}'`);
    const command = [...words, redirect].join(" ");
    const restored = isKilled ? `${UNTIL_RESTORED}; ` : "";
    const script = `before=$(stty -g); echo "$before"; echo BEFORE; ${command}; echo "EXIT $?"; ${restored}stty -g; ${UNTIL_READ}`;
    const { PATH = "" } = process.env;
    const { pty, exit } = openPty("sh", ["-c", script], {
      cols: columns,
      rows,
      ...(cwd !== undefined && { cwd }),
      env: { PATH, HOME: "/dev/null", TERM: "xterm-256color", ...env },
    });
    this.#pty = pty;
    this.#exit = exit;
    exit.then(() => {
      this.#isOver = true;
      this.#onChange();
    });
    this.#pty.onData((data) => {
      this.#output += data;
      if (!this.#isRead && this.#output.includes(LAST_WORD)) {
        this.#isRead = true;
        this.#pty.write(`${LAST_WORD}\n`);
      }
      this.#terminal.write(data, () => this.#onChange());
    });
  }

  /** Bytes that the terminal got so far. */
  get output(): string {
    return this.#output;
  }

  /** The lines that are on the screen. */
  get lines(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, y) =>
      (active.getLine(active.baseY + y)?.translateToString() ?? "").trimEnd(),
    );
  }

  /** Waits until the screen shows it. @throws with what is shown, when the program ends before or it takes too long */
  async until(isShown: (screen: string) => boolean): Promise<void> {
    let isLate = false;
    const cancel = systemClock.after(MAX_WAIT_MS, () => {
      isLate = true;
      this.#onChange();
    });
    while (!isShown(this.lines.join("\n"))) {
      if (this.#isOver || isLate) {
        const what = isLate ? "not shown in time" : "ended before it was shown";
        throw new Error(`${what}:\n${this.lines.join("\n")}`);
      }
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
    cancel();
  }

  /** Types a way to leave; then everything must be as it was. */
  async leave(keys = "q"): Promise<void> {
    this.type(keys);
    expect(await this.ended()).toEqual({ code: 0, faults: [] });
  }

  /** Waits until all of this was printed, then ends the program with SIGTERM. */
  async endAfter(texts: readonly string[]): Promise<ReturnType<MonitorScreen["ended"]>> {
    await this.until(() => texts.every((text) => this.#output.includes(text)));
    this.signal("SIGTERM");
    return this.ended();
  }

  type(keys: string | Buffer): void {
    // Bytes go to its socket as they are, which its types do not say.
    this.#pty.write(keys as string);
  }

  /** Nothing is read from here on, as after Ctrl+S: what the program writes stays where it is. */
  stopReading(): void {
    this.#pty.pause();
  }

  readOn(): void {
    this.#pty.resume();
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Signals every process in the terminal but the shell. */
  signal(signal: NodeJS.Signals): void {
    const [child] = childrenOf(this.#pty.pid);
    if (child !== undefined) process.kill(child, signal);
  }

  /** Waits for the end; answers the program's exit code and what is wrong with the terminal it left behind. */
  async ended(): Promise<{ code: number; faults: string[] }> {
    await this.#exit;
    await new Promise<void>((resolve) => this.#terminal.write("", resolve));
    const lines = this.lines.filter((line) => line !== "");
    const code = Number(/EXIT (\d+)\r?\n/.exec(this.#output)?.[1] ?? -1);
    const modes = this.#output
      .split(/\r?\n/)
      .filter((line) => /^[0-9a-f]+(?::[0-9a-f]+)+$/.test(line));
    const faults = MODES.filter((mode) => isLeftOn(this.#output, mode)).map(
      (mode) => `mode ${mode}`,
    );
    if (new Set(modes).size !== 1 || modes.length !== 2) faults.push(`stty ${modes.join(" ")}`);
    if (this.#terminal.buffer.active.type !== "normal") faults.push("alternate screen");
    if (!lines.includes("BEFORE")) faults.push("what was on the screen before is gone");
    return { code, faults };
  }
}

/** The last word on a mode: `h` switches on and `l` off; the cursor is the other way round. */
function isLeftOn(output: string, mode: string): boolean {
  const words = [...output.matchAll(new RegExp(`\\u001b\\[\\?${mode}([hl])`, "g"))];
  const last = words.at(-1)?.[1];
  return last !== undefined && last === (mode === "25" ? "l" : "h");
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter(Boolean)
    .map(Number);
}
