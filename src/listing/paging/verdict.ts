// The outcome of a pager: whether every requested row is proven to be present, and by what.
import { formatIsoMs } from "../../units/time.ts";

/**
 * Worth noting, but no row is suspect. `unstable-order`: rows of one transaction were returned in different orders; `long-page`:
 * a page was longer than requested; `other-markets`: some events name only other markets.
 */
export const NOTES = ["unstable-order", "long-page", "other-markets"] as const;
export type Note = (typeof NOTES)[number];

/** Why the listing ended where it did. `end`: nothing older is listed. */
export type Reach = "end" | "since" | "max";

/** Evidence that nothing follows the last row of a listing. */
export interface NothingBelow {
  /** Index of the last row, as a cursor. */
  readonly index: bigint;
  /** Number of empty responses, near and far below it. */
  readonly probes: number;
  readonly isRefused: boolean;
}

interface Complete {
  readonly isComplete: true;
  readonly reach: Reach;
  /** A field, `search`, FIRST_PAGE or EMPTY_PAGE. */
  readonly provenBy: string;
  /** Only with reach `end`. */
  readonly nothingBelow?: NothingBelow | undefined;
  /** A second pass by other cursors agrees. */
  readonly isReadTwice?: boolean | undefined;
}

export type Verdict =
  | Complete
  | {
      readonly isComplete: false;
      readonly flag: Flag;
      readonly detail: string;
    };

export function formatVerdict(verdict: Verdict): string {
  if (!verdict.isComplete) return `not proven: ${verdict.detail}`;
  return `proven by ${formatFacts(verdict.provenBy, verdict)}`;
}

/** For programs: these texts are stable. */
export function formatProof(verdict: Complete): string {
  const { provenBy } = verdict;
  return formatFacts(FIRST_PAGES.includes(provenBy) ? provenBy : `overlap by ${provenBy}`, verdict);
}

function formatFacts(provenBy: string, { nothingBelow, isReadTwice }: Complete): string {
  const facts = [provenBy];
  if (nothingBelow !== undefined) facts.push(formatNothingBelow(nothingBelow));
  if (isReadTwice) facts.push("read twice by other cursors");
  return facts.join("; ");
}

/** The proof of a listing with a single page, and of an empty one. */
export const [FIRST_PAGE, EMPTY_PAGE] = ["the first page", "an empty first page"];
const FIRST_PAGES: readonly string[] = [FIRST_PAGE, EMPTY_PAGE];

function formatNothingBelow({ index, probes, isRefused }: NothingBelow): string {
  const shown = groupDigits(index);
  if (isRefused) return `every cursor below ${shown} is refused`;
  return `nothing listed below ${shown} in ${probes} ${probes === 1 ? "probe" : "probes"}`;
}

function groupDigits(index: bigint): string {
  return `${index}`.replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
}

/** For people. */
export function formatReach(verdict: Verdict): string {
  return verdict.isComplete ? REACHED[verdict.reach] : "some may be left out";
}

const REACHED: Readonly<Record<Reach, string>> = {
  end: "none left out, none older is listed",
  since: "none left out since then, older ones not asked for",
  max: "none left out, older ones not asked for",
};

/** For people. */
export function formatEvidence(verdict: Verdict): string {
  if (!verdict.isComplete) return `not proven: ${verdict.detail}`;
  const { provenBy, nothingBelow, isReadTwice } = verdict;
  return [
    ONE_PAGE[provenBy] ?? `pages joined by ${provenBy}`,
    ...(nothingBelow === undefined ? [] : [formatNoneOlder(nothingBelow)]),
    ...(isReadTwice ? ["read twice by other cursors"] : []),
  ].join("; ");
}

const ONE_PAGE: Readonly<Record<string, string>> = {
  [FIRST_PAGE]: "all on the first page",
  [EMPTY_PAGE]: "the first page is empty",
};

function formatNoneOlder({ index, probes, isRefused }: NothingBelow): string {
  const shown = groupDigits(index);
  if (isRefused) return `every request below ${shown} is refused`;
  return `no older row in ${probes} ${probes === 1 ? "request" : "requests"} below ${shown}`;
}

/** `near`: time of the last proven row; `older`: time of a row listed below it. */
const FLAGS = {
  "group-fills-page": (near: string, longest: number) =>
    `one transaction fills a page of ${longest} rows near ${near}: no cursor steps past it`,
  "last-group-fills-page": (near: string) =>
    `the oldest transaction, of ${near}, may have more rows than a page of this service holds`,
  "one-transaction": (near: string, longest: number) =>
    `${longest === 1 ? "the only row that was answered is" : `all ${longest} rows that were answered are`} of ${near}, and no answer was longer: nothing shows that one can hold more rows of one transaction; once a row of another time is listed, it can be proven`,
  "not-joined": (near: string, _: number, older: string) =>
    `older rows are listed, from ${older} on, but no answer joins them to the last row, of ${near}`,
  "end-unsure": (near: string) => `answers near the last row, of ${near}, do not agree`,
  "end-not-probed": (near: string) =>
    `it was not checked whether anything is listed below ${near} (--probes 0)`,
  "first-page-empty": (_: string, __: number, older: string) =>
    `the first page has no rows, but older ones are listed, from ${older} on`,
  "history-changed": (near: string) => `the history changed while it was read, near ${near}`,
  "never-named": (near: string) =>
    `every row down to ${near} that names a market names others alone: nothing shows that this one is touched`,
  "out-of-order": (near: string) => `the service's rows are not newest first, near ${near}`,
  "answers-differ": (near: string) =>
    `a page that was asked for again was another one, near ${near}`,
  "cursor-ignored": (near: string) =>
    `the service answers the same rows whatever cursor is asked for, near ${near}`,
  "no-continuation": (near: string) => `no cursor leads on from the last row, near ${near}`,
  "second-pass-differs": (near: string) =>
    `read again down to ${near}, the listing was another one`,
  "not-its-continuation": (near: string) =>
    `the file's last rows, of ${near}, are not in this listing`,
  "not-reached": (near: string) =>
    `--max ended before the file's last rows, of ${near}, were reached`,
};
export type Flag = keyof typeof FLAGS;

/**
 * @param nearMs Unix milliseconds of the last proven row
 * @param longest number of rows of the longest page
 * @param olderMs Unix milliseconds of a row listed further below
 */
export function unproven(
  flag: Flag,
  nearMs: number | undefined,
  longest: number,
  olderMs?: number,
): Verdict {
  const near = nearMs === undefined ? "its beginning" : formatIsoMs(nearMs);
  const older = olderMs === undefined ? "some time" : formatIsoMs(olderMs);
  return { isComplete: false, flag, detail: FLAGS[flag](near, longest, older) };
}
