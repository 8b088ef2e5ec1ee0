// What a listing answered where: an export that goes on later asks some of it again, for the service may have amended its
// history meanwhile, and half of one listing and half of another is a file that no listing ever was.
import { createHash } from "node:crypto";
import type { RowKey } from "../listing/paging/known-rows.ts";
import type { PagerState } from "../listing/paging/pager.ts";
import { compareSections, pageSection } from "../listing/paging/sections.ts";
import {
  type Answer,
  canonicalText,
  type PageRequest,
  type RecordFields,
  type Source,
} from "../listing/paging/source.ts";
import type { Clock } from "../units/clock.ts";
import { HistoryError } from "../units/monitor-error.ts";
import { pause } from "../units/pause.ts";

/** A request, and the rows that it was answered with. */
export interface Place {
  /** The cursor in decimal digits; undefined for the newest rows. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** Time and digest of each row, newest first: `1763000000000 0123456789abcdef` and so on, with blanks between. */
  readonly rows: string;
}

/**
 * Places between the beginning of an export and where it is. `next` takes the place of `middle` when the export has become
 * twice as long.
 */
export interface Places {
  readonly first?: Place | undefined;
  readonly second?: Place | undefined;
  readonly middle?: Place | undefined;
  readonly next?: Place | undefined;
  readonly last?: Place | undefined;
}

/** Pages whose answers are held until it is known which of them are accepted: some are asked ahead, some refused. */
const HELD_ANSWERS = 4;
/** Rows of a place that are kept; of the first page more, for newer rows move it down. */
const PLACE_ROWS = 100;
const FIRST_ROWS = 250;
/** 64 bits: enough where nobody chooses the rows. */
const DIGEST_DIGITS = 16;

/** A source that keeps in mind what it answered. */
export class PlaceKeeper<T extends object> implements Source<T> {
  readonly #source: Source<T>;
  readonly #fields: RecordFields<T>;
  readonly #limit: number;
  readonly #held = new Map<bigint | undefined, readonly T[]>();
  readonly #onRows: ((rows: readonly T[], before: bigint | undefined) => void) | undefined;
  #places: Places;
  #last:
    | { readonly cursor: bigint | undefined; readonly rows: readonly T[] | undefined }
    | undefined;

  /**
   * @param limit rows of a page: other requests are searches and checks
   * @param onRows gets the rows of every answer that was read
   */
  constructor(
    source: Source<T>,
    fields: RecordFields<T>,
    limit: number,
    {
      places = {},
      onRows,
    }: {
      readonly places?: Places | undefined;
      readonly onRows?: (rows: readonly T[], before: bigint | undefined) => void;
    } = {},
  ) {
    this.#source = source;
    this.#fields = fields;
    this.#limit = limit;
    this.#places = places;
    this.#onRows = onRows;
  }

  async get(request: PageRequest, signal: AbortSignal): Promise<Answer<T>> {
    const answer = await this.#source.get(request, signal);
    const records = () => {
      const rows = answer.records();
      this.#onRows?.(rows, request.before);
      if (request.limit === this.#limit) this.#hold(request.before, rows);
      return rows;
    };
    return Object.assign(Object.create(answer) as Answer<T>, { records });
  }

  /** A page was accepted: call it after each. */
  accepted({ pages, cursor }: Pick<PagerState<T>, "pages" | "cursor">): void {
    this.#last = { cursor, rows: this.#held.get(cursor) };
    const { first, second, next } = this.#places;
    if (first === undefined) {
      this.#places = { ...this.#places, first: this.#placeAt(undefined) };
      this.#held.delete(undefined);
    }
    const isPowerOfTwo = (pages & (pages - 1)) === 0;
    if (cursor === undefined || !isPowerOfTwo) return;
    const here = this.#placeAt(cursor);
    this.#places = { ...this.#places, second: second ?? here, middle: next, next: here };
  }

  /** As of the page that was accepted last. */
  placesAt({ cursor }: Pick<PagerState<T>, "cursor">): Places {
    const isLast = cursor !== undefined && this.#last?.cursor === cursor;
    const last = isLast ? this.#placeOf(cursor, this.#last?.rows) : undefined;
    return { ...this.#places, last };
  }

  #hold(before: bigint | undefined, rows: readonly T[]): void {
    // The newest one stands last, so that the oldest goes first.
    this.#held.delete(before);
    // Most rows are let go with their page: what lives longer costs time.
    const isFirst = before === undefined && this.#places.first === undefined;
    this.#held.set(before, rows.slice(0, isFirst ? FIRST_ROWS : PLACE_ROWS));
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= HELD_ANSWERS) return;
      this.#held.delete(oldest);
    }
  }

  #placeAt(before: bigint | undefined): Place | undefined {
    return this.#placeOf(before, this.#held.get(before));
  }

  #placeOf(before: bigint | undefined, answer: readonly T[] | undefined): Place | undefined {
    if (answer === undefined || answer.length === 0) return undefined;
    return {
      before: before === undefined ? undefined : `${before}`,
      limit: this.#limit,
      rows: answer.map((row) => `${this.#fields.timeMs(row)} ${digestOf(row)}`).join(" "),
    };
  }
}

function seenRows({ rows }: Place): readonly RowKey[] {
  const words = rows.split(" ");
  return Array.from({ length: words.length >> 1 }, (_, i) => ({
    ms: Number(words[i * 2]),
    text: words[i * 2 + 1] ?? "",
  }));
}

function digestOf(row: object): string {
  return createHash("sha256").update(canonicalText(row)).digest("hex").slice(0, DIGEST_DIGITS);
}

/** How an interrupted listing was found again. */
export interface Revisit {
  readonly requests: number;
  /** What was compared, in words. */
  readonly compared: string;
  /** Undefined where everything was as it had been. */
  readonly change: { readonly nearMs: number | undefined } | undefined;
}

interface RevisitOptions<T> {
  readonly source: Source<T>;
  readonly fields: RecordFields<T>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A copy of the listing that lags behind may answer once. */
const TRIES = 2;
const PAUSE_MS = 1000;

/**
 * Asks again for the first page and for two places on the way, at most eight times. A first page that newer rows have
 * moved away is replaced by the second one.
 * @throws {HistoryError} when the service fails; the signal's reason when aborted
 */
export async function revisit<T extends object>(
  { first, second, middle, next, last }: Places,
  options: RevisitOptions<T>,
): Promise<Revisit> {
  let requests = 0;
  const compared: string[] = [];
  const visit = async (place: Place | undefined, words: string) => {
    if (place === undefined || compared.length === MOST_PLACES) return "unknown";
    const visited = await visitPlace(place, options);
    requests += visited.requests;
    if (visited.agreement === "same") compared.push(words);
    return visited.agreement;
  };
  const result = (nearMs?: { readonly nearMs: number | undefined }): Revisit => ({
    requests,
    compared: wordsOf(compared),
    change: nearMs,
  });
  const top = await visit(first, FIRST_PAGE);
  if (typeof top === "object") return result(top);
  const between = middle ?? next;
  const places = [top === "unknown" ? second : undefined, between, last];
  const others = places.filter((place, i) => place && !places.slice(0, i).some(isAt(place)));
  for (const place of others) {
    const visited = await visit(place, A_PLACE);
    if (typeof visited === "object") return result(visited);
  }
  const deepest = last ?? first;
  const nearMs = deepest && seenRows(deepest)[0]?.ms;
  return compared.length > 0 ? result() : result({ nearMs });
}

const MOST_PLACES = 3;
const FIRST_PAGE = "its first page";
const A_PLACE = "a place";

const isAt = (place: Place) => (other: Place | undefined) => other?.before === place.before;

function wordsOf(compared: readonly string[]): string {
  const places = compared.filter((words) => words === A_PLACE).length;
  const words = [
    ...(compared.includes(FIRST_PAGE) ? [FIRST_PAGE] : []),
    ...(places > 0 ? [places === 1 ? A_PLACE : `${places} places`] : []),
  ];
  return words.join(" and ");
}

type Visited = "same" | "unknown" | { readonly nearMs: number | undefined };

async function visitPlace<T extends object>(
  place: Place,
  { source, fields, clock, signal }: RevisitOptions<T>,
): Promise<{ readonly requests: number; readonly agreement: Visited }> {
  const { before, limit } = place;
  const isTop = before === undefined;
  const held = seenRows(place);
  let agreement: Visited = "unknown";
  for (let tries = 1; tries <= TRIES; tries++) {
    if (tries > 1) await pause(clock, PAUSE_MS, signal);
    const request = { before: isTop ? undefined : BigInt(before), limit };
    const rows = await rowsOrNone(source, request, signal);
    const shown = rows.map((row) => ({ ms: fields.timeMs(row), text: digestOf(row) }));
    agreement = compareAnswers(held, shown, isTop);
    // Rows that are all newer have moved the first page away; nothing else is learnt by asking again.
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
  // The same request: what it is answered with begins with the same rows.
  const most = Math.min(held.length, shown.length);
  if (!isTop && most > 0 && held.slice(0, most).every(({ text }, i) => text === shown[i]?.text)) {
    return "same";
  }
  // More rows may have come since, also of the time of the first one.
  const [before, now] = [pageSection(held, isTop), pageSection(shown, false)];
  if (before === undefined || now === undefined) return "unknown";
  const { rows, span, differsAtMs } = compareSections(before, now);
  if (span === undefined) return "unknown";
  if (differsAtMs !== undefined) return { nearMs: differsAtMs };
  if (rows > 0) return "same";
  // Of one time both show a part: other rows of it at the top are newer ones, at a cursor they are others.
  return isTop ? "unknown" : { nearMs: held[0]?.ms };
}

/** The rows at a place; none where the service refuses the cursor. */
export async function rowsOrNone<T>(
  source: Source<T>,
  request: PageRequest,
  signal: AbortSignal,
): Promise<readonly T[]> {
  try {
    return (await source.get(request, signal)).records();
  } catch (error) {
    if (error instanceof HistoryError && error.code === "http-400") return [];
    throw error;
  }
}
