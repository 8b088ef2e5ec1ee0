// A file that is written beside its target and renamed when it is whole. A kill at any moment leaves a part file and its journal,
// with which the same command goes on. The order of steps is what makes that true; each says what a kill after it leaves.
import { chmod, chown, type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { openOwn } from "../system/own-file.ts";
import { MonitorError, UsageError } from "../units/monitor-error.ts";
import { foreignFile, headLine, type Journal, parseJournal, type WrittenPage } from "./journal.ts";

const CHUNK = 1 << 20;
/** Exports may be confidential. */
const OWNER_ONLY = 0o600;

export interface PartOptions {
  readonly file: string;
  readonly identity: string;
  readonly header: string;
  /** Pages come newest first and the file begins with the oldest: the whole is written from the last page to the first. */
  readonly isOldestFirst: boolean;
  /** Bytes of the file that is appended to; 0 without one. */
  readonly baseBytes: number;
}

type Facts = Omit<WrittenPage, "state">;

export class PartFile {
  readonly #options: PartOptions;
  readonly #part: FileHandle;
  readonly #journal: FileHandle;
  /** What an earlier run has written, and this one. Only the last state is needed. */
  #pages: Facts[];
  #last: WrittenPage | undefined;
  #end = 0;
  #crc = 0;
  #journalEnd: number;

  private constructor(
    options: PartOptions,
    part: FileHandle,
    journal: FileHandle,
    journalEnd: number,
    pages: readonly WrittenPage[],
  ) {
    this.#options = options;
    this.#part = part;
    this.#journal = journal;
    this.#journalEnd = journalEnd;
    this.#pages = pages.map(({ state, ...facts }) => facts);
    this.#last = pages.at(-1);
    this.#end = this.#last?.end ?? 0;
    this.#crc = this.#last?.crc ?? 0;
  }

  /** @throws {UsageError} when one of the names is somebody else's, or the part file is of another export */
  static async open(options: PartOptions): Promise<PartFile> {
    const names = namesBeside(options.file);
    const left = await findLeft(options);
    const pages = left?.pages ?? [];
    const advice = `remove ${names.part} and ${names.journal} to begin anew`;
    if (pages.length > 0 && left?.identity !== options.identity)
      throw new UsageError(`${names.part} is what another export has begun`, advice);
    // First the part file, then the journal: a part file without a journal is taken for ours only while it is empty.
    const part = await openOrCreate(names.part);
    const { end, crc } = pages.at(-1) ?? { end: 0, crc: 0 };
    if ((await checksum(part, end)) !== crc) {
      await part.close();
      throw new UsageError(`${names.part} is not what its journal says`, advice);
    }
    await part.truncate(end);
    const journal = await openOrCreate(names.journal);
    const kept = pages.length > 0 ? (left?.bytes ?? 0) : 0;
    await journal.truncate(kept);
    const file = new PartFile(options, part, journal, kept, pages);
    if (kept === 0) await file.#note(headLine(options.identity));
    return file;
  }

  get pages(): readonly Facts[] {
    return this.#pages;
  }

  get last(): WrittenPage | undefined {
    return this.#last;
  }

  /** The text of a page that was written. */
  async read(page: Facts): Promise<string> {
    const start = this.#startOf(this.#pages.findIndex(({ end }) => end === page.end));
    return (await readBlock(this.#part, start, page.end)).toString();
  }

  /** Forgets all pages. */
  async clear(): Promise<void> {
    this.#journalEnd = Buffer.byteLength(headLine(this.#options.identity));
    await this.#journal.truncate(this.#journalEnd);
    await this.#part.truncate(0);
    [this.#pages, this.#last, this.#end, this.#crc] = [[], undefined, 0, 0];
    if (!this.#options.isOldestFirst) await this.#append(this.#options.header);
  }

  /** First the page, then its line in the journal: what has no line is cut off by the next run. */
  async write(text: string, page: Omit<WrittenPage, "end" | "crc">): Promise<void> {
    await this.#append(text);
    this.#last = { end: this.#end, crc: this.#crc, ...page };
    await this.#note(`${JSON.stringify(this.#last)}\n`);
    const { state, ...facts } = this.#last;
    this.#pages.push(facts);
  }

  /** The file under its own name. @param newest text of the file that is appended to, found at the very end */
  async finish(newest: string): Promise<void> {
    const { file, isOldestFirst } = this.#options;
    const names = namesBeside(file);
    if (isOldestFirst) await this.#writeWhole(names.whole, newest);
    await this.#part.sync();
    const done = isOldestFirst ? names.whole : names.part;
    await shareAs(file, done);
    await rename(done, file);
    await this.discard();
  }

  /** Leaves nothing behind. The journal goes last: without it a part file would be somebody else's. */
  async discard(): Promise<void> {
    const names = namesBeside(this.#options.file);
    await this.close();
    for (const path of [names.whole, names.part, names.journal]) await rm(path, { force: true });
  }

  /** What is written stays for the next run. */
  async close(): Promise<void> {
    await this.#part.close();
    await this.#journal.close();
  }

  async #append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await writeAll(this.#part, bytes, this.#end);
    this.#end += bytes.length;
    this.#crc = crc32(bytes, this.#crc);
  }

  async #note(line: string): Promise<void> {
    const bytes = Buffer.from(line);
    await writeAll(this.#journal, bytes, this.#journalEnd);
    this.#journalEnd += bytes.length;
  }

  #startOf(index: number): number {
    const { isOldestFirst, header } = this.#options;
    return this.#pages[index - 1]?.end ?? (isOldestFirst ? 0 : Buffer.byteLength(header));
  }

  async #writeWhole(path: string, newest: string): Promise<void> {
    const { file, baseBytes, header } = this.#options;
    const bytes = Buffer.byteLength(newest) + (baseBytes || Buffer.byteLength(header)) + this.#end;
    await this.#note(`${JSON.stringify({ whole: bytes })}\n`);
    await rm(path, { force: true });
    const whole = await open(path, "wx", OWNER_ONLY);
    try {
      let at = 0;
      const add = async (block: Uint8Array) => {
        await writeAll(whole, block, at);
        at += block.length;
      };
      if (baseBytes === 0) await add(Buffer.from(header));
      else await copyTo(file, baseBytes, add);
      await add(Buffer.from(newest));
      for (let i = this.#pages.length - 1; i >= 0; i--)
        await add(await readBlock(this.#part, this.#startOf(i), this.#pages[i]?.end ?? 0));
      await whole.sync();
    } finally {
      await whole.close();
    }
  }
}

export function namesBeside(file: string) {
  const part = `${file}.part`;
  return { part, journal: `${part}.journal`, whole: `${part}.whole`, lock: `${part}.lock` };
}

/** The journal that an earlier run left beside its part file. @throws {UsageError} when one of the names is somebody else's */
async function findLeft({ file }: PartOptions): Promise<Journal | undefined> {
  const names = namesBeside(file);
  const handle = await openOwn(names.journal, "read").catch(ifMissing(undefined));
  const text = (await handle?.readFile("utf8")) ?? "";
  await handle?.close();
  const journal = parseJournal(names.journal, text);
  const size = await sizeOf(names.part);
  if (journal === undefined && (size ?? 0) > 0) throw foreignFile(names.part);
  const hasWhole = (await sizeOf(names.whole)) !== undefined;
  if (journal?.whole === undefined && hasWhole) throw foreignFile(names.whole);
  // The target was renamed, and the last run came to its end just before it could remove the rest.
  const isDone = size === undefined || (journal?.whole ?? -1) === (await sizeOf(file));
  return isDone ? undefined : journal;
}

export function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return value;
    throw error;
  };
}

/** Undefined when nothing is there. */
async function sizeOf(path: string): Promise<number | undefined> {
  return (await lstat(path).catch(ifMissing(undefined)))?.size;
}

async function openOrCreate(path: string): Promise<FileHandle> {
  const there = await openOwn(path, "change").catch(ifMissing(undefined));
  return there ?? open(path, "wx+", OWNER_ONLY);
}

/** Gives a file of ours the owner and the mode of the one that it replaces, as far as this process may. */
async function shareAs(file: string, ours: string): Promise<void> {
  const found = await lstat(file).catch(ifMissing(undefined));
  if (found === undefined) return;
  const own = await lstat(ours);
  const isSame = own.uid === found.uid && own.gid === found.gid;
  const isShared =
    isSame ||
    (await chown(ours, found.uid, found.gid).then(
      () => true,
      () => false,
    ));
  // If the group could not be copied, its mode bits would grant access to another group.
  await chmod(ours, found.mode & (isShared ? 0o777 : 0o707));
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const left = bytes.length - done;
    done += (await handle.write(bytes, done, left, position + done)).bytesWritten;
  }
}

async function readBlock(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const block = Buffer.alloc(end - start);
  const { bytesRead } = await handle.read(block, 0, block.length, start);
  return block.subarray(0, bytesRead);
}

/** Up to there, or to its end. */
async function* blocksOf(handle: FileHandle, end: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < end; ) {
    const block = await readBlock(handle, at, Math.min(at + CHUNK, end));
    if (block.length === 0) return;
    yield block;
    at += block.length;
  }
}

async function checksum(handle: FileHandle, end: number): Promise<number> {
  let crc = 0;
  for await (const block of blocksOf(handle, end)) crc = crc32(block, crc);
  return crc;
}

async function copyTo(
  path: string,
  bytes: number,
  add: (block: Uint8Array) => Promise<void>,
): Promise<void> {
  const source = await open(path, "r");
  try {
    const { size } = await source.stat();
    if (size !== bytes)
      throw new MonitorError("file", "failed", `${path} was changed while it was added to`);
    for await (const block of blocksOf(source, bytes)) await add(block);
  } finally {
    await source.close();
  }
}
