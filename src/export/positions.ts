// Responses of a listing at some positions: a resumed export requests some of them again, because the service may have amended
// its history in the meantime.
import { hash } from "node:crypto";
import type { RowKey } from "../listing/paging/known-rows.ts";
import type { Accepted } from "../listing/paging/pager.ts";
import { cursorFault } from "../listing/paging/requests.ts";
import { compareSections, pageSection } from "../listing/paging/sections.ts";
import {
  canonicalText,
  type PageRequest,
  type RecordFields,
  type Source,
} from "../listing/paging/source.ts";
import { pause } from "../units/clock.ts";
import type { ExportPlan } from "./export-run.ts";

export interface Position {
  /** Decimal digits; undefined for the newest rows. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** Time and digest of each row, newest first, separated by spaces: `1763000000000 0123456789abcdef`. */
  readonly rows: string;
}

/** From the beginning of an export to its current position. `next` becomes `middle` when the number of pages has doubled. */
export interface Positions {
  readonly first?: Position | undefined;
  readonly second?: Position | undefined;
  readonly middle?: Position | undefined;
  readonly next?: Position | undefined;
  readonly last?: Position | undefined;
}

/** Rows per position; more for the first page, because newer rows push its rows down. */
const KEPT_ROWS = 100;
const FIRST_ROWS = 250;
/** 64 bits suffice: nobody can choose the rows. */
const DIGEST_DIGITS = 16;

export function watched<T>(
  source: Source<T>,
  see: (rows: readonly T[], request: PageRequest) => void,
): Source<T> {
  return {
    async get(request, signal) {
      const response = await source.get(request, signal);
      return {
        end: (count) => response.end(count),
        records() {
          const rows = response.records();
          see(rows, request);
          return rows;
        },
      };
    },
  };
}

/** Collects positions as pages arrive. */
export class PositionKeeper<T extends object> {
  readonly #timeMs: (row: T) => number;
  #positions: Positions;
  #last: Accepted<T> | undefined;

  /** @param positions from an earlier run */
  constructor({ timeMs }: RecordFields<T>, positions: Positions = {}) {
    this.#timeMs = timeMs;
    this.#positions = positions;
  }

  /** Call after each accepted page. @param pages their number */
  accepted(answer: Accepted<T>, pages: number): void {
    this.#last = answer;
    const { first, second, next } = this.#positions;
    const isPowerOfTwo = (pages & (pages - 1)) === 0;
    if (first === undefined) {
      const top = this.#positionOf(answer, FIRST_ROWS);
      this.#positions = { ...this.#positions, first: top };
    } else if (answer.before !== undefined && isPowerOfTwo) {
      const here = this.#positionOf(answer);
      this.#positions = { first, second: second ?? here, middle: next, next: here };
    }
  }

  /** As of the last accepted page. */
  get positions(): Positions {
    const answer = this.#last;
    const last = answer?.before === undefined ? undefined : this.#positionOf(answer);
    return { ...this.#positions, last };
  }

  #positionOf({ before, limit, rows }: Accepted<T>, most = KEPT_ROWS): Position {
    const texts = rows.slice(0, most).map((row) => `${this.#timeMs(row)} ${getDigest(row)}`);
    return { before: before === undefined ? undefined : `${before}`, limit, rows: texts.join(" ") };
  }
}

function getDigest(row: object): string {
  return hash("sha256", canonicalText(row)).slice(0, DIGEST_DIGITS);
}

function getKeys(position: Position | undefined): readonly RowKey[] {
  const parts = position?.rows.split(" ") ?? [];
  return Array.from({ length: parts.length >> 1 }, (_, i) => ({
    ms: Number(parts[i * 2]),
    text: parts[i * 2 + 1] ?? "",
  }));
}

/** Whether the listing still matches what it was. */
export interface Revisit {
  readonly requests: number;
  readonly compared: string;
  /** Undefined if nothing differs. */
  readonly change: { readonly nearMs: number | undefined } | undefined;
}

/** One response may come from a lagging replica. */
const TRIES = 2;
const PAUSE_MS = 1000;

/**
 * Requests the first page and two positions again, in at most 8 requests. The second page stands in for a first page that newer
 * rows have pushed away.
 * @throws {HistoryError} when the service fails; the signal's reason when aborted
 */
export async function revisit<T extends object>(
  { first, second, middle, next, last }: Positions,
  plan: ExportPlan<T>,
): Promise<Revisit> {
  let requests = 0;
  const visit = async (position: Position | undefined): Promise<Visited> => {
    if (position === undefined) return "unknown";
    const visited = await visitPosition(position, plan);
    requests += visited.requests;
    return visited.agreement;
  };
  const top = await visit(first);
  const isMoved = top === "unknown" && first?.before === undefined;
  const seen: Visited[] = [top];
  const others = [isMoved ? second : undefined, middle ?? next, last];
  const distinct = new Map(others.map((position) => [position?.before, position]));
  for (const position of distinct.values()) {
    if (!seen.some(isChange)) seen.push(await visit(position));
  }
  const compared = formatFound(seen.map((each) => each === "same"));
  const change = seen.find(isChange);
  if (change !== undefined || compared !== "") return { requests, compared, change };
  // Fails where the listing itself cannot be found any more.
  await plan.source.get({ before: undefined, limit: 1 }, plan.signal);
  const nearMs = getKeys(last ?? first)[0]?.ms;
  return { requests: requests + 1, compared, change: { nearMs } };
}

function formatFound([isTop = false, ...others]: readonly boolean[]): string {
  const count = others.filter(Boolean).length;
  const texts = [
    isTop && "its first page",
    count > 0 && (count === 1 ? "a place" : `${count} places`),
  ];
  return texts.filter(Boolean).join(" and ");
}

const isChange = (visited: Visited) => typeof visited === "object";

type Visited = "same" | "unknown" | { readonly nearMs: number | undefined };

async function visitPosition<T extends object>(
  position: Position,
  { source, fields, clock, signal }: ExportPlan<T>,
): Promise<{ readonly requests: number; readonly agreement: Visited }> {
  const { before, limit } = position;
  const isTop = before === undefined;
  const held = getKeys(position);
  let agreement: Visited = "unknown";
  for (let tries = 1; tries <= TRIES; tries++) {
    if (tries > 1) await pause(clock, PAUSE_MS, signal);
    const request = { before: isTop ? undefined : BigInt(before), limit };
    const rows = await rowsOrNone(source, request, signal);
    const shown = rows.map((row) => ({ ms: fields.timeMs(row), text: getDigest(row) }));
    agreement = compareAnswers(held, shown, isTop);
    // If all rows are newer, another request would not help.
    const isOver = agreement === "same" || (agreement === "unknown" && rows.length > 0);
    if (isOver) return { requests: tries, agreement };
  }
  return { requests: TRIES, agreement };
}

function compareAnswers(
  held: readonly RowKey[],
  shown: readonly RowKey[],
  isTop: boolean,
): Visited {
  // The same request should begin with the same rows.
  const most = Math.min(held.length, shown.length);
  if (!isTop && most > 0 && held.slice(0, most).every(({ text }, i) => text === shown[i]?.text)) {
    return "same";
  }
  // More rows may have arrived, also with the time of the first one.
  const [before, now] = [pageSection(held, isTop), pageSection(shown, false)];
  if (before === undefined || now === undefined) return "unknown";
  const { rows, span, differsAtMs } = compareSections(before, now);
  if (span === undefined) return "unknown";
  if (differsAtMs !== undefined) return { nearMs: differsAtMs };
  if (rows > 0) return "same";
  // Both show part of one time: at the top, newer rows may explain the difference; at a cursor, they differ.
  return isTop ? "unknown" : { nearMs: held[0]?.ms };
}

/** Empty if the service refuses the cursor, or lists nothing there. */
export async function rowsOrNone<T>(
  source: Source<T>,
  request: PageRequest,
  signal: AbortSignal,
): Promise<readonly T[]> {
  try {
    return (await source.get(request, signal)).records();
  } catch (error) {
    if (cursorFault(error, request) === undefined) throw error;
    return [];
  }
}
