// Layout of the panes of a subaccount, for any size. A pane is shown whole or not at all.
import type { Aliases, Meaning } from "../../../state/aliases.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { focusAmong } from "../../panes/frame.tsx";

const MAIN = ["positions", "orders", "fills", "funding_payments", "balances"] as const;
/** Panes of the address rather than of one of its subaccounts. */
const CATALOGUE = ["subaccounts", "delegations"] as const;
export const ACCOUNT_PANES = [...MAIN, "leverages", ...CATALOGUE, "summary"] as const;
export type AccountPane = (typeof ACCOUNT_PANES)[number];

export type AccountLayoutView = "all" | AccountPane;

interface AccountRow {
  readonly height: number;
  readonly panes: readonly { readonly pane: AccountPane; readonly width: number }[];
}

export interface AccountLayout {
  readonly headerRows: number;
  readonly rows: readonly AccountRow[];
  /** Panes in focus order, including those shown only while focused. */
  readonly order: readonly AccountPane[];
}

interface Wanted {
  readonly view: AccountLayoutView;
  readonly focus: AccountPane;
  /** The pane that shows all fields of a row: over the whole view. */
  readonly record: AccountPane | undefined;
  /** False while a subaccount has yet to be chosen. */
  readonly isChosen: boolean;
  readonly rows: Readonly<Record<AccountPane, number>>;
}

const SMALL_HEIGHT = 18;
const TALL = 30;
const TALLER = 44;
const WIDE = 110;
/** Share of the left one of two panes, whose rows have more columns. */
const LEFT_SHARE = 0.62;
type Groups = readonly (readonly AccountPane[])[];

export function layOutAccount(width: number, height: number, input: Wanted): AccountLayout {
  const { record } = input;
  const headerRows = record !== undefined ? 0 : height >= SMALL_HEIGHT ? 2 : height >= 3 ? 1 : 0;
  const room = Math.max(0, height - headerRows);
  if (room === 0 || width <= 0) return { headerRows, rows: [], order: [] };
  if (record !== undefined)
    return { headerRows, rows: [row(width, room, [record])], order: [record] };
  return { headerRows, ...place(width, room, input) };
}

function place(width: number, height: number, { view, focus, isChosen, rows: content }: Wanted) {
  const panes: readonly AccountPane[] = isChosen ? MAIN : CATALOGUE;
  if (view !== "all") return { rows: [row(width, height, [view])], order: [view] };
  if (height < SMALL_HEIGHT - 2) {
    return { rows: [row(width, height, [focusAmong(panes, focus)])], order: panes };
  }
  const groups = isChosen ? groupPanes(width, height) : CATALOGUE.map((pane) => [pane]);
  const heights = shareHeights(height, groups, content);
  const rows = groups.map((group, i) => row(width, heights[i] ?? 0, group));
  return { rows, order: groups.flat() };
}

function groupPanes(width: number, height: number): Groups {
  if (height < TALL) return [["positions"], ["orders"]];
  if (width < WIDE) return [["positions"], ["orders"], ["fills"]];
  const groups: Groups = [["positions"], ["orders"], ["fills", "balances"]];
  return height < TALLER ? groups : [...groups, ["funding_payments"]];
}

/** Of the panes above the last one: the maximum share of the height, and whether the height follows every single row. */
const SHARES: Readonly<Partial<Record<AccountPane, readonly [most: number, isExact: boolean]>>> = {
  positions: [0.4, true],
  orders: [0.45, false],
  fills: [0.45, false],
  subaccounts: [0.5, true],
};
const TABLE_ROWS = 3;
/** A lower pane has no frame. */
const MIN_PANE_ROWS = 6;
/** Panes with many rows grow in steps, so that the others do not move with every row. */
const STEP_ROWS = 4;

/** Panes are as high as their content; the last one takes the rest. */
function shareHeights(height: number, groups: Groups, content: Wanted["rows"]): readonly number[] {
  let left = height;
  return groups.map((group, i) => {
    const [pane = "summary"] = group;
    const [most, isExact] = SHARES[pane] ?? [0.2, true];
    const step = isExact ? 1 : STEP_ROWS;
    const rows = Math.max(1, Math.ceil(content[pane] / step) * step) + TABLE_ROWS;
    const isLast = i === groups.length - 1;
    // A pane without rows has room for some; so does each pane below.
    const kept = left - (groups.length - 1 - i) * MIN_PANE_ROWS;
    const desired = Math.max(MIN_PANE_ROWS, Math.min(rows, Math.round(height * most)));
    const own = isLast ? left : Math.max(1, Math.min(desired, kept));
    left -= own;
    return own;
  });
}

function row(width: number, height: number, panes: readonly AccountPane[]): AccountRow {
  const first = panes.length === 1 ? width : Math.floor(width * LEFT_SHARE);
  return {
    height,
    panes: panes.map((pane, i) => ({ pane, width: i === 0 ? first : width - first })),
  };
}

interface AccountTableSpec {
  readonly title: string;
  readonly empty: string;
  readonly key?: readonly Meaning[];
  readonly leading?: readonly (Meaning | readonly Meaning[])[];
}

const SIZE: readonly Meaning[] = ["sizeLots", "size"];
const REMAINING: readonly Meaning[] = ["remainingLots", "remaining"];
const PRICE: readonly Meaning[] = ["priceTicks", "price"];
const MARKET: readonly Meaning[] = ["symbol", "market"];

export const ACCOUNT_TABLES: Readonly<Record<AccountPane, AccountTableSpec>> = {
  positions: {
    title: "Positions",
    empty: "no open position",
    key: ["marketType", "market", "symbol", "positionId", "side"],
    leading: [
      MARKET,
      "side",
      SIZE,
      "positionValue",
      "unrealizedPnl",
      "returnOnMargin",
      "entryPrice",
      "markPrice",
      "liquidationPrice",
      "toLiquidation",
      "leverage",
      "margin",
    ],
  },
  orders: {
    title: "Orders",
    empty: "no open order",
    key: ["marketType", "market", "symbol", "orderId"],
    leading: [MARKET, "side", PRICE, SIZE, REMAINING, "status", "orderType"],
  },
  fills: {
    title: "Fills",
    empty: "no fills yet",
    key: ["fillId", "side", "time", "market", "price", "size"],
    leading: ["time", MARKET, "side", PRICE, SIZE, "role", "fee"],
  },
  funding_payments: {
    title: "Funding payments",
    empty: "no funding payments yet",
    key: ["paymentId", "marketType", "market", "time"],
    leading: ["time", MARKET, "amount", "fundingRate", "side", SIZE],
  },
  balances: {
    title: "Balances",
    empty: "no balances",
    key: ["asset"],
    leading: ["asset", "balance"],
  },
  leverages: {
    title: "Leverages",
    empty: "no leverages",
    key: ["marketType", "market"],
    leading: ["market", "leverage"],
  },
  subaccounts: {
    title: "Subaccounts",
    empty: "the address has no subaccounts",
    key: ["subaccountId"],
  },
  delegations: { title: "Delegations", empty: "no delegations" },
  summary: { title: "Summary", empty: "" },
};

export function isOfCatalogue(pane: AccountPane): boolean {
  return CATALOGUE.some((each) => each === pane);
}

/** Shown while no rows of the pane have been received. */
export function formatMissing(pane: AccountPane): string {
  return isOfCatalogue(pane)
    ? "the catalogue has not been received yet"
    : "not provided by the service so far";
}

/** Identity of a row while it moves and changes; undefined if all key fields are missing. */
export function rowKey(aliases: Aliases, pane: AccountPane) {
  const { key = [] } = ACCOUNT_TABLES[pane];
  return (record: OpenRecord): string | undefined => {
    if (pane === "delegations") return `${record.subaccount_id} ${record.delegate}`;
    const parts = key.map((meaning) => aliases.text(record, meaning) ?? "");
    return parts.some((part) => part !== "") ? parts.join("/") : undefined;
  };
}
