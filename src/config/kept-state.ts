// What is kept between runs, in one small JSON file: alerts of the screen, layouts, what was typed in the palette.
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { resolveNamed } from "../system/named-file.ts";
import type { Clock } from "../units/clock.ts";
import { type Merge, ourOwn } from "./merge.ts";

const FILE_NAME = "state.json";
/** Changes are gathered for this long. */
const SAVE_AFTER_MS = 500;
/** Symbols, alerts and layouts have some 100 KiB. */
const MAX_BYTES = 16 * 1024 * 1024;
const OWNER_ONLY = 0o600;
const OWNERS_FOLDER = 0o700;
/** A pipe that nobody writes to is not waited for. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

type Values = Readonly<Record<string, unknown>>;

/** Values by name, written half a second after a change and when asked to. */
export class KeptState {
  readonly #path: string;
  readonly #clock: Clock;
  /** As they were read, and as this run has last written them. */
  #base: Values;
  /** What this run has set and not yet written, and how it goes together with what others have written since. */
  readonly #set = new Map<string, { readonly value: unknown; readonly merge: Merge }>();
  #cancel: (() => void) | undefined;

  /** Reads the file; one that is missing or broken counts as empty. Never throws. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#base = readValues(path) ?? {};
  }

  /** As it was set last, in this run or an earlier one: untrusted. */
  get(name: string): unknown {
    return this.#set.has(name) ? this.#set.get(name)?.value : valueAt(this.#base, name);
  }

  /** @param merge what is written where another run has written that value, too; without it, ours */
  set(name: string, value: unknown, merge: Merge = ourOwn): void {
    this.#set.set(name, { value, merge });
    this.#cancel ??= this.#clock.after(SAVE_AFTER_MS, () => this.save());
  }

  /**
   * Writes what was set and not yet written, beside what other runs have written since. A file that cannot be written is
   * let go. Never throws.
   */
  save(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    const there = readValues(this.#path) ?? this.#base;
    const merged = [...this.#set].map(([name, { value: ours, merge }]) => {
      const versions = { base: valueAt(this.#base, name), ours, theirs: valueAt(there, name) };
      return [name, merge(versions)] as const;
    });
    const own = [...this.#set].map(([name, { value }]) => [name, value] as const);
    this.#base = { ...this.#base, ...Object.fromEntries(own) };
    this.#set.clear();
    this.#write({ ...there, ...Object.fromEntries(merged) });
  }

  #write(values: Values): void {
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: OWNERS_FOLDER });
      // Of this process alone: another one may be writing at this moment, too.
      const { kind, path } = resolveNamed(this.#path, "");
      if (kind !== "file") return;
      const part = `${path}.${process.pid}.part`;
      // Made anew: whatever stands there is not written through.
      rmSync(part, { force: true });
      writeFileSync(part, `${JSON.stringify(values)}\n`, { mode: OWNER_ONLY, flag: "wx" });
      renameSync(part, path);
    } catch {}
  }
}

/** Opens the file in the platform's data folder. Never rejects. */
export async function openKeptState(clock: Clock): Promise<KeptState> {
  const { default: envPaths } = await import("env-paths");
  return new KeptState(join(envPaths("monitor", { suffix: "" }).data, FILE_NAME), clock);
}

/** @returns undefined when the file is missing or broken. Never throws. */
function readValues(path: string): Values | undefined {
  try {
    const values: unknown = JSON.parse(readText(path));
    const isObject = typeof values === "object" && values !== null && !Array.isArray(values);
    return isObject ? { ...values } : undefined;
  } catch {
    return undefined;
  }
}

/** Only what the file itself says, whatever it is called. */
function valueAt(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function readText(path: string): string {
  const fd = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const facts = fstatSync(fd);
    // A device has no end.
    if (!facts.isFile() || facts.size > MAX_BYTES) return "";
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}
