// Rows of one time in an order of their own, for services that list them in another one each time: two exports of the same
// rows are the same bytes again.
import type { Files } from "./files.ts";
import { eachLine, type LineReading, lineReading } from "./lines.ts";
import { NewFile } from "./new-file.ts";
import type { RowFormat } from "./row-format.ts";

interface TieOrder {
  readonly from: string;
  readonly to: string;
  readonly format: Pick<RowFormat<never>, "header" | "isOneLine">;
  readonly isOldestFirst: boolean;
  /** Bytes at the beginning that stay as they are: those of a file that was added to. */
  readonly keptBytes: number;
}

/**
 * Writes a finished file anew and waits until it is on the disk.
 * @returns its SHA-256 in hex
 * @throws what the file system throws
 */
export async function orderTies(files: Files, order: TieOrder): Promise<string> {
  const source = await files.open(order.from, "read");
  try {
    return await NewFile.write(files, order.to, async (file) => {
      const head = order.keptBytes || Buffer.byteLength(order.format.header);
      if (!(await file.appendStartOf(source, head))) {
        throw new Error("a file has become shorter meanwhile");
      }
      const ties = new Ties(order);
      await eachLine(source, head, async (line) => {
        const sorted = ties.add(line);
        if (sorted !== "") await file.append(Buffer.from(sorted));
      });
      await file.append(Buffer.from(ties.end()));
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
  readonly #reading: LineReading;
  #ms: number | undefined;
  #units: Unit[] = [];

  constructor(order: TieOrder) {
    this.#order = order;
    this.#reading = lineReading(order.format.header);
  }

  /** @returns the lines before this one, when it is of another time; otherwise empty text */
  add(line: string): string {
    const ms = this.#reading.timeOf(line);
    const before = ms === this.#ms ? "" : this.end();
    this.#ms = ms;
    const id = this.#reading.idOf(line);
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
