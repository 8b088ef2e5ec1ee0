// What a run of the pager has come to: whether every row that was asked for is proven to be there, and by what.
import { formatIsoMs } from "../../units/time.ts";

/**
 * Why a listing is not proven whole. `group-fills-page`: rows of one index fill a page, so that no cursor can step
 * past them; `last-group-fills-page`: the rows of the oldest index may be more than a page holds; `not-joined`: older
 * rows are listed, but no answer shows that nothing stands between; `end-unsure`: answers near the end do not agree;
 * `end-not-probed`: nobody looked below the end; `first-page-empty`: rows are listed, but not on the first page;
 * `history-changed`: rows are where none were before; `out-of-order`: pages are not newest first;
 * `answers-differ`: a page that was asked for again was another one; `cursor-ignored`: every cursor gets the same
 * rows; `no-continuation`: no cursor was found whose answer goes on after the last known row; `second-pass-differs`:
 * read again, the listing was another one; `not-its-continuation`: the rows at which it had to arrive are not listed;
 * `not-reached`: it was cut before them.
 */
export type Flag =
  | "group-fills-page"
  | "last-group-fills-page"
  | "not-joined"
  | "end-unsure"
  | "end-not-probed"
  | "first-page-empty"
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

/** What was found below the last row of a listing that ends there. */
export interface NothingBelow {
  /** The last row's, in the units of the cursor that worked. */
  readonly index: bigint;
  /** Requests far and near below it that were answered, all without rows. */
  readonly probes: number;
  /** Every cursor below it is refused. */
  readonly isRefused: boolean;
}

/** Whether what was read is whole, how that was proven, or why it was not. */
export type Verdict =
  | {
      readonly isComplete: true;
      readonly reach: Reach;
      /** The field that proved the pages, `search`, or `first page` when there was no other. */
      readonly provenBy: string;
      /** With the reach `end`: what that rests on. */
      readonly nothingBelow?: NothingBelow | undefined;
      /** A second pass by other cursors saw the same. */
      readonly isReadTwice?: boolean | undefined;
    }
  | {
      readonly isComplete: false;
      readonly flag: Flag;
      /** The facts, in words. */
      readonly detail: string;
    };

type Complete = Extract<Verdict, { readonly isComplete: true }>;

/** The verdict in words. */
export function formatVerdict(verdict: Verdict): string {
  if (!verdict.isComplete) return `not proven: ${verdict.detail}`;
  return `proven by ${restsOn(verdict.provenBy, verdict)}`;
}

/** What the word complete rests on. */
export function formatProof(verdict: Complete): string {
  const { provenBy } = verdict;
  return restsOn(FIRST_PAGES.includes(provenBy) ? provenBy : `overlap by ${provenBy}`, verdict);
}

function restsOn(provenBy: string, { nothingBelow, isReadTwice }: Complete): string {
  const words = [provenBy];
  if (nothingBelow !== undefined) words.push(formatNothingBelow(nothingBelow));
  if (isReadTwice) words.push("read twice by other cursors");
  return words.join("; ");
}

/** What proves a listing of one page, and one without rows. */
export const [FIRST_PAGE, EMPTY_PAGE] = ["the first page", "an empty first page"];
const FIRST_PAGES: readonly string[] = [FIRST_PAGE, EMPTY_PAGE];

/** Such as `nothing listed below 1,000,412 in 48 probes`. */
function formatNothingBelow({ index, probes, isRefused }: NothingBelow): string {
  const shown = `${index}`.replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
  if (isRefused) return `every cursor below ${shown} is refused`;
  return `nothing listed below ${shown} in ${probes} ${probes === 1 ? "probe" : "probes"}`;
}

const words: Readonly<Record<Flag, (near: string, longest: number, older: string) => string>> = {
  "group-fills-page": (near, longest) =>
    `one transaction fills a page of ${longest} rows near ${near}: no cursor steps past it`,
  "last-group-fills-page": (near) =>
    `the oldest transaction, of ${near}, may have more rows than a page of this service holds`,
  "not-joined": (near, _, older) =>
    `older rows are listed, from ${older} on, but no answer joins them to the last row, of ${near}`,
  "end-unsure": (near) => `answers near the last row, of ${near}, do not agree`,
  "end-not-probed": (near) => `nobody looked whether anything is listed below ${near} (--probes 0)`,
  "first-page-empty": (_, __, older) =>
    `the first page has no rows, but older ones are listed, from ${older} on`,
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
 * The verdict of a run that could not prove its listing whole, in words.
 * @param nearMs Unix milliseconds of the last row that is proven; undefined when none is
 * @param longest rows of the longest page
 * @param olderMs Unix milliseconds of a row that is listed further below
 */
export function unproven(
  flag: Flag,
  nearMs: number | undefined,
  longest: number,
  olderMs?: number,
): Verdict {
  const near = nearMs === undefined ? "its beginning" : formatIsoMs(nearMs);
  const older = olderMs === undefined ? "some time" : formatIsoMs(olderMs);
  return { isComplete: false, flag, detail: words[flag](near, longest, older) };
}
