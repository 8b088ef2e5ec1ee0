// What the mask hides from onlookers: addresses, sizes, balances, profit, and any number or name of an account that is not
// known to be harmless.
import type { Aliases, Meaning } from "../state/aliases.ts";
import type { Cell } from "./fields.ts";

/** Replaces hidden text of any length. */
export const MASK = "•••";

/** May be shown: names of markets, public values, and words of state. */
const HARMLESS: readonly Meaning[] = [
  "market",
  "marketType",
  "subaccountId",
  "symbol",
  "asset",
  "side",
  "status",
  "orderType",
  "role",
  "leverage",
  "price",
  "priceTicks",
  "markPrice",
  "indexPrice",
  "lastPrice",
  "fundingRate",
  "fundingInterval",
];

/** Fields that contain a name: it may be that of a market, or of a person. */
const NAME = /(?:^|\.)name$|(?:^|[._])(?:label|nickname|memo)$/i;

export function maskCell(cell: Cell, column: string, aliases: Aliases): Cell {
  if (cell.kind === "missing" || cell.kind === "time") return cell;
  const isWord = cell.kind === "text" && !/[0-9[{]/.test(cell.text);
  const isHarmless = HARMLESS.some((meaning) => aliases.isNamed(column, meaning));
  const isPrivate = cell.kind === "address" || NAME.test(column);
  const isShown = !isPrivate && (isHarmless || isWord);
  return isShown ? cell : { text: MASK, kind: cell.kind };
}

/** The address in a channel name, and anything in the form of an address, an owner or a hash. */
const IN_CHANNEL = /\b(accounts?\/)[^/\s]+/g;
const OF_ADDRESS_FORM =
  /\b(?:[1-9A-HJ-NP-Za-km-z]{32,44}|0x[0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?)\b/g;

/** Text about the session without addresses: none in channel names, nor the watched one. */
export function maskText(text: string, watched: string | undefined): string {
  const hidden = text.replace(IN_CHANNEL, `$1${MASK}`).replace(OF_ADDRESS_FORM, MASK);
  return watched === undefined ? hidden : hidden.replaceAll(watched, MASK);
}
