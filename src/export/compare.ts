// Before an export goes on, what it has is compared with what the service lists now: half of one listing and half of another would
// be a file that no listing ever was.
import type { Source } from "../listing/source.ts";
import { MonitorError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import type { OwnFile } from "./existing-export.ts";
import type { WrittenPage } from "./journal.ts";
import type { PartFile } from "./part-file.ts";

/** Text of rows, in the order of the file. */
export type TextOf<T> = (rows: readonly T[]) => string;

type Written = Omit<WrittenPage, "state">;

/** What is compared, and with what. */
interface Comparison<T extends ListedRecord> {
  readonly part: PartFile;
  readonly source: Source<T>;
  readonly signal: AbortSignal;
  readonly textOf: TextOf<T>;
}

/**
 * Asks again for the first and the last page of a part file; for the second where newer rows have moved the first away.
 * @returns the rows of the last page's answer, to go on from; undefined where a new beginning costs no more
 * @throws {MonitorError} with the place of a difference
 */
export async function compareWritten<T extends ListedRecord>(
  compared: Comparison<T>,
): Promise<readonly T[] | undefined> {
  const { pages, last } = compared.part;
  const [first, second] = pages;
  if (first === undefined || second === undefined || last === undefined) return undefined;
  const isSame = async (page: Written) => {
    const rows = await askAgain(compared, page);
    const text = compared.textOf(rows.slice(page.skip, page.skip + page.count));
    if (text !== (await compared.part.read(page))) throw differs(page);
    return rows;
  };
  if (first.before !== undefined) await isSame(first);
  else if (!(await hasTop(compared, first))) await isSame(second);
  return (await isSame(last)).slice(0, last.state.length);
}

/** Whether the newest page still shows rows of the first one, below what is newer; those are the same. */
async function hasTop<T extends ListedRecord>(
  compared: Comparison<T>,
  page: Written,
): Promise<boolean> {
  const rows = await askAgain(compared, page);
  const text = await compared.part.read(page);
  const isTop = (some: readonly T[]) => {
    const top = compared.textOf(some);
    return text.startsWith(top) || text.endsWith(top);
  };
  for (let i = page.skip; i < rows.length; i++) {
    const shown = rows.slice(i, i + page.count);
    if (isTop(shown.slice(0, 1)) && isTop(shown)) return true;
    const isNewer = (rows[i]?.timestamp_ms ?? 0) >= page.newestMs;
    if (!isNewer) throw differs(page);
  }
  return false;
}

async function askAgain<T extends ListedRecord>(
  { source, signal }: Comparison<T>,
  { before, limit }: Written,
): Promise<readonly T[]> {
  const cursor = before === undefined ? undefined : BigInt(before);
  return (await source.page(cursor, limit, signal)) ?? [];
}

function differs({ newestMs, oldestMs }: Written): MonitorError {
  return new MonitorError(
    "history-changed",
    "unproven",
    `the service lists other rows than before between ${formatIsoMs(oldestMs)} and ${formatIsoMs(newestMs)}`,
    { advice: "what is written stays; remove the part file and its journal to begin anew" },
  );
}

/** Where a file joins the listing. */
export interface Joint {
  /** Rows that are newer than the file. */
  readonly newer: number;
  /** Rows of the file that were compared. */
  readonly compared: number;
}

/** @param rows newest first, none newer than the time of the file's last row. @returns undefined when none joins */
export function findJoint<T>(
  { tail }: OwnFile,
  rows: readonly T[],
  textOf: TextOf<T>,
): Joint | undefined {
  for (let i = 0; i < rows.length; i++) {
    if (!tail.endsWith(textOf(rows.slice(i, i + 1)))) continue;
    const text = textOf(rows.slice(i));
    if (tail.endsWith(text) || text.endsWith(tail)) return { newer: i, compared: rows.length - i };
  }
  return undefined;
}
