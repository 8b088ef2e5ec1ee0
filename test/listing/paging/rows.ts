// The simplest listing: rows of an id and a time, read page by page.
import { Pager, type PagerOptions } from "../../../src/listing/paging/pager.ts";
import type { PageRequest, RecordFields } from "../../../src/listing/paging/source.ts";
import { answered } from "../../support/answered.ts";
import { instantClock } from "../../support/instant-clock.ts";

export interface Row {
  readonly id: string;
  readonly ms: number;
}

export const fields: RecordFields<Row> = {
  timeMs: ({ ms }) => ms,
  transaction: () => "",
  cursorFields: [{ name: "id", value: ({ id }) => (/^[0-9]+$/.test(id) ? BigInt(id) : undefined) }],
};

/** Rows with ids that fall from `newest` to 1 and a time for each. */
export const rowsDownFrom = (newest: number, step = 1): Row[] =>
  Array.from({ length: newest }, (_, i) => ({ id: `${newest - i}`, ms: (newest - i) * step }));

export const below = (rows: readonly Row[], { before, limit }: PageRequest) =>
  rows.filter(({ id }) => before === undefined || BigInt(id) < before).slice(0, limit);

export interface Reading extends Partial<PagerOptions<Row>> {
  /** Stop after so many pages. */
  readonly pages?: number;
}

/** Reads a listing of which each answer is a function of its request. */
export async function read(
  answer: (request: PageRequest) => readonly Row[] | Promise<readonly Row[]>,
  { limit = 10, pages = Number.POSITIVE_INFINITY, ...options }: Reading = {},
) {
  const requests: PageRequest[] = [];
  const pager = new Pager<Row>({
    source: {
      async get(request: PageRequest) {
        requests.push(request);
        if (requests.length > 8000) throw new Error("it never ends");
        return answered(await answer(request));
      },
    },
    fields,
    limit,
    clock: instantClock,
    signal: new AbortController().signal,
    ...options,
  });
  const rows: Row[] = [];
  let count = 0;
  for await (const page of pager.pages()) {
    for (const row of page) rows.push(row);
    if (++count === pages) break;
  }
  const { verdict, state, counts } = pager;
  return { rows, pager, requests, verdict, state, pages: counts.pages };
}
