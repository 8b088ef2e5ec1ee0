// What is known about a part file: enough to resume after a kill and end with the same bytes.
import * as z from "zod";
import type { PagerState } from "../listing/paging/pager.ts";
import type { DigestState } from "../listing/paging/second-pass.ts";
import { NOTES } from "../listing/paging/verdict.ts";
import { UsageError } from "../units/monitor-error.ts";
import { parseExact, stringifyExact } from "../wire/exact-numbers.ts";
import { parseJson } from "../wire/json.ts";
import { type Files, foreign, type Names, removeMarked, writeNew } from "./files.ts";
import type { Positions } from "./positions.ts";

export interface Written {
  /** Lines, excluding the header. */
  readonly rows: number;
  readonly records: number;
  readonly newestMs: number | undefined;
  readonly oldestMs: number | undefined;
}

/** The state of a run when its part file was synced. */
export interface Progress<T> {
  readonly written: Written;
  readonly pager: PagerState<T>;
  readonly digest: DigestState | undefined;
  readonly positions: Positions;
}

/** The synced state of a part file. */
export interface Journal<T> {
  /** What is exported, how and from where: no other export may resume this file. */
  readonly identity: string;
  /** Synced bytes of the part file; `sha256`: of these, in hex. */
  readonly bytes: number;
  readonly sha256: string;
  /** Bytes of each page, in file order. */
  readonly blocks: readonly number[];
  /** Bytes of the file that is appended to. */
  readonly baseBytes: number;
  readonly progress: Progress<T> | undefined;
}

/** The first bytes of every journal since version 2. */
const MARK = '{"monitor":"journal of an export","version":';
const VERSION = 3;
/** The first bytes of journals of version 1. */
const FIRST_VERSION = '{"version":1,"identity":';

const count = z.int().min(0);
const digits = z.string().regex(/^[0-9]+$/);
const position = z
  .object({
    before: digits.optional(),
    limit: count,
    rows: z.string().regex(/^-?[0-9]+ [0-9a-f]{16}(?: -?[0-9]+ [0-9a-f]{16})*$/),
  })
  .optional();
const progress = z.object({
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
    cursor: digits.optional(),
    limit: count.optional(),
    pages: count,
    counts: z.object({ requests: count, probes: count, longest: count }),
    proofs: z.record(z.string(), count),
    notes: z.array(z.enum(NOTES)),
    isNamed: z.boolean().optional(),
  }),
  digest: z
    .object({
      sum: z.string().regex(/^[0-9a-f]+$/),
      headMs: z.number().optional(),
      head: z.array(z.string()),
      tailMs: z.number().optional(),
      tail: z.array(z.string()),
    })
    .optional(),
  positions: z.object({
    first: position,
    second: position,
    middle: position,
    next: position,
    last: position,
  }),
});
const journal = z.object({
  version: z.literal(VERSION),
  identity: z.string(),
  bytes: count,
  sha256: z.string(),
  blocks: z.array(count),
  baseBytes: count,
  progress: progress.optional(),
});

/** Writes the journal completely or not at all. */
export async function saveJournal<T>(
  files: Files,
  names: Names,
  { progress, ...entry }: Journal<T>,
): Promise<void> {
  const cursor = progress?.pager.cursor;
  const pager = { ...progress?.pager, cursor: cursor === undefined ? undefined : `${cursor}` };
  const text = stringifyExact({
    monitor: "journal of an export",
    version: VERSION,
    ...entry,
    progress: progress && { ...progress, pager },
  });
  await writeNew(files, names.journalTemporary, text);
  await files.rename(names.journalTemporary, names.journal);
}

/** @throws {UsageError} when the temporary file is not ours */
export function removeUnfinished(files: Files, { journalTemporary }: Names): Promise<void> {
  return removeMarked(files, journalTemporary, MARK);
}

/**
 * @returns undefined when there is none
 * @throws {UsageError} when it is not ours, of another version, or damaged; file system errors
 */
export async function loadJournal<T>(
  files: Files,
  { journal: path, part }: Names,
): Promise<Journal<T> | undefined> {
  const text = await files.readText(path);
  if (text === undefined) return undefined;
  const isOld = text.startsWith(FIRST_VERSION);
  if (!isOld && !text.startsWith(MARK)) throw foreign(path);
  const value = parseJson(text);
  // Numbers must stay exact.
  const parsed = value === undefined ? undefined : journal.safeParse(parseExact(text) ?? value);
  if (!parsed?.success) {
    const { version } = (value ?? {}) as { readonly version?: unknown };
    throw new UsageError(
      version === undefined || version === VERSION
        ? `${path} is damaged`
        : `${path} is of another version of monitor`,
      `it cannot be resumed: remove ${path} and ${part} to begin anew`,
    );
  }
  const { progress, ...entry } = parsed.data;
  const cursor = progress?.pager.cursor;
  return {
    ...entry,
    progress: progress && {
      ...progress,
      pager: { ...progress.pager, cursor: cursor === undefined ? undefined : BigInt(cursor) },
    },
  } as unknown as Journal<T>;
}
