// A statement as one JSON object and as plain text.

import type { FillsOwner } from "../select/listing-rows.ts";
import { type Books, bookJson, isDifferent } from "../statement/difference.ts";
import type { FillsRead } from "../statement/fills.ts";
import type { Statement, StatementDay, StatementFold, StatementSums } from "../statement/fold.ts";
import { formatFunding, fundingJson, type SeenFunding } from "../statement/funding.ts";
import { visible } from "../terminal/visible.ts";
import { divideInteger, formatDecimal } from "../units/decimal.ts";
import { jsonText } from "./json-text.ts";
import { textTable } from "./text-table.ts";

export interface PrintedStatement {
  readonly owner: FillsOwner;
  readonly isComplete: boolean;
  /** The proof of the fills, worded for programs and for people. */
  readonly proof: string;
  readonly evidence: string;
  readonly statement: Statement;
  readonly books: Books;
  /** Further remarks, one line each. */
  readonly remarks: readonly string[];
  /** Undefined if the stream was not used. */
  readonly funding: SeenFunding | undefined;
}

export function statementJson(printed: PrintedStatement): string {
  const { owner, isComplete, proof, statement, books, funding } = printed;
  return jsonText({
    owner: owner.owner,
    subaccount_id: owner.subaccountId,
    complete: isComplete,
    proof,
    days: statement.days.map(sumsJson),
    totals: sumsJson(statement.totals),
    books: Object.fromEntries([...books].map(([market, book]) => [market, bookJson(book)])),
    ...(funding && { funding: fundingJson(funding) }),
  });
}

/** Field names as in JSON: `boughtQuote` is `bought_quote`. */
function sumsJson(sums: StatementSums): object {
  const fields = Object.entries<StatementDay[keyof StatementDay]>({ ...sums });
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === "object" ? formatDecimal(value) : value,
    ]),
  );
}

const HEADS = [
  "day",
  "market",
  "fills",
  "maker",
  "bought",
  "sold",
  "volume quote",
  "fees quote",
  "realised quote",
];

export function statementText(printed: PrintedStatement): string {
  const { statement, books, remarks, funding } = printed;
  const { days, totals } = statement;
  const rows = [HEADS, ...days.map(dayCells)];
  if (days.length > 0) rows.push(["total", "", ...sumCells(totals)]);
  return [
    ...(days.length > 0 ? textTable(rows, (column) => column > 1) : []),
    ...bookLines(books),
    ...(funding === undefined ? [] : [formatFunding(funding)]),
    ...remarks,
    closingLine(printed),
  ].join("\n");
}

export function closingLine({ statement, isComplete, evidence }: PrintedStatement): string {
  const { fills } = statement.totals;
  return `${fills} ${fills === 1 ? "fill" : "fills"}, complete: ${isComplete ? "yes" : "no"} (${evidence})`;
}

function dayCells(day: StatementDay): string[] {
  const { bought, sold } = day;
  const cells = sumCells(day);
  // Base currencies of several markets have no meaningful sum.
  cells.splice(2, 2, formatDecimal(bought), formatDecimal(sold));
  return [day.day, day.market, ...cells];
}

function sumCells(sums: StatementSums): string[] {
  const { fills, makerFills, volumeQuote, feesQuote, realisedQuote } = sums;
  const share = divideInteger(BigInt(makerFills) * 100n, BigInt(fills), 0);
  return [
    `${fills}`,
    share === undefined ? "" : `${formatDecimal(share)}%`,
    "",
    "",
    formatDecimal(volumeQuote),
    formatDecimal(feesQuote),
    formatDecimal(realisedQuote),
  ];
}

function bookLines(books: Books): readonly string[] {
  return [...books].flatMap(([market, book]) => {
    const { fills, position, difference, couldExplain = [] } = book;
    if (position === undefined || difference === undefined) return [];
    const sums = `${visible(market)}: fills ${formatDecimal(fills)}, position ${formatDecimal(position)}`;
    if (!isDifferent(book)) return [`${sums}, balanced`];
    return [
      `${sums}, DIFFERENCE ${formatDecimal(difference)}`,
      ...couldExplain.map((text) => `  ${visible(text)}`),
    ];
  });
}

/** What a statement assumes, for its closing line. */
export function assumptions(
  { isComplete }: FillsRead,
  { fills, unassigned, unordered }: StatementFold,
): string[] {
  const [ordered, assigned] = [counted(unordered, "fill"), counted(unassigned, "fill")];
  return [
    unordered > 0 &&
      `${ordered} of transactions that bought and sold: their order is assumed as listed`,
    isComplete && fills > 0 && "an opening position of 0 is assumed",
    unassigned > 0 &&
      `${assigned} in no sum: their addresses do not show which side was the owner's`,
  ].filter((each) => each !== false);
}

export function remarksOf({ otherValues }: StatementFold): string[] {
  if (otherValues === 0) return [];
  return [
    `${counted(otherValues, "fill")} with a value that is not price × quantity: sums are of the value as listed`,
  ];
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
