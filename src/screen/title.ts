// The title of the terminal's window: the last price of the market that is shown, to be read from a task bar.
import { findSymbol, formatMarket } from "../select/market.ts";
import { isCurrent } from "../state/pane-state.ts";
import { remoteWord } from "../terminal/session/osc.ts";
import { formatUnits } from "../units/scale.ts";
import { formatChannel } from "../wire/channels.ts";
import type { Dashboard } from "./dashboard.ts";

/**
 * `▲97,114.00 BTC-PERP`, of the session as it is now, also while the screen is frozen; the state in the place of a price that is
 * not of now. Undefined while the mask is on, and where no market is shown.
 */
export function formatTitle(dashboard: Dashboard): string | undefined {
  const { market, isMasked, options } = dashboard;
  if (market === undefined || isMasked) return undefined;
  const { store, replay, now } = options;
  const name = remoteWord(findSymbol(store, market) ?? formatMarket(market));
  if (replay !== undefined) return `replay ${name}`;
  const channel = { marketType: market.type, marketId: market.id };
  const slice = store.slice("trades", formatChannel({ kind: "trades", ...channel }));
  const state = store.paneState(slice, now());
  const [last] = slice.data.recent(1);
  if (!isCurrent(state) || last === undefined) return `${state} ${name}`;
  const { tickSize } = dashboard.scales.of(formatMarket(market)).scale ?? {};
  const price = formatUnits(last.price_ticks, tickSize);
  return `${last.taker_is_bid ? "▲" : "▼"}${dashboard.shown.display.number(price)} ${name}`;
}
