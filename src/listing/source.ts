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
   * @returns undefined when the service refuses this cursor
   * @throws {ServiceError} when there is no page, or its rows are not of this listing; the signal's reason when aborted
   */
  page(
    before: bigint | undefined,
    limit: number,
    signal: AbortSignal,
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
  return {
    listing,
    async page(before, limit, signal) {
      const answer = await client.get(path, { ...query, limit, before }, signal);
      const { status, text } = answer;
      if (isNothing(status, before)) return [];
      if (before !== undefined && REFUSED.includes(status)) return undefined;
      if (!isSuccess(status)) throw refusal(answer);
      const rows = parsePage(listing, answer);
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
