// A recorded session as a store of its own, filled line by line, and the market and account it shows.
import type { MarketArgument } from "../../args/targets.ts";
import { parseScales } from "../../config/settings.ts";
import { findSymbol } from "../../live/find-symbol.ts";
import type { AccountChoice } from "../../select/account.ts";
import type { Market } from "../../select/market.ts";
import { openScales } from "../../select/scale.ts";
import type { Scales } from "../../state/scales.ts";
import { Store } from "../../state/store.ts";
import type { Changed, Entry, RecordingSettings } from "../../timeline/entry.ts";
import { Replay } from "../../timeline/replay.ts";
import { parseChannel } from "../../wire/channels.ts";

/** Store and scales as of the last applied line. */
export class ReplayedSession {
  readonly store: Store;
  readonly scales: Scales;
  #replay: Replay;
  readonly #start: { readonly t: number; readonly w: number };
  /** The recording machine's monotonic clock at the last applied line. */
  nowMs: number;
  wallMs: number;

  constructor(settings: RecordingSettings, start: { t: number; w: number }, store = new Store()) {
    this.store = store;
    this.scales = openScales(store, parseScales(settings.scales));
    this.#start = start;
    this.nowMs = start.t;
    this.wallMs = start.w;
    this.#replay = new Replay(store, this.scales);
  }

  get unreadable(): number {
    return this.#replay.unreadable;
  }

  /** Back to the start. Learned scales stay: they do not change over time. */
  restart(): void {
    this.store.clear();
    this.nowMs = this.#start.t;
    this.wallMs = this.#start.w;
    this.#replay = new Replay(this.store, this.scales);
  }

  apply(entry: Entry): Changed {
    this.nowMs = entry.t;
    this.wallMs = entry.w;
    return this.#replay.apply(entry);
  }
}

/**
 * The named market, or else the first one requested in the recorded run. @param channels in the order of their requests
 * @throws {UsageError} when the recorded list of markets does not contain the symbol
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

/** The account that the recorded run requested first, with its subaccount if it requested one. */
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
