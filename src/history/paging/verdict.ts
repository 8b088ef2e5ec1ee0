// What a run of the pager has come to: whether every row that was asked for is proven to be there, and by what.
import { formatIsoMs } from "../../units/time.ts";

/**
 * Why a listing is not proven whole. `group-fills-page`: rows of one index fill a page, so that no cursor can step
 * past them; `history-changed`: rows are where none were before; `out-of-order`: pages are not newest first;
 * `answers-differ`: a page that was asked for again was another one; `cursor-ignored`: every cursor gets the same
 * rows; `no-continuation`: no cursor was found whose answer goes on after the last known row; `second-pass-differs`:
 * read again, the listing was another one; `not-its-continuation`: the rows at which it had to arrive are not listed;
 * `not-reached`: it was cut before them.
 */
export type Flag =
  | "group-fills-page"
  | "history-changed"
  | "out-of-order"
  | "answers-differ"
  | "cursor-ignored"
  | "no-continuation"
  | "second-pass-differs"
  | "not-its-continuation"
  | "not-reached";

/**
 * What is worth knowing without casting doubt on any row. `unstable-order`: rows of one transaction came in
 * different orders; `long-page`: a page had more rows than were asked for.
 */
export type Note = "unstable-order" | "long-page";

/** Why the listing ended where it did. `end`: nothing older is listed. */
export type Reach = "end" | "since" | "max";

/** Whether what was read is whole, how that was proven, or why it was not. */
export type Verdict =
  | {
      readonly isComplete: true;
      readonly reach: Reach;
      /** The field that proved the pages, `search`, or `first page` when there was no other. */
      readonly provenBy: string;
    }
  | {
      readonly isComplete: false;
      readonly flag: Flag;
      /** The facts, in words. */
      readonly detail: string;
    };

/** The verdict in words. Never throws. */
export function formatVerdict(verdict: Verdict): string {
  return verdict.isComplete ? `proven by ${verdict.provenBy}` : `not proven: ${verdict.detail}`;
}

const words: Readonly<Record<Flag, (near: string, longest: number) => string>> = {
  "group-fills-page": (near, longest) =>
    `one transaction fills a page of ${longest} rows near ${near}: no cursor steps past it`,
  "history-changed": (near) => `the history changed while it was read, near ${near}`,
  "out-of-order": (near) => `the service's rows are not newest first, near ${near}`,
  "answers-differ": (near) => `a page that was asked for again was another one, near ${near}`,
  "cursor-ignored": (near) =>
    `the service answers the same rows whatever cursor is asked for, near ${near}`,
  "no-continuation": (near) => `no cursor leads on from the last row, near ${near}`,
  "second-pass-differs": (near) => `read again down to ${near}, the listing was another one`,
  "not-its-continuation": (near) => `the file's last rows, of ${near}, are not in this listing`,
  "not-reached": (near) => `--max ended before the file's last rows, of ${near}, were reached`,
};

/**
 * The verdict of a run that could not prove its listing whole, in words. Never throws.
 * @param nearMs Unix milliseconds of the last row that is proven; undefined when none is
 * @param longest rows of the longest page
 */
export function doubt(flag: Flag, nearMs: number | undefined, longest: number): Verdict {
  const near = nearMs === undefined ? "its beginning" : formatIsoMs(nearMs);
  return { isComplete: false, flag, detail: words[flag](near, longest) };
}
