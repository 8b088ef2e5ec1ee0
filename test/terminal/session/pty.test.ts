// Real processes on a real pseudo terminal: stopped, continued, resized, and closed. Their other ends are in death.test.ts.
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  type BundledProgram,
  bundleProgram,
  PtyProcess,
} from "../../support/terminal/pty-process.ts";

const ENTRY = fileURLToPath(new URL("../../support/terminal/pty-app.tsx", import.meta.url));
let program: BundledProgram;

beforeAll(async () => {
  program = await bundleProgram(ENTRY);
});
afterAll(() => program.remove());

/** Whatever a test has left running. */
const running = new Set<PtyProcess>();
afterEach(() => {
  for (const each of running) each.close();
  running.clear();
});

function startShell(script: string): PtyProcess {
  const shell = new PtyProcess("bash", ["-c", script]);
  running.add(shell);
  return shell;
}

/** How the shell starts the program. */
function commandOf({ path }: BundledProgram): string {
  return `${JSON.stringify(process.execPath)} ${JSON.stringify(path)}`;
}

/** The modes that the shell printed before and after the program. */
function modesOf(output: string): { before: string | undefined; after: string | undefined } {
  const lines = output.split(/\r?\n/);
  const lineBefore = (mark: string) => lines[lines.findIndex((line) => line.endsWith(mark)) - 1];
  return { before: lineBefore("BEFORE"), after: lineBefore("AFTER") };
}

function expectRestored(output: string) {
  const { before, after } = modesOf(output);
  expect(before).toMatch(/^[0-9a-f:]+$/);
  expect(after).toBe(before);
  for (const [on, off] of [
    ["\u001b[?1049h", "\u001b[?1049l"],
    ["\u001b[?25l", "\u001b[?25h"],
    ["\u001b[?2004h", "\u001b[?2004l"],
    ["\u001b[?1002h", "\u001b[?1002l"],
    ["\u001b[?1006h", "\u001b[?1006l"],
  ] as const) {
    expect(output).toContain(on);
    expect(output.lastIndexOf(off)).toBeGreaterThan(output.lastIndexOf(on));
  }
}

/** The program in a shell that prints the modes of the terminal before and after it. */
async function started(): Promise<{ shell: PtyProcess; pid: number }> {
  const command = commandOf(program);
  const shell = startShell(
    `stty -g; echo BEFORE; ${command}; echo "CODE $? "; stty -g; echo AFTER`,
  );
  await shell.shows("ready keys=");
  return { shell, pid: Number(/pid=(\d+) /.exec(shell.output)?.[1]) };
}

test("a key is read, a resize is followed, and the job can be stopped and continued", async () => {
  const { shell, pid } = await started();
  shell.type("a");
  await shell.shows("a.");
  let at = shell.output.length;
  shell.resize(60, 10);
  at = await shell.shows("\u001b[2J", at);
  await shell.shows("ready keys=a.", at);
  at = shell.output.length;
  process.kill(pid, "SIGSTOP");
  process.kill(pid, "SIGCONT");
  at = await shell.shows("\u001b[?1049h", at);
  await shell.shows("ready keys=a.", at);
  shell.type("q");
  await shell.ended();
  expect(shell.output).toContain("CODE 0 ");
  expectRestored(shell.output);
});

test("Ctrl+Z gives the terminal to the shell as it was, and fg brings everything back", async () => {
  const command = commandOf(program);
  const shell = startShell(
    `set -m; stty -g; echo BEFORE; ${command}; echo "STOPPED $? "; stty -g; echo AFTER; fg; echo "CODE $? "`,
  );
  await shell.shows("ready keys=");
  shell.type("z");
  const stoppedAt = await shell.shows("AFTER");
  expect(shell.output).toContain(`STOPPED ${128 + constants.signals.SIGTSTP} `);
  expectRestored(shell.output.slice(0, stoppedAt));
  await shell.shows("ready keys=z.", await shell.shows("\u001b[?1049h", stoppedAt));
  shell.type("q");
  await shell.ended();
  expect(shell.output).toContain("CODE 0 ");
  expectRestored(shell.output);
});

test.each([
  ["notifies it", ""],
  ["does not notify it", "trap '' HUP; "],
])(
  "a process whose terminal is closed ends by itself, also when the system %s",
  async (_, before) => {
    const closed = startShell(`${before}exec ${commandOf(program)}`);
    await closed.shows("ready keys=");
    closed.close();
    const { exitCode, signal } = await closed.ended();
    // The system's word may come when the program has seen the end already and is on its way out.
    if (signal !== constants.signals.SIGHUP) expect([43, 44]).toContain(exitCode);
  },
);
