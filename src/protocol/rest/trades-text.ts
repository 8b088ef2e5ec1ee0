// A page of trades read from its text, where it has exactly the form of the document: compact JSON with the 17
// fields in the order of section 2.4. Costs a third of JSON.parse and a check. Anything else is left to those.
import { MAX_PAGE_LIMIT } from "../limits.ts";
import { MAX_DECIMAL_LENGTH } from "../shape.ts";
import { objectForm, TEXT_FORMS } from "../text-forms.ts";
import type { TradeRecord } from "./trades.ts";

/** Longer bodies than any page of the interface are not worth a hurry. */
const MAX_QUICK_LENGTH = 1024 * 1024;

const FIELDS = [
  ["trade_id", "unsigned"],
  ["tx_hash", "text"],
  ["market_type", "text"],
  ["market_id", "integer"],
  ["price", "unsigned"],
  ["quantity", "unsigned"],
  ["quote_notional", "unsigned"],
  ["taker_is_bid", "flag"],
  ["maker_address", "text"],
  ["maker_subaccount_id", "integer"],
  ["taker_address", "text"],
  ["taker_subaccount_id", "integer"],
  ["maker_fee_quote", "signed"],
  ["taker_fee_quote", "signed"],
  ["maker_client_order_id", "unsigned"],
  ["taker_client_order_id", "unsigned"],
  ["timestamp_ms", "integer"],
] as const satisfies readonly (readonly [keyof TradeRecord, keyof typeof TEXT_FORMS])[];

const RECORD = objectForm(FIELDS.map(([name, form]) => [name, TEXT_FORMS[form]]));

/** A record, then what follows it: a comma that another record follows, or the end of the page. */
const ROW = new RegExp(`${RECORD}(?:,(?=\\{)|\\]$)`, "y");

type Place = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17;
/** What `ROW` captures: the values in the order of `FIELDS`, from place 1. */
type Captured = Readonly<Record<Place, string>>;

/**
 * The records of a page, just as parsing and checking would give them. Their texts are parts of the body, which
 * stays in memory with them: for readers that soon let go of what they read.
 * @returns undefined when the text is anything but such a page, be it good or bad. Never throws.
 */
export function readTradesText(body: string): readonly TradeRecord[] | undefined {
  if (body.length > MAX_QUICK_LENGTH || !body.startsWith("[{")) return undefined;
  const records: TradeRecord[] = [];
  for (let at = 1; at < body.length; at = ROW.lastIndex) {
    ROW.lastIndex = at;
    const found = ROW.exec(body) as Captured | null;
    if (found === null || records.length === MAX_PAGE_LIMIT) return undefined;
    const record = recordOf(found);
    if (hasLongDecimal(record)) return undefined;
    records.push(record);
  }
  return records;
}

/** By places: names, or a loop over them, would cost more than the rest. */
function recordOf(found: Captured): TradeRecord {
  return {
    trade_id: found[1],
    tx_hash: found[2],
    market_type: found[3],
    market_id: Number(found[4]),
    price: found[5],
    quantity: found[6],
    quote_notional: found[7],
    taker_is_bid: found[8] === "true",
    maker_address: found[9],
    maker_subaccount_id: Number(found[10]),
    taker_address: found[11],
    taker_subaccount_id: Number(found[12]),
    maker_fee_quote: found[13],
    taker_fee_quote: found[14],
    maker_client_order_id: found[15],
    taker_client_order_id: found[16],
    timestamp_ms: Number(found[17]),
  };
}

/** A counted pattern would be slower. */
function hasLongDecimal(record: TradeRecord): boolean {
  return (
    record.trade_id.length > MAX_DECIMAL_LENGTH ||
    record.price.length > MAX_DECIMAL_LENGTH ||
    record.quantity.length > MAX_DECIMAL_LENGTH ||
    record.quote_notional.length > MAX_DECIMAL_LENGTH ||
    record.maker_fee_quote.length > MAX_DECIMAL_LENGTH ||
    record.taker_fee_quote.length > MAX_DECIMAL_LENGTH ||
    record.maker_client_order_id.length > MAX_DECIMAL_LENGTH ||
    record.taker_client_order_id.length > MAX_DECIMAL_LENGTH
  );
}
