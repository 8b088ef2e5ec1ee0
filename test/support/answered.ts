import type { Answer } from "../../src/listing/paging/source.ts";

/** What a source of pages answers with these rows. */
export const answered = <T>(rows: readonly T[]): Answer<T> => ({
  records: () => rows,
  end: (count) => rows.slice(-count),
});
