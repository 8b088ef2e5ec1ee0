// How the points that the interface leaves open are read while this service is watched, and on what evidence.

import { formatAudits } from "../select/interpretations.ts";
import { ACCOUNT_LISTS, AccountState } from "../state/account.ts";
import { NO_AUDITS } from "../state/audits.ts";
import type { StreamCounts } from "../state/stream-counts.ts";
import { count, type Finding, findingsOf } from "./finding.ts";
import type { StreamExam } from "./stream.ts";
import type { ChannelNotes } from "./wire-notes.ts";

const reading = findingsOf("reading");

const BOOKS = {
  whole: "every frame is the whole book",
  changes: "snapshots are whole, other frames change them",
} as const;

const LISTS = {
  rows: "later lists hold what has changed",
  markets: "later lists hold all there is of the markets that they name",
  whole: "later lists hold all there is",
} as const;

export function readingFindings(exam: StreamExam): readonly Finding[] {
  if (exam.notes.openedAtMs === undefined) return [];
  const chained = [...exam.notes.channels.values()].filter(({ firstPrevious }) => firstPrevious);
  return [
    sequenceFinding(chained, exam.store.counts),
    nullFinding(chained),
    bookFinding(exam),
    witnessFinding(exam),
    ...exam.store.slices.flatMap(({ data }) =>
      data instanceof AccountState ? [listsFinding(data)] : [],
    ),
    auditFinding(exam),
  ];
}

function sum<T>(all: readonly T[], pick: (notes: T) => number): number {
  return all.reduce((total, notes) => total + pick(notes), 0);
}

/** What previous names, by the frames that were watched and by what the stream has found of each kind. */
export function sequenceFinding(
  all: readonly Pick<ChannelNotes, "follows" | "breaks">[],
  { numbering }: Pick<StreamCounts, "numbering">,
): Finding {
  const blind = Object.entries(numbering).filter(([, { previous }]) => previous !== "frame");
  if (blind.length > 0) {
    const words = blind.map(([kind, { previous, frames }]) =>
      previous === "nothing"
        ? `${kind}: previous is always null (${frames} frames)`
        : `${kind}: previous counts the transactions of the service (${frames} frames)`,
    );
    return reading("sequence", "warn", `${words.join("; ")}: missed frames cannot be seen by it`);
  }
  const follows = sum(all, (notes) => notes.follows);
  const breaks = sum(all, (notes) => notes.breaks);
  if (follows + breaks === 0) {
    return reading("sequence", "unknown", "no frame named the one before it");
  }
  const fact = `previous names the frame before on its channel in ${follows} of ${follows + breaks}`;
  return reading("sequence", breaks === 0 ? "ok" : "warn", fact);
}

function nullFinding(all: readonly ChannelNotes[]): Finding {
  const firsts = all.map(({ kind, firstPrevious }) => `${kind} ${firstPrevious}`).join(", ");
  const later = sum(all, (notes) => notes.nullPrevious);
  const unnumbered = sum(all, (notes) => notes.nullSequence);
  if (all.length === 0) return reading("null", "unknown", "no frame with sequences came");
  const fact = `previous of first frames: ${firsts}; null in ${later} later; sequence null in ${unnumbered}`;
  return reading("null", unnumbered === 0 ? "ok" : "warn", fact);
}

function bookFinding({ store, book, notes }: StreamExam): Finding {
  const { frames = 0 } = notes.channels.get(book) ?? {};
  const { reading: name, isDecided, judged, doubt } = store.slice("orderbook", book).data;
  if (frames < 2) return reading("book", "unknown", `${count(frames, "frame")}: too few to tell`);
  if (doubt !== undefined) return reading("book", "warn", `${BOOKS[name]}: in doubt, ${doubt}`);
  if (!isDecided) return reading("book", "unknown", `assumed: ${BOOKS[name]}`);
  return reading("book", "ok", `${BOOKS[name]}: inferred, ${count(judged, "observation")}`);
}

/** How later lists of an account are read, as far as that is decided. Reading: docs/adr/0011. */
export function listsFinding({ lists }: Pick<AccountState, "lists">): Finding {
  const seen = ACCOUNT_LISTS.filter((name) => lists[name].hasCome);
  const decided = seen.filter((name) => lists[name].isDecided);
  const words = seen.map((name) => {
    const { isDecided, interpretation } = lists[name];
    return `${name} ${isDecided ? "inferred" : "assumed"}: ${LISTS[interpretation]}`;
  });
  if (seen.length === 0) return reading("lists", "unknown", "no list of the account came");
  return reading("lists", decided.length > 0 ? "ok" : "unknown", words.join("; "));
}

/** What a second subscription has shown of what was folded from the first. */
function auditFinding({ store, nowMs, auditRequests }: StreamExam): Finding {
  if (auditRequests === undefined)
    return reading("audit", "unknown", "switched off: audit = false");
  const channels = store.slices.filter(({ channel }) => store.audits.of(channel) !== NO_AUDITS);
  const fact = channels
    // A report is sent to others: it holds no address.
    .map(
      ({ channel, kind }) =>
        `${kind === "account" ? kind : channel} ${formatAudits(store.audits.of(channel), nowMs)}`,
    )
    .join("; ");
  if (channels.length === 0) return reading("audit", "unknown", "no second subscription was made");
  const results = channels.flatMap(({ channel }) => store.audits.of(channel).last ?? []);
  if (results.length < channels.length) return reading("audit", "unknown", fact);
  const isSame = results.every(({ differences }) => differences.length === 0);
  return reading("audit", isSame ? "ok" : "warn", fact);
}

function witnessFinding({ store, book, bbo, nowMs, notes }: StreamExam): Finding {
  const { confirmedAtMs, isUntrue, hasBook } = store.slice("orderbook", book).data;
  const hasSpoken = (notes.channels.get(bbo)?.frames ?? 0) > 0;
  if (!hasBook || !hasSpoken)
    return reading("witness", "unknown", "no book, or no best bid and offer");
  if (isUntrue) return reading("witness", "fail", "the best bid and offer disagree with the book");
  if (confirmedAtMs === undefined) {
    return reading("witness", "unknown", "the best bid and offer have not confirmed the book yet");
  }
  const age = ((nowMs - confirmedAtMs) / 1000).toFixed(1);
  return reading("witness", "ok", `the best bid and offer agreed with the book ${age} s ago`);
}
