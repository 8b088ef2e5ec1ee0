// The three REST listings (4.2 to 4.4): where they are, what they list, and which rows cannot be theirs.
import type { MarketType } from "../wire/channels.ts";
import type { FieldList } from "../wire/rest/fields.ts";
import { LIQUIDATION_FIELDS, type LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { FillsOwner } from "../wire/rest/own-fill.ts";
import { TRADE_FIELDS, type TradeRecord } from "../wire/rest/trades.ts";

export interface Listing<T> {
  readonly kind: "trades" | "liquidations" | "fills";
  /** `trades perp/1`, `liquidations 1`, `fills 0x… 3`. */
  readonly name: string;
  /** Below the root of the service. */
  readonly path: string;
  /** Without `limit` and `before`. */
  readonly query: Readonly<Record<string, string>>;
  readonly fields: FieldList;
  /** Fields that may be what `before` is compared with, the likeliest first. */
  readonly cursorFields: readonly string[];
  /** Why a row cannot be of this listing; undefined if it can. Cells of a file do as well as a record. */
  foreign(row: Readonly<Record<string, unknown>>): string | undefined;
  /** Whether a row names what is listed: a liquidation need only touch the market. */
  isNamedBy(row: T): boolean;
  readonly owner?: FillsOwner;
}

interface Market {
  readonly type: MarketType;
  readonly id: string;
}

const OTHER_TYPE = { perp: "spot", spot: "perp" } as const;
const tradeFields = { fields: TRADE_FIELDS, cursorFields: ["trade_id", "timestamp_ms"] };

/** What `before` of the listings counts at a service. */
export interface LearnedCursors {
  /** By the config, or learned in an earlier run; undefined: the likeliest field is tried first. */
  of(kind: Listing<never>["kind"]): string | undefined;
  learn(kind: Listing<never>["kind"], cursor: string): void;
}

/** GET /markets/{market_id}/trades (4.2). @param market with an int32 id */
export function tradesListing({ type, id }: Market): Listing<TradeRecord> {
  return {
    ...tradeFields,
    kind: "trades",
    name: `trades ${type}/${id}`,
    path: `/markets/${id}/trades`,
    query: { market_type: type },
    // How records spell their market type is not documented: only the other word is known to be wrong.
    foreign: ({ market_type, market_id }) =>
      String(market_id) === id && !String(market_type).toLowerCase().startsWith(OTHER_TYPE[type])
        ? undefined
        : `asked for market ${type}/${id}, got ${market_type}/${market_id}`,
    isNamedBy: () => true,
  };
}

/** GET /markets/{market_id}/liquidations (4.3). @param marketId int32 */
export function liquidationsListing(marketId: string): Listing<LiquidationRecord> {
  return {
    kind: "liquidations",
    name: `liquidations ${marketId}`,
    path: `/markets/${marketId}/liquidations`,
    query: {},
    fields: LIQUIDATION_FIELDS,
    cursorFields: ["liquidation_id", "timestamp_ms"],
    foreign: () => undefined,
    isNamedBy: ({ positions }) =>
      positions.length === 0 || positions.some(({ market_id }) => String(market_id) === marketId),
  };
}

/** GET /accounts/{address}/subaccounts/{subaccount_id}/trades (4.4). @param owner 0x and 40 hex digits */
export function fillsListing(owner: string, subaccountId: number): Listing<TradeRecord> {
  const mayBeOwn = (address: unknown, id: unknown) => {
    if (String(id) !== `${subaccountId}`) return false;
    const text = String(address);
    // An address in another form than an owner's may be anybody's.
    return text.toLowerCase() === owner.toLowerCase() || !isOwner(text);
  };
  return {
    ...tradeFields,
    kind: "fills",
    name: `fills ${owner} ${subaccountId}`,
    path: `/accounts/${owner}/subaccounts/${subaccountId}/trades`,
    query: {},
    owner: { owner, subaccountId },
    foreign(row) {
      const { maker_address: maker, maker_subaccount_id: makerId } = row;
      const { taker_address: taker, taker_subaccount_id: takerId } = row;
      return mayBeOwn(maker, makerId) || mayBeOwn(taker, takerId)
        ? undefined
        : `asked for fills of ${owner}/${subaccountId}, got a trade of ${maker}/${makerId} and ${taker}/${takerId}`;
    },
    isNamedBy: () => true,
  };
}

export function isOwner(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}
