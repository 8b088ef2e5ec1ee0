// Fills in the universal format that Koinly imports: what was sent, what was received, and the fee.
import { textCell } from "../export/format.ts";
import { selectStat } from "../select/market.ts";
import type { Aliases } from "../state/aliases.ts";
import { absoluteDecimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { type FillsOwner, ownFill } from "../wire/rest/own-fill.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { OpenRecord } from "../wire/update.ts";

export interface Assets {
  readonly base: string;
  readonly quote: string;
}

export const KOINLY_HEADER =
  "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash\r\n";

/**
 * The lines of a fill: the trade with its fee. A rebate has a line of its own, because fees have no sign there. For a fill with
 * the subaccount on both sides, only the fee remains.
 */
export function koinlyLines(
  fill: TradeRecord,
  owner: FillsOwner,
  { base, quote }: Assets,
): readonly string[] {
  const { side, role, fee_quote } = ownFill(fill, owner);
  if (side === "") return [];
  const fee = parseDecimal(fee_quote) ?? { mantissa: 0n, places: 0 };
  const feeText = formatDecimal(absoluteDecimal(fee));
  const isPaid = fee.mantissa > 0n;
  const lineOf = (amounts: Amounts, label: string, description: string) => {
    const { sent = NONE, received = NONE, paid = NONE } = amounts;
    const date = formatIsoMs(fill.timestamp_ms)
      .replace("T", " ")
      .replace(/\.[0-9]+Z$/, " UTC");
    const words = [label, description, fill.tx_hash].map(textCell);
    return `${[date, ...sent, ...received, ...paid, "", "", ...words].join(",")}\r\n`;
  };
  const market = `${fill.market_type}/${fill.market_id}`;
  const lines: string[] = [];
  if (side !== "both") {
    const [bases, quotes] = [
      [fill.quantity, textCell(base)],
      [fill.quote_notional, textCell(quote)],
    ] as const;
    const [sent, received] = side === "buy" ? [quotes, bases] : [bases, quotes];
    const paid = isPaid ? ([feeText, textCell(quote)] as const) : NONE;
    lines.push(lineOf({ sent, received, paid }, "", `${side} ${market} as ${role}`));
  } else if (isPaid) {
    lines.push(
      lineOf({ sent: [feeText, textCell(quote)] }, "cost", `fee of ${market} on both sides`),
    );
  }
  if (fee.mantissa < 0n) {
    lines.push(lineOf({ received: [feeText, textCell(quote)] }, "reward", `rebate of ${market}`));
  }
  return lines;
}

type Amount = readonly [amount: string, currency: string];
interface Amounts {
  readonly sent?: Amount;
  readonly received?: Amount;
  readonly paid?: Amount;
}
const NONE: Amount = ["", ""];

// Which assets a market exchanges: those given, else those that its record or its symbol names.

/** Second halves of symbols that name a kind of market, not an asset. */
const NO_ASSET = /^(?:perp|perpetual|swap|spot|fut|futures|[0-9]+)$/i;
const SYMBOL = /^([0-9A-Za-z]{1,15})[-/_:]([0-9A-Za-z]{1,15})$/;

/** Those that the record, else the symbol of a market names. */
export function assetsOf(record: OpenRecord, aliases: Aliases): Partial<Assets> {
  const [, first, second = ""] = SYMBOL.exec(selectStat(record, "symbol", aliases) ?? "") ?? [];
  const base = aliases.text(record, "baseAsset") ?? first;
  const quote = aliases.text(record, "quoteAsset") ?? (NO_ASSET.test(second) ? undefined : second);
  return { ...(base && { base }), ...(quote && { quote }) };
}

export function areKnown(assets: Partial<Assets>): assets is Assets {
  return assets.base !== undefined && assets.quote !== undefined;
}

/** @throws {UsageError} when one base asset is given for several markets */
export function checkOneMarket({ base }: Partial<Assets>, markets: readonly string[]): void {
  if (base === undefined || markets.length <= 1) return;
  throw new UsageError(
    `--base-asset names one asset, and the fills are of ${markets.join(", ")}`,
    "leave it out, so that the symbols of the service name them",
  );
}

/** @throws {UsageError} when one is unknown */
export function requireAssets(market: string, assets: Partial<Assets>): Assets {
  if (areKnown(assets)) return assets;
  throw new UsageError(
    `the symbol of ${market} does not name what is bought and what it is paid with`,
    "give --base-asset and --quote-asset",
  );
}
