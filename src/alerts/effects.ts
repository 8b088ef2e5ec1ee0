// What an alert does beside being shown: a program of the user, and a recording of the minutes around its firing.

import { mkdirSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type ProgramEnd, runProgram } from "../system/program.ts";
import type { Clock } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import { formatJson } from "../wire/json.ts";
import type { Alert } from "./alert.ts";

const MAX_RUNNING = 4;
const TIME_LIMIT_MS = 10_000;
const BEFORE_MS = 120_000;
const AFTER_MS = 60_000;
/** Firings that follow each other extend a recording, which begins in what memory still holds. */
const MAX_SPAN_MS = 300_000;
/** Of a folder. */
const MAX_FILES = 20;
const MAX_BYTES = 1_000_000_000;
const RECORDING = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-.*\.ndjson$/;
const OWNERS_FOLDER = 0o700;
/** The user's secrets, what loads code into Node, and what lets a process speak for this one. */
const OURS_ALONE = [
  ...["MONITOR_HEADERS", "NODE_OPTIONS", "NOTIFY_SOCKET"],
  ...["WATCHDOG_USEC", "WATCHDOG_PID"],
];

export interface EffectsOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes what memory holds from a monotonic time on into a new file of the folder. @throws when it cannot be written */
  save(folder: string, fromMs: number, alert: Alert): unknown;
  onFire(alert: Alert): void;
  /** Each fault is said once. */
  onFault(text: string): void;
}

export interface Effects {
  /** @param json the event, for the program */
  fire(alert: Alert, json: object): void;
  /** The time after a firing is not over yet. */
  readonly isRecording: boolean;
  /** Recordings end now. Resolves when no program runs any more. */
  close(): Promise<void>;
}

export function createEffects({ clock, env, save, onFire, onFault }: EffectsOptions): Effects {
  const running = new Set<Promise<void>>();
  const recordings = new Map<string, Recording>();
  const said = new Set<string>();
  const ownEnv = Object.fromEntries(
    Object.entries(env).filter(([name]) => !OURS_ALONE.includes(name)),
  );

  function say(text: string): void {
    if (said.has(text)) return;
    said.add(text);
    onFault(text);
  }

  function start(words: readonly string[], json: object): void {
    const [program] = words;
    if (running.size >= MAX_RUNNING) {
      say(`program of an alert: ${program}: ${MAX_RUNNING} programs run already`);
      return;
    }
    const input = `${formatJson(json)}\n`;
    const run = runProgram({ words, input, env: ownEnv, limitMs: TIME_LIMIT_MS }, clock).then(
      (end) => {
        const fault = faultOf(end);
        if (fault !== undefined) say(`program of an alert: ${program}: ${fault}`);
        running.delete(run);
      },
    );
    running.add(run);
  }

  function record(folder: string, alert: Alert): void {
    const nowMs = clock.now();
    const known = recordings.get(folder);
    if (known !== undefined) {
      known.untilMs = Math.min(nowMs + AFTER_MS, known.fromMs + MAX_SPAN_MS);
      return;
    }
    try {
      requireRoom(folder);
      const fromMs = nowMs - BEFORE_MS;
      const recording = { alert, fromMs, untilMs: nowMs + AFTER_MS, cancel: () => {} };
      recordings.set(folder, recording);
      wait(folder, recording);
    } catch (error) {
      say(`alert not recorded: ${errorText(error)}`);
    }
  }

  function wait(folder: string, recording: Recording): void {
    const leftMs = recording.untilMs - clock.now();
    if (leftMs <= 0) end(folder, recording);
    else recording.cancel = clock.after(leftMs, () => wait(folder, recording));
  }

  function end(folder: string, { alert, fromMs, cancel }: Recording): void {
    cancel();
    recordings.delete(folder);
    try {
      save(folder, fromMs, alert);
    } catch (error) {
      say(`alert not recorded: ${errorText(error)}`);
    }
  }

  return {
    fire(alert, json) {
      onFire(alert);
      const { exec, record: folder } = alert.given;
      if (exec !== undefined) start(exec, json);
      if (folder !== undefined) record(resolve(folder.replace(/^~(?=\/|$)/, homedir)), alert);
    },
    get isRecording() {
      return recordings.size > 0;
    },
    async close() {
      for (const [folder, recording] of recordings) end(folder, recording);
      await Promise.all(running);
    },
  };
}

interface Recording {
  /** The first one that fired. */
  readonly alert: Alert;
  readonly fromMs: number;
  untilMs: number;
  cancel: () => void;
}

/** @throws when the folder is full, or cannot be read or created */
function requireRoom(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined)
    mkdirSync(folder, { mode: OWNERS_FOLDER });
  const files = readdirSync(folder).filter((name) => RECORDING.test(name));
  const sizes = files.map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  if (files.length >= MAX_FILES) throw new Error(`${folder} holds ${files.length} recordings`);
  if (sizes.reduce((sum, size) => sum + size, 0) >= MAX_BYTES)
    throw new Error(`${folder} holds 1 GB of recordings`);
}

/** Undefined if it succeeded. */
function faultOf(end: ProgramEnd): string | undefined {
  if (end.kind === "killed") return `killed after ${TIME_LIMIT_MS / 1000} s`;
  if (end.kind === "failed") return end.error.message;
  if (end.signal !== null) return `ended by ${end.signal}`;
  return end.code === 0 ? undefined : `ended with exit code ${end.code}`;
}
