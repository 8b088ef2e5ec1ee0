// Deaths that no handler sees, and those that one sees, on real terminals: each is as it was before, and nothing stays.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/system/system-clock.ts";
import { createRandom, type Random } from "../../../src/units/random.ts";
import { UNTIL_RESTORED } from "../../support/monitor-screen.ts";
import { isSoak, report, SEED } from "../../support/soak.ts";
import {
  type BundledProgram,
  bundleProgram,
  PtyProcess,
} from "../../support/terminal/pty-process.ts";

const ENTRY = fileURLToPath(new URL("../../support/terminal/pty-app.tsx", import.meta.url));
/** Terminals at once. */
const LANES = 4;
/** Far longer than a death takes on any machine: what hangs is reported with what it showed. */
const DEADLINE_MS = 120_000;
/** Terminals that the long form closes, each at a moment between its start and this, ms. */
const CLOSES = 150;
const LATEST_CLOSE_MS = 1500;
const LOOK_PERIOD_MS = 20;
/** On a machine with nothing else to do; a busy one gets ten times what a bare Node process needs there at the same time. */
const GONE_WITHIN_MS = 2000;
const BARE_PROCESSES = 10;

let program: BundledProgram;
beforeAll(async () => {
  program = await bundleProgram(ENTRY);
});
afterAll(() => program.remove());

interface Death {
  /** What is typed, or the signal that the process gets. */
  readonly key?: string;
  readonly signal?: NodeJS.Signals;
  /** Where the program has a chance to end by itself: its exit code, and its last words. */
  readonly code?: number;
  readonly words?: string;
}

/** Everything by which a process can end. */
const KINDS: Readonly<Record<string, Death>> = {
  kill: { signal: "SIGKILL" },
  segv: { signal: "SIGSEGV" },
  abrt: { signal: "SIGABRT" },
  bus: { signal: "SIGBUS" },
  ill: { signal: "SIGILL" },
  fpe: { signal: "SIGFPE" },
  usr2: { signal: "SIGUSR2" },
  term: { signal: "SIGTERM", code: 43, words: "ended signal" },
  int: { signal: "SIGINT", code: 43, words: "ended signal" },
  quit: { signal: "SIGQUIT", code: 43, words: "ended signal" },
  hup: { signal: "SIGHUP", code: 43, words: "ended signal" },
  abort: { key: "A" },
  memory: { key: "M" },
  exit: { key: "E", code: 7 },
  thrown: { key: "t", code: 45, words: "ended failed thrown by a key" },
  rendered: { key: "r", code: 45, words: "ended failed thrown while rendering" },
  rejected: { key: "U", code: 45, words: "ended failed rejected by a key" },
  quitted: { key: "q", code: 0, words: "ended closed" },
};

/** Each kind once; in the long form again and again. */
const DEATHS = isSoak ? 400 : Object.keys(KINDS).length;

const NODE = `${process.execPath} --max-old-space-size=48`;

/** A shell that prints the terminal's settings, runs the program, and prints them again when a line is typed. */
function startShell(env: Readonly<Record<string, string>> = {}, before = ""): PtyProcess {
  const script = `${before}ulimit -c 0; before=$(stty -g); echo "$before"; ${NODE} ${program.path}; echo "OVER $?."; ${UNTIL_RESTORED}; stty -g; echo END`;
  return new PtyProcess("sh", ["-c", script], { env });
}

const sleep = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

/** Everything that the terminal was sent, from the start to the shell's last word; or so far, when that never comes. */
async function die(kind: string): Promise<string> {
  const shell = startShell();
  const deadline = sleep(DEADLINE_MS);
  const toTheEnd = (async () => {
    const pid = await programOf(shell);
    const { key, signal } = KINDS[kind] ?? {};
    if (key !== undefined) shell.type(key);
    else process.kill(pid, signal);
    await shell.shows("OVER");
    await shell.shows("\u001b[?1049l");
    shell.type("\n");
    await shell.shows("END");
  })();
  await Promise.race([toTheEnd, deadline]);
  shell.close();
  return shell.output;
}

function isRestored(output: string): boolean {
  const settings = output.match(/^[0-9a-f]+(?::[0-9a-f]+)+/gm) ?? [];
  const isLastOff = ["1049", "2004", "1002", "1006"].every(
    (mode) => output.lastIndexOf(`\u001b[?${mode}l`) > output.lastIndexOf(`\u001b[?${mode}h`),
  );
  const isCursorShown = output.lastIndexOf("\u001b[?25h") > output.lastIndexOf("\u001b[?25l");
  return settings.length === 2 && settings[0] === settings[1] && isLastOff && isCursorShown;
}

/** True where the program could not report its end, or has done so on the screen that was there before. */
function reportsItsEnd(kind: string, output: string): boolean {
  const { code, words = "" } = KINDS[kind] ?? {};
  if (code !== undefined && !output.includes(`OVER ${code}.`)) return false;
  return words === "" || output.indexOf(words) > output.lastIndexOf("\u001b[?1049l");
}

/** The program in the shell, when it has drawn. */
async function programOf(shell: PtyProcess): Promise<number> {
  await shell.shows("ready");
  return Number(/pid=(\d+)/.exec(shell.output)?.[1]);
}

/** The watcher of a program that runs. */
function watchersOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return children
    .map(Number)
    .filter((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("monitor-watcher"));
}

describe("whatever ends the process", () => {
  test(`${DEATHS} deaths of ${Object.keys(KINDS).length} kinds leave the terminal as it was`, async () => {
    const kinds = Object.keys(KINDS);
    const failed: string[] = [];
    let next = 0;
    const lane = async () => {
      while (next < DEATHS) {
        const kind = kinds[next++ % kinds.length] ?? "";
        const output = await die(kind);
        if (!isRestored(output) || !reportsItsEnd(kind, output))
          failed.push(`${kind}: ${JSON.stringify(output.slice(-400))}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    report(`${next} deaths: ${failed.length} left something behind`);
    expect(failed).toEqual([]);
  });

  test("a program whose terminal is closed ends by itself, notified by the system or not, and leaves no process behind", async () => {
    const shells = Array.from({ length: LANES }, (_, lane) => {
      const before = lane % 2 === 0 ? "" : "trap '' HUP; ";
      const shell = new PtyProcess("sh", ["-c", `${before}exec ${NODE} ${program.path}`]);
      onTestFinished(() => shell.close());
      return shell;
    });
    const programs = await Promise.all(shells.map(programOf));
    const watchers = programs.flatMap(watchersOf);
    expect(watchers.length).toBe(LANES);
    // One that was started later may hold the terminal of another open: all are closed first.
    for (const shell of shells) shell.close();
    for (const shell of shells) {
      const { exitCode, signal } = await shell.ended();
      // The system's word may come when the program has seen the end already and is on its way out.
      if (signal !== constants.signals.SIGHUP) expect([43, 44]).toContain(exitCode);
    }
    while ([...programs, ...watchers].some(isAlive)) await sleep(50);
  });
});

describe("a program on a real terminal", () => {
  test("reads a key, follows a resize, and takes the terminal again after a stop that it could not see", async () => {
    const shell = startShell();
    onTestFinished(() => shell.close());
    const pid = await programOf(shell);
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
    await shell.shows("OVER 0.");
    shell.type("\n");
    await shell.ended();
    expect(isRestored(shell.output)).toBe(true);
  });

  test("gives it to the shell as it was with Ctrl+Z, and fg brings everything back", async () => {
    const command = `${NODE} ${program.path}`;
    const script = `set -m; stty -g; ${command}; echo "STOPPED $?."; stty -g; echo AFTER; fg; echo "OVER $?."`;
    const shell = new PtyProcess("bash", ["-c", script]);
    onTestFinished(() => shell.close());
    await shell.shows("ready keys=");
    shell.type("z");
    const stoppedAt = await shell.shows("AFTER");
    expect(shell.output).toContain(`STOPPED ${128 + constants.signals.SIGTSTP}.`);
    expect(isRestored(shell.output.slice(0, stoppedAt))).toBe(true);
    await shell.shows("ready keys=z.", await shell.shows("\u001b[?1049h", stoppedAt));
    shell.type("q");
    await shell.ended();
    expect(shell.output).toContain("OVER 0.");
    expect(isRestored(shell.output)).toBe(true);
  });
});

describe.runIf(isSoak)("in the long form", () => {
  test(`${CLOSES} terminals, each closed at some moment, leave no process behind`, async () => {
    const seed = SEED;
    const random = createRandom(seed);
    const left: number[] = [];
    let longestMs = 0;
    let slow = 0;
    // One after the other: a program that is started meanwhile inherits the terminal, and holds it open.
    for (let number = 0; number < CLOSES; number++) {
      const { tookMs, bareMs } = await closeAtSomeMoment(number, random);
      longestMs = Math.max(longestMs, tookMs);
      if (tookMs > GONE_WITHIN_MS) slow++;
      if (tookMs > GONE_WITHIN_MS + BARE_PROCESSES * bareMs) left.push(number);
    }
    process.stdout.write(
      `${CLOSES} terminals closed (seed ${seed}): ${left.length} left a process behind, ${slow} took over ${GONE_WITHIN_MS / 1000} s, the longest ${Math.round(longestMs)} ms\n`,
    );
    expect(left).toEqual([]);
  });
});

/** How long something took, and a bare Node process beside it: what this machine can do at that moment. */
interface Timed {
  readonly tookMs: number;
  readonly bareMs: number;
}

/** Closes a terminal while its program starts or runs, and waits until no process of it is left. */
async function closeAtSomeMoment(number: number, random: Random): Promise<Timed> {
  // The one variable that the watcher gets, too.
  const path = `${process.env.PATH}:/nonexistent/terminal-${process.pid}-${number}-`;
  // Every other one was started so that no hang-up reaches it, as under nohup.
  const shell = startShell({ PATH: path }, number % 2 === 0 ? "" : "trap '' HUP; ");
  // From before the program's first line to long after its first frame.
  await sleep(random() * LATEST_CLOSE_MS);
  shell.close();
  const closedAt = systemClock.now();
  const bareMs = timeBareProcess();
  while (processesWith(path).length > 0) await sleep(LOOK_PERIOD_MS);
  return { tookMs: systemClock.now() - closedAt, bareMs: await bareMs };
}

async function timeBareProcess(): Promise<number> {
  const startedAt = systemClock.now();
  await once(spawn(process.execPath, ["-e", ""], { stdio: "ignore" }), "exit");
  return systemClock.now() - startedAt;
}

/** Processes that have this text in their environment. */
function processesWith(text: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^[0-9]+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
