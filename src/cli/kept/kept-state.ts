// What is kept between runs, in one small JSON file: alerts of the screen, layouts, what was typed in the palette.
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../units/clock.ts";

const FILE_NAME = "state.json";
/** Changes are gathered for this long. */
const SAVE_AFTER_MS = 500;
const OWNER_ONLY = 0o600;
const OWNERS_FOLDER = 0o700;
/** A pipe that nobody writes to is not waited for. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** Values by name, written half a second after a change and when asked to. */
export class KeptState {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #values: Record<string, unknown>;
  #cancel: (() => void) | undefined;

  /** Reads the file; one that is missing or broken counts as empty. Never throws. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#values = readValues(path);
  }

  /** As it was set last, in this run or an earlier one: untrusted. */
  get(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  set(name: string, value: unknown): void {
    this.#values[name] = value;
    this.#cancel ??= this.#clock.after(SAVE_AFTER_MS, () => this.save());
  }

  /** Writes what was set and not yet written. A file that cannot be written is let go. Never throws. */
  save(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: OWNERS_FOLDER });
      const part = `${this.#path}.part`;
      // Made anew: whatever stands there is not written through.
      rmSync(part, { force: true });
      writeFileSync(part, `${JSON.stringify(this.#values)}\n`, { mode: OWNER_ONLY, flag: "wx" });
      renameSync(part, this.#path);
    } catch {}
  }
}

/** Opens the file in the platform's data folder. */
export async function openKeptState(clock: Clock): Promise<KeptState> {
  const { default: envPaths } = await import("env-paths");
  return new KeptState(join(envPaths("monitor", { suffix: "" }).data, FILE_NAME), clock);
}

const HISTORY = "history";

/** Lines that were typed in the palette in earlier runs, the newest first. Never throws. */
export function readHistory(kept: KeptState | undefined): readonly string[] {
  const lines = kept?.get(HISTORY);
  return Array.isArray(lines) ? lines.filter((line) => typeof line === "string") : [];
}

/** Keeps what was typed in the palette, the newest first; nothing when there is none. Never throws. */
export function keepHistory(kept: KeptState | undefined, lines: readonly string[]): void {
  if (lines.length > 0 && lines !== kept?.get(HISTORY)) kept?.set(HISTORY, lines);
}

function readValues(path: string): Record<string, unknown> {
  try {
    const values: unknown = JSON.parse(readText(path));
    return typeof values === "object" && values !== null && !Array.isArray(values)
      ? { ...values }
      : {};
  } catch {
    return {};
  }
}

function readText(path: string): string {
  const fd = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
