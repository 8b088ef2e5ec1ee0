// A statement as one JSON object and as plain text.

import type { FillsOwner } from "../select/listing-rows.ts";
import { type Books, bookJson, isDifferent } from "../statement/difference.ts";
import type { Statement, StatementDay, StatementSums } from "../statement/fold.ts";
import { fundingJson, fundingWords, type SeenFunding } from "../statement/funding.ts";
import { visible } from "../terminal/visible.ts";
import { divideInteger, formatDecimal } from "../units/decimal.ts";
import { jsonText } from "./json-text.ts";
import { textTable } from "./text-table.ts";

export interface PrintedStatement {
  readonly owner: FillsOwner;
  readonly isComplete: boolean;
  readonly proof: string;
  readonly statement: Statement;
  readonly books: Books;
  /** What else is to be said, a line each. */
  readonly remarks: readonly string[];
  /** Undefined where the stream was not asked. */
  readonly funding: SeenFunding | undefined;
}

export function statementJson(printed: PrintedStatement): string {
  const { owner, isComplete, proof, statement, books, funding } = printed;
  return jsonText({
    owner: owner.owner,
    subaccount_id: owner.subaccountId,
    complete: isComplete,
    proof,
    days: statement.days.map((day) => ({ day: day.day, market: day.market, ...sumsJson(day) })),
    totals: sumsJson(statement.totals),
    books: Object.fromEntries([...books].map(([market, book]) => [market, bookJson(book)])),
    ...(funding && { funding: fundingJson(funding) }),
  });
}

function sumsJson(sums: StatementSums) {
  return {
    fills: sums.fills,
    maker_fills: sums.makerFills,
    bought: formatDecimal(sums.bought),
    sold: formatDecimal(sums.sold),
    bought_quote: formatDecimal(sums.boughtQuote),
    sold_quote: formatDecimal(sums.soldQuote),
    volume_quote: formatDecimal(sums.volumeQuote),
    fees_quote: formatDecimal(sums.feesQuote),
    maker_fees_quote: formatDecimal(sums.makerFeesQuote),
    taker_fees_quote: formatDecimal(sums.takerFeesQuote),
    realised_quote: formatDecimal(sums.realisedQuote),
  };
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
    ...(funding === undefined ? [] : [fundingWords(funding)]),
    ...remarks,
    closingLine(printed),
  ].join("\n");
}

export function closingLine({ statement, isComplete, proof }: PrintedStatement): string {
  const { fills } = statement.totals;
  return `${fills} ${fills === 1 ? "fill" : "fills"}, complete: ${isComplete ? "yes" : "no"} (${proof})`;
}

function dayCells(day: StatementDay): string[] {
  const { bought, sold } = day;
  const cells = sumCells(day);
  // Base currencies of several markets have no sum that means something.
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
      ...couldExplain.map((words) => `  ${visible(words)}`),
    ];
  });
}
