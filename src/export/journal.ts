// What an export knows of its part file: enough to go on after a kill, and to end with the same bytes.
import * as z from "zod";
import type { PagerState } from "../history/paging/pager.ts";
import type { DigestState } from "../history/paging/row-digest.ts";
import { parseExact, stringifyExact } from "../protocol/exact-numbers.ts";
import { parseJson } from "../protocol/json.ts";
import { type Files, writeWhole } from "./files.ts";

/** Rows that have been written, and what has been seen of them. */
export interface Written {
  /** Lines without the header, and the records that they are of. */
  readonly rows: number;
  readonly records: number;
  readonly newestMs: number | undefined;
  readonly oldestMs: number | undefined;
}

/** What is sure of a part file, and where the run was when it was. */
export interface Journal<T> {
  /** What is exported, how and from where: another export must not go on with this file. */
  readonly identity: string;
  /** Bytes of the part file that are sure, and their SHA-256 in hex. */
  readonly bytes: number;
  readonly sha256: string;
  /** Bytes of each page, in the order in which they were written. */
  readonly blocks: readonly number[];
  /** Bytes of the file that is added to. */
  readonly baseBytes: number;
  readonly written: Written;
  readonly pager: PagerState<T>;
  readonly digest: DigestState | undefined;
}

const count = z.int().min(0);
const journal = z.object({
  version: z.literal(1),
  identity: z.string(),
  bytes: count,
  sha256: z.string(),
  blocks: z.array(count),
  baseBytes: count,
  written: z.object({
    rows: count,
    records: count,
    newestMs: z.number().optional(),
    oldestMs: z.number().optional(),
  }),
  pager: z.looseObject({
    rows: z.array(z.looseObject({ timestamp_ms: z.int() })).min(1),
    known: count,
    taken: count,
    asOfMs: z.number(),
    cursor: z
      .string()
      .regex(/^[0-9]+$/)
      .optional(),
    pages: count,
    counts: z.object({ requests: count, probes: count, longest: count }),
    proofs: z.record(z.string(), count),
    notes: z.array(z.enum(["unstable-order", "long-page"])),
  }),
  digest: z
    .object({
      count,
      sum: z.string().regex(/^[0-9a-f]+$/),
      headMs: z.number().optional(),
      head: z.array(z.string()),
      tailMs: z.number().optional(),
      tail: z.array(z.string()),
    })
    .optional(),
});

/** Writes a journal, whole or not at all. @throws what the file system throws */
export async function saveJournal<T>(files: Files, path: string, entry: Journal<T>): Promise<void> {
  const { cursor } = entry.pager;
  const pager = { ...entry.pager, cursor: cursor === undefined ? undefined : `${cursor}` };
  await writeWhole(files, path, stringifyExact({ version: 1, ...entry, pager }));
}

/**
 * @returns undefined when there is none, or none that can be trusted
 * @throws what the file system throws
 */
export async function loadJournal<T>(files: Files, path: string): Promise<Journal<T> | undefined> {
  const text = await files.readText(path);
  const value = text === undefined ? undefined : parseJson(text);
  // Rows may hold numbers that a float would change: they must be the same rows as when they came.
  const fit =
    text === undefined || value === undefined
      ? undefined
      : journal.safeParse(parseExact(text) ?? value);
  if (!fit?.success) return undefined;
  const { cursor } = fit.data.pager;
  const pager = { ...fit.data.pager, cursor: cursor === undefined ? undefined : BigInt(cursor) };
  return { ...fit.data, pager } as unknown as Journal<T>;
}
