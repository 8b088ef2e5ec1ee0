// Fills in the universal format that Koinly imports. Fills of a spot market are exchanges of two assets; of a derivative nobody ever
// holds the base asset, so that only what a fill realised and its fee are told, in quote currency.

import { read } from "../dialect/fields.ts";
import type { Names } from "../dialect/names.ts";
import { textCell } from "../export/format.ts";
import {
  absoluteDecimal,
  type Decimal,
  formatDecimal,
  negateDecimal,
  parseDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { type FillsOwner, ownFill } from "../wire/rest/own-fill.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { fillMarket, roundRealised, StatementFold, ZERO } from "./fold.ts";

/** `base` is needed where it is exchanged. */
export interface Assets {
  readonly base: string | undefined;
  readonly quote: string;
}

const HEADER =
  "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash\r\n";

export interface Exchanged {
  /** Oldest first. */
  pages(): AsyncIterable<readonly TradeRecord[]>;
  readonly owner: FillsOwner;
  readonly assets: ReadonlyMap<string, Assets>;
  dayOf(ms: number): string;
  /** Days that are wanted. */
  isWithin(day: string): boolean;
}

/** The fills as CSV, with its header. */
export async function koinlyText(exchanged: Exchanged): Promise<string> {
  const { pages, owner, assets, dayOf, isWithin } = exchanged;
  const fold = new StatementFold(owner, dayOf);
  const lines: string[] = [HEADER];
  for await (const fills of pages()) {
    for (const fill of fills) {
      const realised = fold.add(fill);
      const own = assets.get(fillMarket(fill));
      if (own !== undefined && isWithin(dayOf(fill.timestamp_ms)))
        lines.push(...linesOf(fill, owner, own, realised));
    }
  }
  return lines.join("");
}

type Amount = readonly [amount: string, currency: string];
interface Amounts {
  readonly sent?: Amount;
  readonly received?: Amount;
  readonly paid?: Amount;
}
const NONE: Amount = ["", ""];

/** Fees have no sign there: a rebate has a line of its own. */
const REBATE = "fee refund";

function isDerivative(market: string): boolean {
  return !market.startsWith("spot/");
}

/**
 * The lines of a fill. Koinly takes lines for one if time, amounts and transaction are equal, whatever their label and description:
 * so each has its full time, and its trade in the transaction.
 * @param realised in quote currency, without the fee
 */
function linesOf(
  fill: TradeRecord,
  owner: FillsOwner,
  assets: Assets,
  realised: Decimal,
): readonly string[] {
  const { side, role, fee_quote } = ownFill(fill, owner);
  const market = fillMarket(fill);
  const fee = parseDecimal(fee_quote) ?? ZERO;
  const feeOf = (label: string, what: string) =>
    fee.mantissa < 0n
      ? moved(fill, assets, negateDecimal(fee), REBATE, `rebate of ${market}`, "fee")
      : moved(fill, assets, negateDecimal(fee), label, `${what} ${market}`, "fee");
  if (side === "") return [];
  if (isDerivative(market)) {
    const words = `${side} as ${role} of ${market}`;
    const gain = moved(fill, assets, roundRealised(realised), "realized gain", words);
    return [...gain, ...feeOf("margin fee", "fee of")];
  }
  if (side === "both") return feeOf("cost", "fee on both sides of");
  const bases: Amount = [fill.quantity, textCell(assets.base ?? "")];
  const quotes: Amount = [fill.quote_notional, textCell(assets.quote)];
  const paid = fee.mantissa > 0n ? { paid: inQuote(fee, assets) } : {};
  const amounts =
    side === "buy" ? { sent: quotes, received: bases } : { sent: bases, received: quotes };
  const exchange = line(fill, { ...amounts, ...paid }, "", `${side} ${market} as ${role}`);
  return [exchange, ...(fee.mantissa < 0n ? feeOf("", "") : [])];
}

function inQuote(amount: Decimal, { quote }: Assets): Amount {
  return [formatDecimal(trimDecimal(absoluteDecimal(amount))), textCell(quote)];
}

/** An amount in quote currency: received if it is more than nothing, sent if less. */
function moved(
  fill: TradeRecord,
  assets: Assets,
  amount: Decimal,
  label: string,
  description: string,
  part = "",
): readonly string[] {
  if (amount.mantissa === 0n) return [];
  const direction = amount.mantissa > 0n ? "received" : "sent";
  return [line(fill, { [direction]: inQuote(amount, assets) }, label, description, part)];
}

function line(
  { timestamp_ms, trade_id, tx_hash }: TradeRecord,
  { sent = NONE, received = NONE, paid = NONE }: Amounts,
  label: string,
  description: string,
  part = "",
): string {
  const date = formatIsoMs(timestamp_ms).replace("T", " ").replace("Z", " UTC");
  const transaction = [tx_hash, trade_id, part].filter(Boolean).join("-");
  const words = [label, `${description} (trade ${trade_id})`, transaction].map(textCell);
  return `${[date, ...sent, ...received, ...paid, "", "", ...words].join(",")}\r\n`;
}

// Which assets a market exchanges: those given, else those that its record or its symbol names.

/** Second halves of symbols that name a kind of market or a date, not an asset. */
const NO_ASSET = /^(?:perp|perpetual|swap|spot|fut|futures|[0-9]+|[0-9]{1,2}[a-z]{3}[0-9]{2,4})$/i;
const SYMBOL = /^([0-9A-Za-z]{1,15})[-/_:]([0-9A-Za-z]{1,15})$/;

/** Those that the record, else the symbol of a market names. */
export function assetsOf(record: OpenRecord, names: Names): Partial<Assets> {
  const [, first, second = ""] = SYMBOL.exec(read(record, "symbol", names) ?? "") ?? [];
  const base = read(record, "baseAsset", names) ?? first;
  const quote = read(record, "quoteAsset", names) ?? (NO_ASSET.test(second) ? undefined : second);
  return { ...(base && { base }), ...(quote && { quote }) };
}

/**
 * By market: those given, else those that the service names.
 * @throws {UsageError} when one that is needed is unknown, or one base asset is given for several markets
 */
export function assetsByMarket(
  markets: readonly string[],
  listed: ReadonlyMap<string, { readonly record: OpenRecord; readonly names: Names }>,
  given: Partial<Assets>,
): ReadonlyMap<string, Assets> {
  checkOneMarket(given, markets);
  return new Map(
    markets.map((market) => {
      const found = listed.get(market);
      const known = found === undefined ? {} : assetsOf(found.record, found.names);
      return [market, requireAssets(market, { ...known, ...given })];
    }),
  );
}

/** @throws {UsageError} when one base asset is given for several markets */
function checkOneMarket({ base }: Partial<Assets>, markets: readonly string[]): void {
  const spot = markets.filter((market) => !isDerivative(market));
  if (base === undefined || spot.length <= 1) return;
  throw new UsageError(
    `--base-asset names one asset, and the fills are of ${spot.join(", ")}`,
    "leave it out, so that the symbols of the service name them",
  );
}

/** @throws {UsageError} when one that is needed is unknown */
function requireAssets(market: string, { base, quote }: Partial<Assets>): Assets {
  if (quote !== undefined && (base !== undefined || isDerivative(market))) return { base, quote };
  throw new UsageError(
    isDerivative(market)
      ? `nothing names the currency of ${market}`
      : `the symbol of ${market} does not name what is bought and what it is paid with`,
    isDerivative(market) ? "give --quote-asset" : "give --base-asset and --quote-asset",
  );
}
