// What the heatmap of a market takes from its channels: in a live session, and again when a recording is replayed.

import type { Place } from "../stream/chain.ts";
import { groupingSteps } from "../units/round-steps.ts";
import type { Update } from "../wire/frames.ts";
import { channelState } from "./channel-state.ts";
import { addBook, addHeatTrade, createHeatmap } from "./heatmap.ts";
import type { Moment } from "./moment.ts";
import { select } from "./store.ts";

const HEAT_STEP = 2;
const SECOND_MS = 1000;
/** What rests for less may be missed: a busy book changes thousands of times a second. */
const BOOK_EVERY_MS = 50;
/** As many as the finer columns reach back. */
const MAX_SECONDS = 600;

/** After a book or trades were folded. */
export function foldHeat({ store, nowMs, wallMs }: Moment, update: Update, place: Place): void {
  if (update.kind !== "orderbook" && update.kind !== "trades") return;
  const market = update.channel.slice(update.channel.indexOf("/") + 1);
  const sinceMs = Math.abs(wallMs - (store.heat.get(market)?.bookMs ?? 0));
  if (update.kind === "orderbook" && sinceMs >= BOOK_EVERY_MS)
    heatBook({ store, nowMs, wallMs }, market);
  const heat = update.kind === "trades" ? store.heat.get(market) : undefined;
  // The first frame tells of the past.
  if (heat === undefined || place === "first") return;
  for (const trade of select(store, "trades", update.channel)?.added ?? [])
    addHeatTrade(heat, trade, wallMs);
}

/** The book as it stands, into the columns of this second. */
function heatBook({ store, nowMs, wallMs }: Moment, market: string): void {
  const channel = `orderbook/${market}`;
  const book = select(store, "orderbook", channel);
  const best = book?.bids[0]?.price_ticks;
  let heat = store.heat.get(market);
  if (heat === undefined && best !== undefined) {
    heat = createHeatmap(Number(groupingSteps(BigInt(best))[HEAT_STEP] ?? 1n));
    store.heat.set(market, heat);
  }
  const state = channelState(store.channels.get(channel), store.link, nowMs);
  const isCurrent = state === "live" || state === "quiet";
  if (heat !== undefined) addBook(heat, isCurrent ? book : undefined, wallMs);
}

/** The seconds that began since a time, in which nothing has come. */
export function advanceHeat({ store, nowMs, wallMs }: Moment, sinceWallMs: number): void {
  if (store.heat.size === 0) return;
  const second = (ms: number) => Math.floor(ms / SECOND_MS);
  const passed = Math.min(MAX_SECONDS, second(wallMs) - second(sinceWallMs));
  for (let ago = passed - 1; ago >= 0; ago--) {
    const atMs = (second(wallMs) - ago) * SECOND_MS;
    for (const market of store.heat.keys())
      heatBook({ store, nowMs: nowMs - (wallMs - atMs), wallMs: atMs }, market);
  }
}
