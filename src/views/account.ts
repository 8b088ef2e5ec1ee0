// Accounts: am I safe, am I winning. First all subaccounts, the most endangered on top; Enter opens one, Esc goes back.

import {
  type AccountRow,
  type Balance,
  dayTitle,
  type Fill,
  type Order,
  type Payment,
  type Position,
  selectBalances,
  selectDay,
  selectFees,
  selectFills,
  selectOrders,
  selectPayments,
  selectPositions,
  selectSummary,
} from "../rows/account.ts";
import { formatMoney, formatNumber, formatSpan, formatWhen } from "../rows/format.ts";
import { ALL_STATS } from "../rows/market.ts";
import {
  orderByDanger,
  overviewChannels,
  type SubaccountRow,
  selectSubaccounts,
} from "../rows/overview.ts";
import { drawFacts, drawHead, type Fact } from "../screen/frame.ts";
import type { Layout, Pane, View } from "../screen/pane.ts";
import { formatState, themeOf } from "../screen/states.ts";
import { tablePane } from "../screen/table/pane.ts";
import { MASK, MISSING, type Table } from "../screen/table/table.ts";
import type { Ui } from "../screen/ui.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import { isRaw } from "../state/select-market.ts";
import type { Store } from "../state/store.ts";
import { type Decimal, formatDecimal } from "../units/decimal.ts";
import {
  age,
  amount,
  decimal,
  distance,
  gain,
  gainFact,
  marginBar,
  marginText,
  number,
  percent,
  price,
  secretFields,
  shortAccount,
  side,
  time,
  toneOf,
  unsignedMoney,
  word,
} from "./cells.ts";

const SECRET = { secret: true } as const;
const channelsOf = ({ account }: Ui) =>
  account === undefined ? [] : [`account/${account}`, "markets", ...ALL_STATS];
/** What a table of the account has beside its columns. */
function ofAccount<Row extends AccountRow>(
  select: (store: Store, account: string, moment: Moment) => readonly Row[] | undefined,
) {
  return {
    channels: channelsOf,
    rows: (moment: Moment, { account = "" }: Ui) => select(moment.store, account, moment),
    state: (moment: Moment, { account }: Ui) => formatState(moment, `account/${account}`),
    id: ({ key }: Row) => key,
    details: ({ record }: Row) => secretFields(record),
  };
}

const POSITIONS: Table<Position> = {
  name: "positions",
  title: "Positions",
  columns: [
    word("symbol", ({ symbol }) => symbol, { tone: "bright" }),
    side("side", ({ side: of }) => of),
    decimal("size", ({ size }) => size, SECRET),
    amount("value", ({ value }) => value, { ...SECRET, goes: 18 }),
    price("entry", ({ entry }) => entry),
    // How near liquidation is comes before these.
    price("mark", ({ mark }) => mark, { goes: 19 }),
    gain("uPnL", ({ unrealised }) => unrealised, { ...SECRET, goes: 3 }),
    percent("ROE", ({ returnPercent }) => returnPercent, {
      tone: ({ returnPercent }) => toneOf(returnPercent),
      ...{ secret: true, goes: 20 },
    }),
    price("liquidation", ({ liquidation }) => liquidation),
    distance("distance", ({ distancePercent }) => distancePercent),
    word("leverage", ({ leverage }) => leverage, { tone: "dim" }),
  ],
  ...ofAccount(selectPositions),
  empty: "flat: no position",
};

interface OrderRow extends Order {
  readonly ageMs: number | undefined;
}

function selectAged(store: Store, account: string, moment: Moment) {
  const nowMs = serviceMs(moment);
  return selectOrders(store, account)?.map(
    (order): OrderRow => ({ ...order, ageMs: order.timeMs && nowMs - order.timeMs }),
  );
}

const ORDERS: Table<OrderRow> = {
  name: "orders",
  title: "Orders",
  columns: [
    word("symbol", ({ symbol }) => symbol, { tone: "bright" }),
    side("side", ({ side: of }) => of),
    price("price", (row) => row.price),
    percent("to mark", ({ distancePercent }) => distancePercent, { tone: "dim", goes: 5 }),
    decimal("size", ({ size }) => size, SECRET),
    decimal("filled", ({ filled }) => filled, { ...SECRET, tone: "dim" }),
    word("type", ({ type }) => type, { tone: "dim" }),
    age("age", ({ ageMs }) => ageMs, { unit: "ms", tone: "dim" }),
  ],
  ...ofAccount(selectAged),
  empty: "no open order",
};

const FILLS: Table<Fill> = {
  name: "account-fills",
  title: "Fills",
  columns: [
    { ...time<Fill>("time", ({ timeMs }) => timeMs), goes: 5 },
    word("symbol", ({ symbol }) => symbol, { tone: "bright" }),
    side("side", ({ side: of }) => of),
    price("price", (row) => row.price),
    decimal("size", ({ size }) => size, SECRET),
    {
      ...gain<Fill>("fee", ({ fee, feeAsset }) => (feeAsset ? undefined : fee), SECRET),
      value: ({ fee, feeAsset }) => fee && [formatDecimal(fee), feeAsset].filter(Boolean).join(" "),
      show: (exact, { fee, feeAsset }, display) =>
        fee && feeAsset === undefined ? formatMoney(fee, display) : formatNumber(exact, display),
    },
    word("role", ({ role }) => role, { tone: "dim" }),
    gain("realised", ({ realised }) => realised, SECRET),
  ],
  ...ofAccount(selectFills),
  foot: (_rows, { store }, ui) => fillsFoot(store, ui),
  empty: "no fill on the stream yet; O lists older ones",
};

/** It names what it sums, whatever the filter shows of it. */
function fillsFoot(store: Store, { account, isMasked, displayAt }: Ui): string {
  const { count, sinceMs, fees, feeAssets } = selectFees(store, account ?? "");
  if (sinceMs === undefined) return "";
  const shown = fees ? [`fees ${isMasked ? MASK : formatMoney(fees, displayAt)}`] : [];
  return [
    `${count} loaded since ${formatWhen(sinceMs, displayAt)}`,
    ...shown,
    ...otherFees(feeAssets),
  ].join("  ");
}

/** What a sum of fees leaves out. */
function otherFees(assets: ReadonlySet<string>): readonly string[] {
  return assets.size === 0 ? [] : [`and fees in ${[...assets].join(", ")}`];
}

const BALANCES: Table<Balance> = {
  name: "balances",
  title: "Balances",
  columns: [
    word("asset", ({ asset }) => asset, { tone: "bright" }),
    decimal("total", ({ total }) => total, SECRET),
    decimal("available", ({ available }) => available, SECRET),
  ],
  ...ofAccount(selectBalances),
  empty: "no balance",
};

const PAYMENTS: Table<Payment> = {
  name: "funding-payments",
  title: "Funding payments",
  columns: [
    time("time", ({ timeMs }) => timeMs),
    word("symbol", ({ symbol }) => symbol, { tone: "bright" }),
    gain("amount", ({ amount: of }) => of, SECRET),
    number("rate", ({ rate }) => rate, { tone: "dim" }),
  ],
  ...ofAccount(selectPayments),
  empty: "no funding payment yet",
};

/** Equity, unrealised, margin and what the session brought, in one line. */
const SUMMARY: Pane = {
  name: "summary",
  channels: channelsOf,
  draw(surface, moment, ui) {
    if (ui.account === undefined) return;
    const channel = `account/${ui.account}`;
    drawHead(surface, formatState(moment, channel), summaryFacts(moment, ui, ui.account), ui);
    drawFacts(surface, 1, 1, themeOf(moment, channel, ui), dayFacts(moment, ui, ui.account));
  },
};

function summaryFacts({ store }: Moment, ui: Ui, account: string): readonly (Fact | undefined)[] {
  const summary = selectSummary(store, account);
  const { display, isMasked } = ui;
  const money = (value: Decimal | undefined) => {
    if (isMasked) return MASK;
    return value === undefined ? MISSING : unsignedMoney(value, display);
  };
  const uPnL = gainFact("uPnL", summary?.unrealised, ui);
  return [
    { text: isMasked ? MASK : shortAccount(account), tone: "bright", goes: 2.5 },
    { word: "equity", text: `${money(summary?.equity)} ${summary?.asset ?? ""}`.trim() },
    uPnL ?? { word: "uPnL", text: money(undefined) },
    { word: "margin", text: isMasked ? MASK : (marginText(summary) ?? ""), goes: 1.5 },
    { text: isMasked ? "" : marginBar(summary, 4), goes: 6 },
    { word: "free", text: money(summary?.free) },
    { text: summary?.status ?? "", tone: "dim" },
  ];
}

/** What the day brought: the sum, and of what. */
function dayFacts(moment: Moment, ui: Ui, account: string): readonly (Fact | undefined)[] {
  const day = selectDay(moment, account);
  const title = dayTitle(day, ui.display);
  const unknown = day.fees && { word: `${title}  realised`, text: MISSING };
  return [
    gainFact(title, day.total, ui) ?? unknown,
    day.total && { text: "=", tone: "dim" },
    gainFact("realised", day.realised, ui),
    gainFact("fees", day.fees, ui),
    gainFact("funding", day.funding, ui),
    ...otherFees(day.feeAssets).map((text): Fact => ({ text, tone: "notice" })),
    { text: isRaw(moment.store, "") ? "units of whole numbers unknown" : "", tone: "notice" },
  ];
}

const BAR_CELLS = 5;

/** The order in which subaccounts stood, so that rows keep their places. */
let order: readonly string[] = [];

const OVERVIEW: Table<SubaccountRow> = {
  name: "subaccounts",
  title: "Subaccounts",
  channels: ({ addresses, services }) => [
    ...addresses.map((address) => `accounts/${address}`),
    ...overviewChannels(services.moment().store, addresses),
    "markets",
  ],
  columns: [
    word("account", ({ name }) => shortAccount(name), SECRET),
    word("status", ({ status }) => status, { tone: "dim" }),
    amount("equity", ({ summary }) => summary?.equity, SECRET),
    gain("uPnL", ({ summary }) => summary?.unrealised, SECRET),
    {
      ...percent<SubaccountRow>("margin", ({ summary }) => summary?.marginPercent, SECRET),
      value({ summary }) {
        const { isSpent, marginPercent } = summary ?? {};
        return isSpent ? "Infinity" : marginPercent && formatDecimal(marginPercent);
      },
      show: (exact, { summary }) =>
        `${marginText(summary) ?? exact} ${marginBar(summary, BAR_CELLS).padEnd(BAR_CELLS)}`,
      tone: ({ danger }) => (danger > 0.8 ? "bad" : "plain"),
    },
    distance("liquidation", ({ nearest }) => nearest?.distancePercent),
    number("positions", ({ positions }) => positions && String(positions.length)),
    number("orders", ({ orders }) => (orders === undefined ? undefined : String(orders))),
    word(
      "state",
      ({ state: of, ageMs }) => `${of}${ageMs === undefined ? "" : ` ${formatSpan(ageMs)}`}`,
      { tone: ({ state: of }) => (of === "live" || of === "quiet" ? "dim" : "notice") },
    ),
  ],
  rows(moment, ui) {
    const rows = orderByDanger(selectSubaccounts(moment, ui.addresses), order);
    order = rows.map(({ name }) => name);
    return rows;
  },
  id: ({ name }) => name,
  open(row, ui) {
    ui.account = row.name;
    ui.isOverview = false;
  },
  empty: "no subaccount is watched: --account ADDRESS/ID",
};

const PANES = {
  overview: tablePane(OVERVIEW),
  positions: tablePane(POSITIONS),
  orders: tablePane(ORDERS),
  fills: tablePane(FILLS),
  balances: tablePane(BALANCES),
  payments: tablePane(PAYMENTS),
};
const MAX_POSITION_ROWS = 12;

function layout(ui: Ui): Layout {
  if (ui.account === undefined || ui.isOverview)
    return { pane: PANES.overview, grow: 1, min: [30, 4] };
  const held = selectPositions(ui.moment.store, ui.account)?.length ?? 0;
  return {
    column: [
      { pane: SUMMARY, grow: 0, min: [20, 2], goes: 6 },
      { pane: PANES.positions, grow: 0, min: [30, 4 + Math.min(MAX_POSITION_ROWS, held)] },
      {
        row: [
          { pane: PANES.orders, grow: 3, min: [36, 5], goes: 2 },
          { pane: PANES.fills, grow: 3, min: [36, 5], goes: 3 },
        ],
      },
      {
        row: [
          { pane: PANES.balances, grow: 1, min: [30, 5], goes: 5 },
          { pane: PANES.payments, grow: 1, min: [36, 5], goes: 4 },
        ],
        grow: 0.6,
      },
    ],
  };
}

export const ACCOUNT: View = {
  name: "account",
  title: "Account",
  key: "A",
  when: ({ addresses }) => addresses.length > 0 || "no account is watched: --account ADDRESS",
  layout,
  keys: [
    {
      key: "escape",
      says: "all subaccounts",
      hint: "all",
      run(ui) {
        if (!ui.back()) ui.isOverview = true;
      },
    },
  ],
};
