// What a recording is shown as: the market or the account that it is about, as text or as JSON.

import type { MarketArgument } from "../../args/market-argument.ts";
import { findSymbol } from "../../live/find-symbol.ts";
import { type AccountSnapshot, accountViewJson } from "../../print/account-json.ts";
import { accountPage } from "../../print/account-text.ts";
import { type MarketSnapshot, marketJson, PANES } from "../../print/market-json.ts";
import { marketPage } from "../../print/market-text.ts";
import {
  type AccountChoice,
  accountChannel,
  accountsChannel,
  chosenSubaccount,
} from "../../select/account.ts";
import { formatMarket, type Market, marketChannels } from "../../select/market.ts";
import type { Store } from "../../state/store.ts";
import { type Interval, parseChannel } from "../../wire/channels.ts";
import { stringifyExact } from "../../wire/exact-numbers.ts";
import type { ReplayedSession } from "./replayed-session.ts";

/** What a recording shows at the last line that was told. */
export interface ReplayedView {
  /** True when everything that the view shows has had its first data. */
  readonly isComplete: boolean;
  page(): string;
  json(): string;
}

/**
 * The market that is meant, or else the first one that the recorded run asked for.
 * @param channels that the recorded run asked for, in that order
 * @throws {UsageError} when the recorded list of markets does not hold the symbol
 */
export function replayedMarket(
  channels: readonly string[],
  store: Store,
  named: MarketArgument | undefined,
): Market | undefined {
  if (named !== undefined) return "symbol" in named ? findSymbol(store, named.symbol) : named;
  for (const channel of channels) {
    const parts = parseChannel(channel);
    if (parts !== undefined && "marketType" in parts && parts.marketId !== undefined) {
      return { type: parts.marketType, id: parts.marketId };
    }
  }
  return undefined;
}

/** The view of a market. Never throws. */
export function marketView(
  { store, scales, nowMs }: ReplayedSession,
  market: Market,
  interval: Interval,
): ReplayedView {
  const channels = marketChannels(market, interval);
  const scale = scales.of(formatMarket(market));
  const snapshot: MarketSnapshot = { store, market, channels, interval, scale, scales, nowMs };
  return {
    isComplete: PANES.every((pane) => store.slice(pane, channels[pane]).feed.frames > 0),
    page: () => marketPage(snapshot),
    json: () => stringifyExact(marketJson(snapshot)),
  };
}

/** The view of an account. Never throws. */
export function accountView(
  { store, scales, nowMs, wallMs }: ReplayedSession,
  account: AccountChoice,
  isMasked: boolean,
): ReplayedView {
  const snapshot: AccountSnapshot = { store, account, scales, nowMs, isMasked };
  const chosen = chosenSubaccount(account);
  const main =
    chosen === undefined
      ? store.slice("accounts", accountsChannel(account.address))
      : store.slice("account", accountChannel(chosen));
  return {
    isComplete: main.feed.frames > 0,
    page: () => accountPage(snapshot, wallMs),
    json: () => stringifyExact(accountViewJson(snapshot)),
  };
}

/** The account that the recorded run asked for first, with its subaccount if it asked for one. Never throws. */
export function replayedAccount(channels: readonly string[]): AccountChoice | undefined {
  const parts = channels.map(parseChannel);
  const account = parts.find((each) => each?.kind === "account");
  if (account?.kind === "account") {
    return { address: account.address, subaccountId: account.subaccountId };
  }
  const catalogue = parts.find((each) => each?.kind === "accounts");
  if (catalogue?.kind !== "accounts") return undefined;
  return { address: catalogue.address, subaccountId: undefined };
}
