// The journal beside a part file: what is exported, then a line for each page that the part file holds. It is only ever appended
// to, so a kill can cost the last line and nothing else.
import type { PagerState } from "../listing/pager.ts";
import { UsageError } from "../units/monitor-error.ts";

const MARK = '{"monitor":"journal of an export","version":3,';

export interface WrittenPage {
  /** Bytes and CRC-32 of the part file up to the end of this page. */
  readonly end: number;
  readonly crc: number;
  /** Lines of all pages so far. */
  readonly lines: number;
  /** The request, and which rows of its answer were written. */
  readonly before?: string | undefined;
  readonly limit: number;
  readonly skip: number;
  readonly count: number;
  /** Unix milliseconds of the newest row of this page, and of the oldest. */
  readonly newestMs: number;
  readonly oldestMs: number;
  readonly state: PagerState;
}

export interface Journal {
  /** What is exported, from where and how: no other export may go on with the part file. */
  readonly identity: string;
  readonly pages: readonly WrittenPage[];
  /** Bytes of the finished file, once it has been begun under a name of its own. */
  readonly whole: number | undefined;
  /** Of the lines that are complete. */
  readonly bytes: number;
}

export function headLine(identity: string): string {
  return `${MARK}"export":${JSON.stringify(identity)}}\n`;
}

/** @returns undefined for a journal that was not begun. @throws {UsageError} when it is somebody else's */
export function parseJournal(path: string, text: string): Journal | undefined {
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  if (complete === "" && (MARK.startsWith(text) || text.startsWith(MARK))) return undefined;
  try {
    if (!text.startsWith(MARK)) throw foreignFile(path);
    const [head = "", ...lines] = complete.trimEnd().split("\n");
    const { export: identity } = JSON.parse(head) as { readonly export: string };
    const entries = lines.map(
      (line) => JSON.parse(line) as WrittenPage & { readonly whole?: number },
    );
    const pages = entries.filter(({ whole }) => whole === undefined);
    if (!pages.every(({ end, state }) => Number.isSafeInteger(end) && Array.isArray(state.marks)))
      throw foreignFile(path);
    const whole = entries.find((entry) => entry.whole !== undefined)?.whole;
    return { identity, pages, whole, bytes: Buffer.byteLength(complete) };
  } catch {
    throw foreignFile(path);
  }
}

/** The file is not of this program. */
export function foreignFile(path: string): UsageError {
  return new UsageError(
    `${path} is not of an export that runs or was stopped`,
    "it is left as it is: choose another file with -o, or move it away",
  );
}
