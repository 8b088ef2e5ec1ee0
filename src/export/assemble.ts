// The whole file out of the part file: its blocks in reverse where the oldest rows come first, and rows of one time in an order
// of their own where the service lists them in another one each time.
import { MonitorError } from "../units/monitor-error.ts";
import type { Files } from "./files.ts";
import { eachLine, type LineParser, lineParser } from "./lines.ts";
import { PartFile, type Sure } from "./part-file.ts";
import type { RowFormat } from "./row-format.ts";

interface Assembly {
  readonly part: PartFile;
  /** Bytes of each block, in the order in which they stand in the part file. */
  readonly blocks: readonly number[];
  /** What comes first: a header, or a file that is added to, as it was when it was read. */
  readonly head: string | (Sure & { readonly path: string });
  readonly path: string;
}

/**
 * Writes the whole file oldest rows first and waits until it is on the disk.
 * @returns its SHA-256 in hex
 * @throws {MonitorError} when the file that is added to has become another one; what the file system throws
 */
export function assemble(files: Files, { part, blocks, head, path }: Assembly): Promise<string> {
  return PartFile.write(files, path, async (file) => {
    if (typeof head === "string") await file.append(Buffer.from(head));
    else await copyHead(files, head, file);
    for await (const block of part.readBack(blocks)) await file.append(block);
  });
}

async function copyHead(
  files: Files,
  { path, bytes, sha256 }: Exclude<Assembly["head"], string>,
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

interface TieOrder {
  readonly from: string;
  readonly to: string;
  readonly format: Pick<RowFormat<never>, "header" | "isOneLine">;
  readonly isOldestFirst: boolean;
  /** Bytes at the beginning that stay as they are: those of a file that was added to. */
  readonly keptBytes: number;
}

/** Characters of sorted lines that are written at once. */
const MOST_CHARS = 1 << 20;

/**
 * Writes a finished file anew, rows of one time by their ids, and waits until it is on the disk.
 * @returns its SHA-256 in hex
 * @throws what the file system throws
 */
export async function orderTies(files: Files, order: TieOrder): Promise<string> {
  const source = await files.open(order.from, "read");
  try {
    return await PartFile.write(files, order.to, async (file) => {
      const head = order.keptBytes || Buffer.byteLength(order.format.header);
      if (!(await file.appendStartOf(source, head))) {
        throw new Error("a file has become shorter meanwhile");
      }
      const ties = new Ties(order);
      let sorted = "";
      await eachLine(source, head, (line) => {
        sorted += ties.add(line);
        if (sorted.length < MOST_CHARS) return undefined;
        const bytes = Buffer.from(sorted);
        sorted = "";
        return file.append(bytes);
      });
      await file.append(Buffer.from(sorted + ties.end()));
    });
  } finally {
    await source.close();
  }
}

/** The lines of one record, which stay together. */
interface Unit {
  readonly id: string;
  text: string;
}

/** Collects the lines of one time. */
class Ties {
  readonly #order: TieOrder;
  readonly #parser: LineParser;
  #ms: number | undefined;
  #units: Unit[] = [];

  constructor(order: TieOrder) {
    this.#order = order;
    this.#parser = lineParser(order.format.header);
  }

  /** @returns the lines before this one, when it is of another time; otherwise empty text */
  add(line: string): string {
    const ms = this.#parser.timeOf(line);
    const before = ms === this.#ms ? "" : this.end();
    this.#ms = ms;
    const id = this.#parser.idOf(line);
    const last = this.#units.at(-1);
    if (!this.#order.format.isOneLine && last?.id === id) last.text += line;
    else this.#units.push({ id, text: line });
    return before;
  }

  /** The lines that are held, in order. */
  end(): string {
    const sorted = this.#units.sort(compareUnits);
    if (!this.#order.isOldestFirst) sorted.reverse();
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
