// The whole file out of the part file: its blocks in reverse where the oldest rows come first, and rows of one time in an order
// of their own where the service lists them in another one each time.
import { MonitorError } from "../units/monitor-error.ts";
import type { RowFormat } from "./csv.ts";
import type { Files } from "./files.ts";
import { type LineParser, lineParser, splitLines } from "./lines.ts";
import { PartFile, type Sure } from "./part-file.ts";

interface Assembly {
  readonly part: PartFile;
  /** Bytes of each block, in the order in which they stand in the part file, where they are turned round. */
  readonly blocks: readonly number[];
  /** The file that is added to, as it was when it was read. */
  readonly base: (Sure & { readonly path: string }) | undefined;
  readonly format: Pick<RowFormat<never>, "header" | "isOneLine">;
  readonly isOldestFirst: boolean;
  /** Rows of one time are put in order by their ids. */
  readonly isByIds: boolean;
  readonly path: string;
}

/**
 * Writes the whole file and waits until it is on the disk.
 * @returns its SHA-256 in hex
 * @throws {MonitorError} when the file that is added to has become another one; what the file system throws
 */
export function assemble(files: Files, assembly: Assembly): Promise<string> {
  const { part, base, format, isOldestFirst, path } = assembly;
  return PartFile.write(files, path, async (file) => {
    if (base === undefined) await file.append(Buffer.from(format.header));
    else await copyBase(files, base, file);
    for await (const bytes of rowsOf(assembly)) await file.append(bytes);
    if (!isOldestFirst && file.bytes !== part.bytes) {
      throw new Error("the part file is shorter than it was");
    }
  });
}

/** The rows in their final order. */
async function* rowsOf({ part, blocks, format, isOldestFirst, isByIds }: Assembly) {
  if (!isByIds) return yield* part.readBack(blocks);
  const ties = new Ties(format, isOldestFirst);
  const header = Buffer.byteLength(format.header);
  const pages = isOldestFirst ? linesBack(part, blocks) : part.lines(header);
  for await (const lines of pages) yield ties.add(lines);
  yield ties.end();
}

async function* linesBack(part: PartFile, blocks: readonly number[]) {
  for await (const block of part.readBack(blocks)) yield splitLines(block.toString()).lines;
}

async function copyBase(
  files: Files,
  { path, bytes, sha256 }: NonNullable<Assembly["base"]>,
  file: PartFile,
): Promise<void> {
  const source = await files.open(path, "read");
  try {
    const isWhole = await file.appendStartOf(source, bytes);
    if (!isWhole || file.sha256 !== sha256) throw changedMeanwhile(path);
  } finally {
    await source.close();
  }
}

/** Somebody has written to the file that is added to: their bytes stay, and ours stay beside them. */
export function changedMeanwhile(path: string): MonitorError {
  return new MonitorError("file", "failed", `${path} was changed while it was added to`, {
    advice: "run the same command again",
  });
}

/** The lines of one record, which stay together. */
interface Unit {
  readonly id: string;
  text: string;
}

/** Puts the lines of each time in order. */
class Ties {
  readonly #format: Assembly["format"];
  readonly #isOldestFirst: boolean;
  readonly #parser: LineParser;
  #ms: number | undefined;
  #units: Unit[] = [];

  constructor(format: Assembly["format"], isOldestFirst: boolean) {
    this.#format = format;
    this.#isOldestFirst = isOldestFirst;
    this.#parser = lineParser(format.header);
  }

  /** @returns lines whose time is over */
  add(lines: readonly string[]): Buffer {
    return Buffer.from(lines.map((line) => this.#addLine(line)).join(""));
  }

  /** Those that are held. */
  end(): Buffer {
    return Buffer.from(this.#flush());
  }

  #addLine(line: string): string {
    const ms = this.#parser.timeOf(line);
    const before = ms === this.#ms ? "" : this.#flush();
    this.#ms = ms;
    const id = this.#parser.idOf(line);
    const last = this.#units.at(-1);
    if (!this.#format.isOneLine && last?.id === id) last.text += line;
    else this.#units.push({ id, text: line });
    return before;
  }

  #flush(): string {
    const sorted = this.#units.sort(compareUnits);
    if (!this.#isOldestFirst) sorted.reverse();
    this.#units = [];
    return sorted.map(({ text }) => text).join("");
  }
}

/** By id as a number, where it is one, then by all of the record. */
function compareUnits(a: Unit, b: Unit): number {
  const isNumber = /^[0-9]+$/.test(a.id) && /^[0-9]+$/.test(b.id);
  const [one, other] = isNumber ? [BigInt(a.id), BigInt(b.id)] : [a.id, b.id];
  if (one !== other) return one < other ? -1 : 1;
  return a.text < b.text ? -1 : Number(a.text > b.text);
}
