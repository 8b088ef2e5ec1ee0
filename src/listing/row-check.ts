// Are the rows of an answer those that were asked for? A service may answer for another market, another market type or
// another subaccount: such rows must never be shown or written as what was asked for.
import type { MarketType } from "../wire/channels.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { TradeText } from "../wire/rest/trades-text.ts";

/** What the rows of a listing must be of. */
export type Asked =
  | { readonly kind: "market"; readonly type: MarketType; readonly id: string }
  | { readonly kind: "liquidations"; readonly id: string }
  | { readonly kind: "subaccount"; readonly owner: string; readonly id: number };

/** Where a row is of something else, and how: `[3].market_id`, `7, asked for 1`. */
export interface ForeignRow {
  readonly path: string;
  readonly detail: string;
}

/** An address whose form can be compared with an owner's (4.4): 20 bytes of hex. */
const COMPARABLE = /^(?:0x)?[0-9a-f]{40}$/;

/** Looks at all rows of one listing, page after page. */
export class RowCheck {
  readonly #asked: Asked | undefined;
  /** The word for the market's type, as the first row has it: the document does not show the allowed ones (2.4). */
  #type: string | undefined;

  /** @param asked undefined where a row may be of anything */
  constructor(asked: Asked | undefined) {
    this.#asked = asked;
  }

  /** @returns the first row that is none of those asked for */
  find(records: readonly unknown[]): ForeignRow | undefined {
    const asked = this.#asked;
    if (asked === undefined) return undefined;
    if (asked.kind === "liquidations") {
      return untouched(records as readonly LiquidationRecord[], asked.id);
    }
    const trades = records as readonly TradeRecord[];
    const [first] = trades;
    // The scan of the text has seen that all others have the same market.
    const isSeen = asked.kind === "market" && first instanceof TradeText && first.isMarketShared;
    const most = isSeen ? 1 : trades.length;
    for (let i = 0; i < most; i++) {
      const trade = trades[i] as TradeRecord;
      const found =
        asked.kind === "market" ? this.#otherMarket(trade, asked) : otherSubaccount(trade, asked);
      if (found !== undefined) return { path: `[${i}].${found[0]}`, detail: found[1] };
    }
    return undefined;
  }

  #otherMarket(
    { market_id, market_type }: TradeRecord,
    { type, id }: Extract<Asked, { kind: "market" }>,
  ): readonly [field: string, detail: string] | undefined {
    if (String(market_id) !== id) return ["market_id", `${market_id}, asked for ${id}`];
    const word = market_type.toLowerCase();
    const isOther = type === "perp" ? word.startsWith("spot") : word.startsWith("perp");
    const shown = JSON.stringify(market_type);
    if (isOther) return ["market_type", `${shown}, asked for ${type}`];
    this.#type ??= word;
    return word === this.#type
      ? undefined
      : ["market_type", `${shown}, other rows have ${JSON.stringify(this.#type)}`];
  }
}

/** An event without positions says nothing of markets; of one with some, one at least must be in the market. */
function untouched(events: readonly LiquidationRecord[], id: string): ForeignRow | undefined {
  const i = events.findIndex(
    ({ positions }) =>
      positions.length > 0 && positions.every(({ market_id }) => String(market_id) !== id),
  );
  const ids = events[i]?.positions.map(({ market_id }) => market_id).join(", ");
  return i < 0
    ? undefined
    : { path: `[${i}].positions`, detail: `of market ${ids}, asked for ${id}` };
}

function otherSubaccount(
  trade: TradeRecord,
  { owner, id }: Extract<Asked, { kind: "subaccount" }>,
): readonly [field: string, detail: string] | undefined {
  const { maker_address, maker_subaccount_id, taker_address, taker_subaccount_id } = trade;
  const wanted = hexOf(owner);
  // An address in another form cannot be compared: it may be the owner's.
  const isOwn = (address: string, subaccount: number) => {
    const hex = hexOf(address);
    return subaccount === id && (hex === wanted || !COMPARABLE.test(hex));
  };
  if (isOwn(maker_address, maker_subaccount_id) || isOwn(taker_address, taker_subaccount_id)) {
    return undefined;
  }
  const sides = `${maker_address}/${maker_subaccount_id} and ${taker_address}/${taker_subaccount_id}`;
  return ["maker_address", `a trade of ${sides}, asked for ${owner}/${id}`];
}

function hexOf(address: string): string {
  return address.toLowerCase().replace(/^0x/, "");
}
