// A statement as one JSON object and as plain text.

import type { Statement, StatementSums } from "../statement/fold.ts";
import { isDifferent, type Reconciliation } from "../statement/reconcile.ts";
import { type Decimal, divideHalfEven, formatDecimal } from "../units/decimal.ts";
import { visible } from "../units/visible.ts";
import { formatJson as jsonText } from "../wire/json.ts";
import type { FillsOwner } from "../wire/rest/own-fill.ts";
import { sheetText } from "./sheet-text.ts";

export interface PrintedStatement {
  readonly owner: FillsOwner;
  readonly isComplete: boolean;
  readonly proof: string;
  readonly statement: Statement;
  readonly books: Reconciliation;
  /** In what the markets are quoted: sums over several have a unit where it is one. */
  readonly currencies: readonly string[];
  /** As far as the stream names them. */
  symbolOf(market: string): string | undefined;
}

export function statementJson(printed: PrintedStatement): string {
  const { owner, isComplete, proof, statement, books } = printed;
  const symbolOf = (market: string) => printed.symbolOf(market) ?? null;
  return jsonText({
    owner: owner.owner,
    subaccount_id: owner.subaccountId,
    complete: isComplete,
    proof,
    days: statement.days.map(({ day, market, ...sums }) => ({
      day,
      market,
      symbol: symbolOf(market),
      ...sumsJson(sums),
    })),
    markets: Object.fromEntries(
      [...statement.markets].map(([market, sums]) => [
        market,
        { symbol: symbolOf(market), ...sumsJson(sums) },
      ]),
    ),
    totals: printed.currencies.length > 1 ? null : sumsJson(statement.totals),
    books: Object.fromEntries(
      Array.from(books, ([market, { fills, position, difference }]) => [
        market,
        sumsJson({ fills, position, difference }),
      ]),
    ),
  });
}

/** Field names as in JSON: `boughtQuote` is `bought_quote`. */
function sumsJson(sums: object): object {
  return Object.fromEntries(
    Object.entries(sums).map(([name, value]: [string, number | Decimal | undefined]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === "object" ? formatDecimal(value) : (value ?? null),
    ]),
  );
}

const HEADS = [
  ...["day", "market", "fills", "maker", "bought", "sold"],
  ...["volume quote", "fees quote", "realised quote"],
];

export function statementText(printed: PrintedStatement): string {
  const { statement, books } = printed;
  const { days, markets, totals, fills } = statement;
  const nameOf = (market: string) => visible(printed.symbolOf(market) ?? market);
  const rows = [
    ...days.map((sums) => [sums.day, nameOf(sums.market), ...sumCells(sums)]),
    ...[...markets].map(([market, sums]) => ["total", nameOf(market), ...sumCells(sums)]),
  ];
  const { volumeQuote, feesQuote, realisedQuote } = totals;
  if (markets.size > 1 && printed.currencies.length < 2) {
    const quotes = [volumeQuote, feesQuote, realisedQuote].map(formatDecimal);
    rows.push(["total", "all", `${fills}`, "", "", "", ...quotes]);
  }
  return [
    ...(days.length > 0 ? [sheetText({ name: "statement", columns: HEADS, rows })] : []),
    ...bookLines(books, nameOf),
    closingLine(printed),
  ].join("\n");
}

export function closingLine({ statement, isComplete, proof }: PrintedStatement): string {
  const { fills } = statement;
  return `${fills} ${fills === 1 ? "fill" : "fills"}, complete: ${isComplete ? "yes" : "no"} (${proof})`;
}

function sumCells(sums: StatementSums): string[] {
  const { fills, makerFills, bought, sold, volumeQuote, feesQuote, realisedQuote } = sums;
  const share = fills > 0 ? divideHalfEven(BigInt(makerFills) * 100n, BigInt(fills), 0) : undefined;
  return [
    `${fills}`,
    share === undefined ? "" : `${formatDecimal(share)}%`,
    ...[bought, sold, volumeQuote, feesQuote, realisedQuote].map(formatDecimal),
  ];
}

function bookLines(books: Reconciliation, nameOf: (market: string) => string): readonly string[] {
  return [...books].flatMap(([market, { fills, position, difference }]) => {
    if (position === undefined || difference === undefined) return [];
    const sums = `${nameOf(market)}: fills ${formatDecimal(fills)}, position ${formatDecimal(position)}`;
    const end = isDifferent(difference) ? `DIFFERENCE ${formatDecimal(difference)}` : "balanced";
    return [`${sums}, ${end}`];
  });
}
