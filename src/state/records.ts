// The folds of channels that carry open records.
import type { Finding } from "../dialect/dialect.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { type Context, type Fold, NO_FINDINGS } from "./fold.ts";
import { applyList, createList, type List } from "./list.ts";
import { appendLog, putByTime } from "./log.ts";

export interface Account {
  /** The summary; null until one came. */
  account: OpenRecord | null;
  balances: List;
  positions: List;
  leverages: List;
  orders: List;
  /** Oldest first. */
  fills: OpenRecord[];
  /** Behind fills before this index some may be missing: a connection was lost, and the next one told of none of them. */
  fillsFrom?: number;
  funding_payments: OpenRecord[];
}

const CHANGING = ["balances", "positions", "leverages", "orders"] as const;

export const accountFold: Fold<Account, "account"> = {
  empty: () => ({
    account: null,
    balances: createList(),
    positions: createList(),
    leverages: createList(),
    orders: createList(),
    fills: [],
    funding_payments: [],
  }),
  apply(state, { body }, context) {
    const isFirst = context.place === "first";
    const how = { place: context.place, names: context.dialect.names };
    if (isFirst) state.account = null;
    // A summary may come in parts.
    if (body.account) state.account = { ...state.account, ...body.account };
    takeFills(state, body.fills ?? [], context);
    state.funding_payments = appendLog(state.funding_payments, body.funding_payments ?? [], {
      ...how,
      id: "paymentId",
      // A market pays once at a time.
      isDistinct: true,
    });
    const findings: Finding[] = [];
    for (const name of CHANGING) {
      const rows = body[name];
      // A first frame without a list has no rows of it.
      if (rows || isFirst) findings.push(...applyList(state[name], name, rows ?? [], context));
    }
    return findings;
  },
};

function takeFills(state: Account, rows: readonly OpenRecord[], context: Context): void {
  const { place, dialect, isContinuous } = context;
  const { fills, fillsFrom = 0 } = state;
  const before = fills.length;
  state.fills = appendLog(fills, rows, { place, names: dialect.names, id: "fillId" });
  const met = before + rows.length - fills.length;
  const isBehind = place === "first" && !isContinuous && met === 0;
  // What a list has and was held, is known without a gap from there on.
  const from = isBehind ? before : Math.min(fillsFrom, met === 0 ? before : before - met);
  state.fillsFrom = Math.max(0, from - (fills.length - state.fills.length));
}

export interface Accounts {
  subaccounts: List;
  delegations: List;
}

export const accountsFold: Fold<Accounts, "accounts"> = {
  empty: () => ({ subaccounts: createList(), delegations: createList() }),
  apply: (state, { body }, context) => [
    ...applyList(state.subaccounts, "subaccounts", body.subaccounts, context),
    ...applyList(state.delegations, "delegations", body.delegations, context),
  ],
};

export const marketsFold: Fold<List, "markets"> = {
  empty: createList,
  apply: (list, { body }, context) => applyList(list, "markets", body.markets, context),
};

export const statsFold: Fold<List, "market-stats"> = {
  empty: createList,
  apply: (list, { body }, context) => applyList(list, "stats", body.market_stats, context),
};

export interface FundingRates {
  /** Oldest first. */
  rates: OpenRecord[];
}

export const fundingFold: Fold<FundingRates, "funding-rates"> = {
  empty: () => ({ rates: [] }),
  apply(state, { body }, { place, dialect }) {
    state.rates = putByTime(state.rates, body.funding_rates, { place, names: dialect.names });
    return NO_FINDINGS;
  },
};
