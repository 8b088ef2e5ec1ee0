// The metrics in a file, for a collector that reads text files: replaced atomically every few seconds, and removed at the end.
// Its first line names the process that writes it: files of other processes and foreign files are left alone.
import { link, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createWriteError, formatFileReason, resolveOutputPath } from "../system/named-file.ts";
import { openOwn } from "../system/own-file.ts";
import type { Processes, ProcessId } from "../system/processes.ts";
import { type Clock, every } from "../units/clock.ts";
import { MonitorError, UsageError } from "../units/monitor-error.ts";
import { parseJson } from "../wire/json.ts";

const PERIOD_MS = 5000;
/** A file that a process on another machine has not written for this long, by the disk's clock, is abandoned. */
const ABANDONED_AFTER_MS = 60_000;
/** The collector's user is unknown: the umask decides who may read. */
const MODE = 0o644;
const MARK = "# written by monitor watch: ";
const MAX_MARK_BYTES = 1024;
const ONE_EACH = "give each watch a file of its own";
const EXPECTED = "expected: --metrics-file FILE, a file of its own in a folder that is there";

export interface MetricsFileOptions {
  readonly name: string;
  /** In text format 0.0.4. */
  readonly render: () => string;
  readonly clock: Clock;
  readonly processes: Processes;
  /** Reports that the file could not be written, and that it can be again: once each. */
  readonly report: (words: string) => void;
}

export interface MetricsFile {
  close(): Promise<void>;
}

/**
 * @throws {UsageError} when the target is not a regular file, belongs to someone else, or another watch writes it; {MonitorError}
 * when it cannot be written
 */
export async function openMetricsFile(options: MetricsFileOptions): Promise<MetricsFile> {
  const { name, clock, report } = options;
  const { kind, path } = resolveOutputPath(name, EXPECTED);
  if (kind === "inPlace") throw new UsageError(`${name} is no regular file`, EXPECTED);
  const writer = new FileWriter({ ...options, name: path });
  try {
    await writer.write("first");
  } catch (error) {
    if (error instanceof MonitorError) throw error;
    throw createWriteError(name, EXPECTED, error);
  }
  let isFailing = false;
  let running: Promise<void> | undefined;
  const writeNext = async () => {
    const fault = await writer.write("next").then(() => undefined, formatFileReason);
    const hasFault = fault !== undefined;
    if (hasFault && !isFailing) report(`the metrics file ${name} is not written: ${fault}`);
    if (!hasFault && isFailing) report(`the metrics file ${name} is written again`);
    isFailing = hasFault;
    running = undefined;
  };
  // If the disk hangs, no second write is started.
  const stop = every(clock, PERIOD_MS, () => {
    running ??= writeNext();
  });
  return {
    async close() {
      stop();
      await running;
      await writer.remove();
    },
  };
}

interface Holder {
  /** `free`: an empty file. */
  readonly kind: "none" | "ours" | "free" | "foreign" | "other";
  readonly process?: ProcessId;
}

class FileWriter {
  readonly #path: string;
  readonly #temporary: string;
  readonly #mark: string;
  readonly #options: MetricsFileOptions;

  constructor(options: MetricsFileOptions) {
    const { self } = options.processes;
    this.#options = options;
    this.#path = options.name;
    // Must not end with .prom, because a collector would read it.
    this.#temporary = join(dirname(this.#path), `.${basename(this.#path)}.${self.pid}.tmp`);
    this.#mark = `${MARK}${JSON.stringify(self)}`;
  }

  /** @param turn only the first write may take over the file of a process that is gone */
  async write(turn: "first" | "next"): Promise<void> {
    await rm(this.#temporary, { force: true });
    const file = await open(this.#temporary, "wx", MODE);
    try {
      try {
        await file.writeFile(`${this.#mark}\n${this.#options.render()}`);
      } finally {
        await file.close();
      }
      await this.#place(turn);
    } finally {
      await rm(this.#temporary, { force: true }).catch(() => {});
    }
  }

  async remove(): Promise<void> {
    try {
      if ((await this.#holder()).kind === "ours") await rm(this.#path, { force: true });
    } catch {
      // If it cannot be read, it cannot be removed.
    }
  }

  async #place(turn: "first" | "next"): Promise<void> {
    if (turn === "first") await this.#removeAbandoned();
    const holder = await this.#holder();
    if (holder.kind === "ours") await rename(this.#temporary, this.#path);
    else if (holder.kind === "none") await this.#make();
    else throw refused(this.#options.name, holder);
  }

  /** If two processes find no file, only one creates it. */
  async #make(): Promise<void> {
    try {
      await link(this.#temporary, this.#path);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") throw refused(this.#options.name, await this.#holder());
      // A file system without hard links.
      if (!["EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"].includes(code)) throw error;
      await rename(this.#temporary, this.#path);
    }
  }

  async #isAbandoned(holder: Holder): Promise<boolean> {
    if (holder.kind === "free") return true;
    if (holder.process === undefined) return false;
    const { processes } = this.#options;
    if (holder.process.host === processes.self.host) return !processes.isAlive(holder.process);
    return this.#isOld(this.#path);
  }

  /** Several processes may find it abandoned: the one that creates the marker looks again, and removes it. */
  async #removeAbandoned(): Promise<void> {
    if (!(await this.#isAbandoned(await this.#holder()))) return;
    const marker = join(dirname(this.#path), `.${basename(this.#path)}.taking`);
    await this.#createMarker(marker);
    try {
      if (await this.#isAbandoned(await this.#holder())) await rm(this.#path, { force: true });
    } finally {
      await rm(marker, { force: true });
    }
  }

  /** A killed process leaves its marker. @throws {UsageError} when another process has just made it */
  async #createMarker(path: string): Promise<void> {
    if (await this.#isOld(path)) await rm(path, { force: true });
    try {
      await (await open(path, "wx", MODE)).close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      throw new UsageError(`another watch is about to write ${this.#options.name}`, ONE_EACH);
    }
  }

  /** By the disk's clock. */
  async #isOld(path: string): Promise<boolean> {
    const [own, theirs] = await Promise.all([
      stat(this.#temporary),
      stat(path).catch(() => undefined),
    ]);
    return theirs !== undefined && own.mtimeMs - theirs.mtimeMs > ABANDONED_AFTER_MS;
  }

  async #holder(): Promise<Holder> {
    const start = await readStart(this.#path);
    if (start === undefined) return { kind: "none" };
    if (start === "") return { kind: "free" };
    const [mark = ""] = start.split("\n", 1);
    if (mark === this.#mark) return { kind: "ours" };
    const id = mark.startsWith(MARK) ? parseJson(mark.slice(MARK.length)) : undefined;
    return isProcess(id) ? { kind: "other", process: id } : { kind: "foreign" };
  }
}

function refused(name: string, holder: Holder): UsageError {
  if (holder.process === undefined) {
    return new UsageError(
      `${name} was not written by monitor watch`,
      "choose another file, or remove it",
    );
  }
  const { pid, host } = holder.process;
  return new UsageError(
    `another watch writes ${name} already (process ${pid} on ${host})`,
    ONE_EACH,
  );
}

/** The first bytes of a file; undefined if nothing exists. @throws {UsageError} when it is a link or another user's */
async function readStart(path: string): Promise<string | undefined> {
  const file = await openOwn(path, "read").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(MAX_MARK_BYTES),
      0,
      MAX_MARK_BYTES,
      0,
    );
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

function isProcess(value: unknown): value is ProcessId {
  const { host, pid, started } = (value ?? {}) as Partial<ProcessId>;
  return typeof host === "string" && typeof pid === "number" && typeof started === "string";
}
