// Interpretations of what the interface document leaves open, and their evidence, by channel kind.

import { ACCOUNT_LISTS, type AccountState } from "../state/account.ts";
import { type ChannelAudits, MAX_EXAMPLES } from "../state/audits.ts";
import type { OrderbookState } from "../state/orderbook.ts";
import type { RecordsInterpretation, RecordsState } from "../state/records.ts";
import type { Slice, SliceData } from "../state/slices.ts";
import { formatAge } from "../units/time.ts";
import type { ChannelKind } from "../wire/channels.ts";
import { formatBookInterpretation } from "./orderbook.ts";

/** The current interpretation and its evidence, as text; empty if there is none. */
export interface LinkInterpretation {
  readonly interpretation: string;
  readonly evidence: string;
}

const NONE: LinkInterpretation = { interpretation: "", evidence: "" };

/** By kind; kinds whose data has only one interpretation are missing. */
const INTERPRETATIONS: {
  readonly [K in ChannelKind]?: (data: SliceData[K], nowMs: number) => LinkInterpretation;
} = {
  orderbook: interpretBook,
  account: interpretAccount,
  trades: ({ holes }) => ({
    interpretation: "repeats by content, assumed",
    evidence: holes.length === 0 ? "" : `spans that may lack trades: ${holes.length}`,
  }),
  candles: interpretCandles,
  "mark-candles": interpretCandles,
  markets: interpretRecords,
  "market-stats": interpretRecords,
  "funding-rates": ({ key, rates }) =>
    interpretRecords({ key, records: rates, interpretation: "changes" }),
};

/** The interpretation of a channel's data, and its evidence. See docs/readings.md. */
export function selectLinkInterpretation(
  { kind, feed, data }: Slice,
  nowMs: number,
): LinkInterpretation {
  if (feed.frames === 0) return NONE;
  const read = INTERPRETATIONS[kind] as
    | ((data: Slice["data"], nowMs: number) => LinkInterpretation)
    | undefined;
  return read?.(data, nowMs) ?? NONE;
}

function interpretBook(data: OrderbookState, nowMs: number): LinkInterpretation {
  if (!data.hasBook) return NONE;
  const { confirmedAtMs } = data;
  const evidence =
    confirmedAtMs === undefined
      ? "bbo has not confirmed"
      : `bbo agreed ${formatAge(Math.max(0, nowMs - confirmedAtMs))} ago`;
  return { interpretation: formatBookInterpretation(data), evidence: data.suspect ?? evidence };
}

const LISTS = { rows: "changes", markets: "whole markets", whole: "whole lists" } as const;

/** One interpretation if it is the same for all lists; else that of each. */
function interpretAccount({ lists }: AccountState): LinkInterpretation {
  const received = ACCOUNT_LISTS.filter((name) => lists[name].isReceived);
  const texts = received.map((name) => {
    const { interpretation, isDecided } = lists[name];
    return `${LISTS[interpretation]}, ${isDecided ? "inferred" : "assumed"}`;
  });
  const [first = ""] = texts;
  const isCommon = texts.every((each) => each === first);
  const judged = received.flatMap((name) => {
    const { observations } = lists[name];
    return observations === 0 ? [] : [`${name} ${observations}`];
  });
  return {
    interpretation: isCommon ? first : received.map((name, i) => `${name}: ${texts[i]}`).join("; "),
    evidence: judged.length === 0 ? "no frame has shown it" : `frames judged: ${judged.join(", ")}`,
  };
}

function interpretCandles({ unfinished }: SliceData["candles"] | SliceData["mark-candles"]) {
  return {
    interpretation: "latest wins, assumed",
    evidence: unfinished.size === 0 ? "" : `may lack their ends: ${unfinished.size}`,
  };
}

/** Records are distinguished by fields found in them, since none are documented. */
function interpretRecords({
  key,
  records,
  interpretation,
}: Pick<RecordsState, "key" | "records" | "interpretation">): LinkInterpretation {
  if (records.length === 0) return NONE;
  return key === ""
    ? { interpretation: "newest frame is all, assumed", evidence: "no field distinguishes records" }
    : { interpretation: RECORDS[interpretation], evidence: `by ${key}` };
}

/** The first is assumed; audits can decide for another. */
const RECORDS: Readonly<Record<RecordsInterpretation, string>> = {
  changes: "changes by key, assumed",
  fields: "changed fields by key, inferred",
  whole: "whole lists, inferred",
};

/** `12 s ago: 40 rows, none differ`, and what audits have changed; empty before the first one. */
export function formatAudits(audits: ChannelAudits, nowMs: number): string {
  const { last, changed, changes, failure } = audits;
  const words: string[] = [];
  if (last !== undefined) {
    const age = formatAge(Math.max(0, nowMs - last.atMs));
    const [first] = last.differences;
    const differing =
      first === undefined
        ? "none differ"
        : `${count(last.differences.length)} differ, first: ${first.part} ${first.row} ${first.how}`;
    words.push(`${age} ago: ${last.compared} rows, ${differing}`);
  }
  if (changed !== undefined)
    words.push(`changed ${changes === 1 ? "once" : `${changes} times`}: ${changed}`);
  if (failure !== undefined) words.push(`not compared: ${failure}`);
  return words.join("; ");
}

function count(differences: number): string {
  return differences < MAX_EXAMPLES ? `${differences}` : `${MAX_EXAMPLES} or more`;
}
