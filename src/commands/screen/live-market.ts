// Feeds a dashboard: finds the market, and subscribes to the channels that it shows.
import type { Context } from "../../args/context.ts";
import type { MarketArgument } from "../../args/targets.ts";
import { findSymbol, RestOfList } from "../../live/find-symbol.ts";
import { firstConnectionFault } from "../../live/link-faults.ts";
import type { Service } from "../../live/service.ts";
import { openSession, type Session, sessionOptions } from "../../live/session.ts";
import { Upkeep } from "../../live/upkeep.ts";
import type { Dashboard } from "../../screen/dashboard.ts";
import { accountView } from "../../screen/views/account/account.tsx";
import type { HeldGroup } from "../../screen/views/view.ts";
import { formatMarket, type Market, MarketSymbols, readMarketName } from "../../select/market.ts";
import type { Store } from "../../state/store.ts";
import type { Stream } from "../../stream/stream.ts";
import type { HistoryBuffer } from "../../timeline/history-buffer.ts";
import type { Clock } from "../../units/clock.ts";
import { parseChannel } from "../../wire/channels.ts";
import { ERROR_CODES } from "../../wire/limits.ts";
import type { StreamEvent } from "../../wire/stream-event.ts";
import { feedHistories } from "./feed-histories.ts";
import { fillChart } from "./fill-chart.ts";

export interface LiveMarketOptions {
  readonly context: Context;
  readonly dashboard: Dashboard;
  readonly service: Service;
  readonly historyBuffer: HistoryBuffer;
  /** Undefined if only an account is shown. */
  readonly market: MarketArgument | undefined;
  /** The dashboard cannot be fed: the connection is impossible, or there is no such market. Called once. */
  readonly onFailure: (error: unknown) => void;
  /** Receives the close function of each part once opened, even if the next one fails; they are called in reverse order. */
  readonly onOpen: (close: () => void) => void;
}

/** Starts to feed the dashboard. @throws {TypeError} on an invalid service address */
export function feedMarket(options: LiveMarketOptions): void {
  const { context, dashboard, service, market, historyBuffer, onOpen } = options;
  const { store } = dashboard.options;
  let hasFailed = false;
  const fail = (error: unknown) => {
    if (!hasFailed) options.onFailure(error);
    hasFailed = true;
  };
  let hasBeenOpen = false;
  let channels: HeldChannels | undefined;
  const onEvent = (event: StreamEvent) => {
    if (event.type !== "link") return;
    const fault = firstConnectionFault(event.link, hasBeenOpen);
    if (fault !== undefined) fail(fault);
    hasBeenOpen ||= event.link.state === "open";
  };
  const symbols = new MarketSymbols();
  const live = openSession({
    ...sessionOptions(context, service),
    store,
    historyBuffer,
    onEvent: (event) => {
      onEvent(event);
      channels?.onEvent(event);
      dashboard.alerts?.onEvent(event);
      if (event.type === "update") followAccount();
      if (event.type === "update" && event.channel === "markets") {
        lookUp?.update();
        closeRenamed(dashboard, symbols, channels);
      }
    },
  });
  onOpen(() => live.close());
  channels = new HeldChannels({
    stream: live.stream,
    clock: context.clock,
    store: {
      forget: (channel) => live.publish({ type: "forgotten", atMs: context.clock.now(), channel }),
    },
  });
  const lookUp =
    market !== undefined && "symbol" in market
      ? lookUpSymbol(live, dashboard, market.symbol, fail, context.clock)
      : undefined;
  const { clock } = context;
  const { scales } = dashboard;
  const upkeep = new Upkeep(context, service, live, scales, () => dashboard.tick());
  onOpen(() => upkeep.stop());
  if (lookUp !== undefined) onOpen(lookUp.stop);
  const followAccount = () => {
    const { shown, view } = dashboard;
    upkeep.follow(view === accountView ? shown.subaccount : undefined);
  };
  const past = fillChart(dashboard, upkeep.listings, clock);
  onOpen(() => past.stop());
  onOpen(feedHistories(context, dashboard, service, upkeep.listings));
  const follow = () => {
    cancelFollow = undefined;
    channels?.hold(dashboard.channels, dashboard.model.held);
    upkeep.hold(selectReceived(dashboard));
    past.follow();
    followAccount();
  };
  let cancelFollow: (() => void) | undefined;
  // The response to a key is drawn first.
  const unsubscribe = dashboard.changes.subscribe(() => {
    cancelFollow ??= clock.soon(follow);
  });
  onOpen(unsubscribe);
  onOpen(() => cancelFollow?.());
  if (service.account !== undefined && dashboard.account === undefined) {
    dashboard.watch(service.account);
  }
  if (market === undefined) dashboard.notify();
  else if ("symbol" in market) dashboard.setNotice(`looking for ${market.symbol} …`);
  else dashboard.open(market);
  // The first subscriptions wait for nothing.
  cancelFollow?.();
  follow();
}

function selectReceived({ market, channels }: Dashboard): readonly Market[] {
  return market !== undefined && channels.includes(`trades/${formatMarket(market)}`)
    ? [market]
    : [];
}

/** Closes markets whose id now belongs to another symbol: they are not what the user opened. */
function closeRenamed(
  dashboard: Dashboard,
  symbols: MarketSymbols,
  channels: HeldChannels | undefined,
): void {
  const { market, watchlist, alerts } = dashboard;
  const open = market === undefined ? [] : [market];
  const held = channels?.markets.flatMap((name) => readMarketName(name) ?? []) ?? [];
  const markets = [...open, ...watchlist.markets, ...held, ...(alerts?.markets ?? [])];
  const named = new Map(markets.map((each) => [formatMarket(each), each]));
  for (const [name, each] of named) {
    const notice = symbols.check(dashboard.options.store, each);
    if (notice === undefined) continue;
    dashboard.close(each, notice);
    channels?.drop(name);
  }
}

/** Opens a market by its symbol; `update` is called at each update of the list of markets. */
function lookUpSymbol(
  { stream, store }: Session,
  dashboard: Dashboard,
  symbol: string,
  fail: (error: unknown) => void,
  clock: Clock,
): { readonly update: () => void; readonly stop: () => void } {
  // Not every view subscribes to the list of markets.
  const release = stream.subscribe("markets");
  let isFound = false;
  const update = () => {
    if (isFound || dashboard.market !== undefined) return;
    try {
      const market = findSymbol(store, symbol);
      if (market === undefined) return;
      isFound = true;
      dashboard.open(market);
      release();
    } catch (error) {
      const fault = pending.fail(error);
      if (fault !== undefined) fail(fault);
    }
  };
  const pending = new RestOfList(clock, update);
  return { update, stop: () => pending.stop() };
}

// Subscriptions: the channels on screen, and those of recently shown markets and accounts, so that going back shows their
// data at once and without gaps.

/** The market on screen and the three before it; the watched subaccount; all those of the addresses. */
const MAX_GROUPS: Readonly<Record<HeldGroup["kind"], number>> = {
  market: 4,
  account: 1,
  accounts: 1,
};
/** Limit of all subscriptions: channels on screen always, the others as far as whole groups fit. */
const MAX_CHANNELS = 64;
/** Unsubscribed channels whose data stays in the store, so that going back shows it at once, marked as old. */
const MAX_REMEMBERED = 64;

interface Group extends HeldGroup {
  readonly channels: readonly string[];
}

interface HeldChannelsOptions {
  readonly stream: Pick<Stream, "subscribe">;
  readonly store: Pick<Store, "forget">;
  readonly clock: Pick<Clock, "next">;
}

/** Subscriptions as a set: channels neither on screen nor of a recent group are unsubscribed. */
export class HeldChannels {
  readonly #options: HeldChannelsOptions;
  readonly #releases = new Map<string, () => void>();
  /** Unsubscribed channels, the latest last. */
  readonly #released = new Set<string>();
  /** Least recently shown first. */
  #groups: readonly Group[] = [];
  #shown: ReadonlySet<string> = new Set();
  #maxChannels = MAX_CHANNELS;

  constructor(options: HeldChannelsOptions) {
    this.#options = options;
  }

  /** Subscribes to what is shown. @param group the group it belongs to, if it should stay subscribed when something else is shown */
  hold(shown: readonly string[], group: HeldGroup | undefined): void {
    this.#shown = new Set(shown);
    if (group !== undefined)
      this.#groups = within([
        ...this.#groups.filter((each) => !isSame(each, group)),
        { ...group, channels: shown },
      ]);
    this.#apply();
  }

  get markets(): readonly string[] {
    return this.#groups.flatMap(({ kind, name }) => (kind === "market" ? name : []));
  }

  /** The name means another market now: the old one is unsubscribed and forgotten. */
  drop(market: string): void {
    this.#groups = this.#groups.filter(({ kind, name }) => kind !== "market" || name !== market);
    this.#apply();
    for (const channel of this.#released) {
      if (nameOfMarket(channel) !== market) continue;
      this.#released.delete(channel);
      this.#options.store.forget(channel);
    }
  }

  /**
   * The service may limit subscriptions (interface 8: not shown): channels on screen take precedence over recent ones. If the
   * cause is another one, the only cost is that recent channels are unsubscribed earlier.
   */
  onEvent(event: StreamEvent): void {
    // A refusal may have had a cause that is over: each connection shows its limit anew.
    if (event.type === "link" && event.link.state !== "open") this.#maxChannels = MAX_CHANNELS;
    if (event.type !== "refused" && event.type !== "unavailable") return;
    if (event.type === "refused" && event.code === ERROR_CODES.unknownResource) return;
    const { channel } = event;
    // The stream is still publishing this event.
    this.#options.clock.next(() => this.#makeRoomFor(channel));
  }

  #makeRoomFor(channel: string): void {
    const isNearOtherHole = this.#releases.size > this.#shown.size;
    if (!isNearOtherHole || !this.#shown.has(channel)) return;
    this.#maxChannels = this.#releases.size - 1;
    this.#releases.get(channel)?.();
    this.#releases.delete(channel);
    this.#apply();
  }

  #apply(): void {
    const held = new Set(this.#shown);
    for (const { channels } of this.#groups.toReversed()) {
      const added = channels.filter((channel) => !held.has(channel));
      if (held.size + added.length > this.#maxChannels) break;
      for (const channel of added) held.add(channel);
    }
    for (const [channel, release] of this.#releases) {
      if (held.has(channel)) continue;
      this.#releases.delete(channel);
      release();
      this.#remember(channel);
    }
    for (const channel of held) {
      if (this.#releases.has(channel)) continue;
      this.#released.delete(channel);
      this.#releases.set(channel, this.#options.stream.subscribe(channel));
    }
  }

  #remember(channel: string): void {
    this.#released.add(channel);
    const [oldest] = this.#released;
    if (this.#released.size <= MAX_REMEMBERED || oldest === undefined) return;
    this.#released.delete(oldest);
    this.#options.store.forget(oldest);
  }
}

function nameOfMarket(channel: string): string | undefined {
  const parts = parseChannel(channel);
  if (parts === undefined || !("marketId" in parts) || parts.marketId === undefined)
    return undefined;
  return `${"marketType" in parts ? parts.marketType : "perp"}/${parts.marketId}`;
}

function isSame(a: HeldGroup, b: HeldGroup): boolean {
  return a.kind === b.kind && a.name === b.name;
}

/** The newest groups of each kind, up to its limit. */
function within(groups: readonly Group[]): readonly Group[] {
  return groups.filter(
    ({ kind }, i) =>
      groups.slice(i + 1).filter((each) => each.kind === kind).length < MAX_GROUPS[kind],
  );
}
