// Layout of the panes of a subaccount, for any size. A pane is shown whole or not at all.
import type { Aliases, Meaning } from "../../../state/aliases.ts";
import type { OpenRecord } from "../../../wire/update.ts";

/** In focus order. */
export const ACCOUNT_PANES = [
  "positions",
  "orders",
  "fills",
  "balances",
  "funding_payments",
] as const;
export type AccountPane = (typeof ACCOUNT_PANES)[number];

interface AccountRow {
  readonly height: number;
  readonly panes: readonly { readonly pane: AccountPane; readonly width: number }[];
}

export interface AccountLayout {
  readonly headerRows: number;
  readonly rows: readonly AccountRow[];
}

interface Wanted {
  /** Always shown, in the place of the last pane where there is no room for all. */
  readonly focus: AccountPane;
  readonly isZoomed: boolean;
  /** True if the focused pane shows all fields of a row: over the whole view. */
  readonly isRecordOpen: boolean;
  readonly rows: Readonly<Record<AccountPane, number>>;
}

const SMALL_HEIGHT = 18;
const TALL = 30;
const TALLER = 44;
const WIDE = 110;
/** Share of the left one of two panes, whose rows have more columns. */
const LEFT_SHARE = 0.62;
type Groups = readonly (readonly AccountPane[])[];

export function layOutAccount(width: number, height: number, wanted: Wanted): AccountLayout {
  const { focus, isZoomed, isRecordOpen, rows: content } = wanted;
  const headerRows = isRecordOpen ? 0 : height >= SMALL_HEIGHT ? 2 : height >= 3 ? 1 : 0;
  const room = Math.max(0, height - headerRows);
  if (room === 0 || width <= 0) return { headerRows, rows: [] };
  const groups = isRecordOpen || isZoomed ? [[focus]] : groupPanes(width, room, focus);
  const heights = shareHeights(room, groups, content);
  return { headerRows, rows: groups.map((group, i) => row(width, heights[i] ?? 0, group)) };
}

function groupPanes(width: number, height: number, focus: AccountPane): Groups {
  const groups = usualGroups(width, height);
  if (groups.flat().includes(focus)) return groups;
  return [...groups.slice(0, -1), [focus]];
}

function usualGroups(width: number, height: number): Groups {
  if (height < SMALL_HEIGHT - 2) return [["positions"]];
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
    const [pane = "positions"] = group;
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
  readonly key: readonly Meaning[];
  readonly leading: readonly (Meaning | readonly Meaning[])[];
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
};

/** Identity of a row while it moves and changes; undefined if all key fields are missing. */
export function rowKey(aliases: Aliases, pane: AccountPane) {
  const { key } = ACCOUNT_TABLES[pane];
  return (record: OpenRecord): string | undefined => {
    const parts = key.map((meaning) => aliases.text(record, meaning) ?? "");
    return parts.some((part) => part !== "") ? parts.join("/") : undefined;
  };
}
