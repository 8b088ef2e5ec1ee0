// What is bought and sold in a market, and what it is paid with, by the service's own list of markets.
import type { Context } from "../args/context.ts";
import { findMarketRecord, readMarketName, selectStat } from "../select/market.ts";
import type { Aliases } from "../state/aliases.ts";
import { isAnswered } from "../state/feed.ts";
import type { Assets } from "../statement/koinly.ts";
import type { OpenRecord } from "../wire/update.ts";
import { DEFAULT_TIMEOUT_MS, HeadlessSession } from "./headless-session.ts";
import type { Service } from "./service.ts";

/** Second halves of a symbol that say what kind of market it is. */
const NO_ASSET = /^(?:perp|perpetual|swap|spot|fut|futures|[0-9]+)$/i;
const SYMBOL = /^([0-9A-Za-z]{1,15})[-/_:]([0-9A-Za-z]{1,15})$/;

/**
 * @param names such as `perp/1`
 * @returns by name; halves that are not known are left out
 * @throws {ServiceError} when the first connection cannot be made
 */
export async function findAssets(
  context: Context,
  service: Service,
  names: readonly string[],
): Promise<ReadonlyMap<string, Partial<Assets>>> {
  const session = new HeadlessSession(context, { ...service, audit: false });
  try {
    const { store, stream } = session.live;
    stream.subscribe("markets");
    const { timeout = DEFAULT_TIMEOUT_MS } = context.options;
    await session.until(() => isAnswered(store.slice("markets", "markets").feed), timeout);
    const { records } = store.slice("markets", "markets").data;
    return new Map(
      names.map((name) => {
        const market = readMarketName(name);
        const record = market && findMarketRecord(records, market, store.aliases);
        return [name, record === undefined ? {} : assetsOf(record, store.aliases)];
      }),
    );
  } finally {
    session.close();
  }
}

function assetsOf(record: OpenRecord, aliases: Aliases): Partial<Assets> {
  const [, first, second = ""] = SYMBOL.exec(selectStat(record, "symbol", aliases) ?? "") ?? [];
  const base = aliases.text(record, "baseAsset") ?? first;
  const quote = aliases.text(record, "quoteAsset") ?? (NO_ASSET.test(second) ? undefined : second);
  return { ...(base && { base }), ...(quote && { quote }) };
}
