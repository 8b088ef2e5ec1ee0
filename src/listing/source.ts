// One page of a listing: asked for, checked, and refused when it lists rows that were not asked for.
import { ServiceError } from "../units/monitor-error.ts";
import { parseJson } from "../wire/json.ts";
import { findFaultIn, type ListedRecord, splitRecords } from "../wire/rest/fields.ts";
import type { Listing } from "./listing.ts";
import { type Answer, isSuccess, type RestClient, refusal } from "./rest-client.ts";

export interface Source<T extends ListedRecord> {
  readonly listing: Listing<T>;
  /**
   * At most `limit` rows strictly before an index, or the newest rows; newest first.
   * @param follow the page that will be asked for next, by the last two rows of this one; it travels while this one is checked
   * @returns undefined when the service refuses this cursor
   * @throws {ServiceError} when there is no page, or its rows are not of this listing; the signal's reason when aborted
   */
  page(
    before: bigint | undefined,
    limit: number,
    signal: AbortSignal,
    follow?: (rows: readonly T[]) => bigint | undefined,
  ): Promise<readonly T[] | undefined>;
}

/** Other words for an empty page, and for a cursor that the service does not take. */
const NOTHING = [404, 410];
const REFUSED = [400, 422];

/** @param texts receives the text of each record, for whoever repeats it */
export function createSource<T extends ListedRecord>(
  client: RestClient,
  listing: Listing<T>,
  texts?: WeakMap<object, string>,
): Source<T> {
  const { path, query } = listing;
  const ask = (limit: number, before: bigint | undefined, signal: AbortSignal) =>
    client.get(path, { ...query, limit, before }, signal);
  let ahead:
    | { readonly limit: number; readonly before: bigint; readonly answer: Promise<Answer> }
    | undefined;

  function answer(limit: number, before: bigint | undefined, signal: AbortSignal) {
    const isAhead = ahead?.before === before && ahead?.limit === limit;
    const taken = isAhead ? ahead?.answer : undefined;
    ahead = undefined;
    return taken ?? ask(limit, before, signal);
  }

  async function askAhead(limit: number, before: bigint, signal: AbortSignal): Promise<void> {
    ahead = { limit, before, answer: ask(limit, before, signal) };
    // Its failure is thrown where it is awaited.
    ahead.answer.catch(() => undefined);
    await client.sent();
  }

  return {
    listing,
    async page(before, limit, signal, follow) {
      const page = await answer(limit, before, signal);
      const { status, text } = page;
      if (isNothing(status, before)) return [];
      if (before !== undefined && REFUSED.includes(status)) return undefined;
      if (!isSuccess(status)) throw refusal(page);
      const next = follow?.(lastTwo(text));
      if (next !== undefined) await askAhead(limit, next, signal);
      const rows = parsePage(listing, page);
      const parts = texts === undefined ? [] : splitRecords(text);
      rows.forEach((row, i) => void texts?.set(row, parts[i] ?? ""));
      return rows;
    },
  };
}

/** Some statuses say so much only below a cursor: without one, that there is no such listing. */
function isNothing(status: number, before: bigint | undefined): boolean {
  return status === 204 || (before !== undefined && NOTHING.includes(status));
}

/** Records of a page are much shorter. */
const TAIL = 8192;

/** The last two records of a list, without reading the others; none where they are nested, or not as usual. */
function lastTwo<T>(text: string): readonly T[] {
  const tail = text.slice(-TAIL);
  const { index, 0: comma } = [...tail.matchAll(/(?<=\})\s*,\s*(?=\{)/g)].at(-2) ?? { index: -1 };
  const values = index < 0 ? undefined : parseJson(`[${tail.slice(index + (comma ?? "").length)}`);
  return Array.isArray(values) ? (values as readonly T[]) : [];
}

/** @throws {ServiceError} when a record is not as documented, or belongs to something else than was asked for */
export function parsePage<T extends ListedRecord>(
  listing: Listing<T>,
  { url, text }: Pick<Answer, "url" | "text">,
): readonly T[] {
  const values = parseJson(text);
  const isList = Array.isArray(values);
  const fault = isList ? findFaultIn(values, listing.fields) : "the answer is no list of records";
  if (!isList || fault !== undefined) {
    throw new ServiceError("bad-page", `${url}: ${fault}`, {
      advice: "the answer does not fit the interface; monitor doctor says more",
    });
  }
  for (let i = 0; i < values.length; i++) {
    const foreign = listing.foreign(values[i]);
    if (foreign === undefined) continue;
    throw new ServiceError("foreign-row", `${url}: [${i}]: ${foreign}`, {
      advice: "the service lists rows that were not asked for: none of them is shown or written",
    });
  }
  return values;
}
