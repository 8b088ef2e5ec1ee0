// What a command about listings asks the stream: the positions of a subaccount, and the records of markets.

import type { Names } from "../dialect/names.ts";
import { type Position, selectPositions } from "../rows/account.ts";
import { findListed, selectListedMarkets } from "../rows/market.ts";
import { ZERO } from "../statement/fold.ts";
import type { Held } from "../statement/reconcile.ts";
import { addDecimal, type Decimal, negateDecimal } from "../units/decimal.ts";
import { ServiceError } from "../units/monitor-error.ts";
import { msOfNs } from "../units/time.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { areAnswered, checkReached, DEFAULT_TIMEOUT_MS, withLive } from "./live.ts";
import type { Task } from "./prepare.ts";

/** Positions may follow the first frame in a part of their own, and so may the list of markets. */
const PARTS_MS = 1000;

/**
 * The positions of a subaccount as of now. @param account `ADDRESS/ID`
 * @throws {UsageError} if the stream's address is not known; {ServiceError} when there are none
 */
export function readPositions(task: Task, account: string): Promise<Held> {
  const channel = `account/${account}`;
  const channels = [channel, "markets"];
  return withLive(task, channels, async (live) => {
    const { store } = live.session;
    let ms: number | undefined;
    live.listen({
      onUpdate(update) {
        if (update.channel === channel) ms = msOfNs(update.timestampNs);
      },
    });
    const { timeout = DEFAULT_TIMEOUT_MS } = task.options;
    await live.until(() => areAnswered(live, channels), timeout);
    checkReached(live);
    await live.until(() => (selectPositions(store, account) ?? []).length > 0, PARTS_MS);
    const positions = selectPositions(store, account);
    if (positions !== undefined && ms !== undefined) return { ms, sizes: sizesOf(positions) };
    const { error } = store.channels.get(channel) ?? {};
    const why = error === undefined ? "no data received" : `${error.code}: ${error.message}`;
    throw new ServiceError("no-positions", `${channel}: ${why}`);
  });
}

/** Long is positive. Several positions of one market, as with isolated margin, are summed. */
function sizesOf(positions: readonly Position[]): Held["sizes"] {
  const sizes = new Map<string, Decimal | undefined>();
  for (const { market, side, size } of positions) {
    if (market === undefined) continue;
    const before = sizes.has(market) ? sizes.get(market) : ZERO;
    const signed = side === "short" ? size && negateDecimal(size) : size;
    sizes.set(market, side && before && signed && addDecimal(before, signed));
  }
  return sizes;
}

/** What the service's own list says of a market. */
export interface Listed {
  readonly symbol: string | undefined;
  readonly record: OpenRecord;
  readonly names: Names;
}

/** Names are an addition: nobody waits long for them. */
const NAMES_TIMEOUT_MS = 3000;

/** By market; nothing of any without a stream, or without an answer of it. */
export async function listedMarkets(
  task: Task,
  markets: readonly string[],
): Promise<ReadonlyMap<string, Listed>> {
  const found = new Map<string, Listed>();
  if (task.settings.wsUrl === undefined || markets.length === 0) return found;
  await withLive(task, ["markets"], async (live) => {
    const { store } = live.session;
    const areFound = () => markets.every((market) => findListed(store, market) !== undefined);
    const isListed = () => selectListedMarkets(store).length > 0;
    const { timeout = NAMES_TIMEOUT_MS } = task.options;
    // There may be no stream at that address.
    const end = await live.until(isListed, timeout).catch(() => "timeout");
    if (end === "met") await live.until(areFound, PARTS_MS);
    for (const market of markets) {
      const listed = findListed(store, market);
      if (listed !== undefined) found.set(market, { ...listed, names: store.dialect.names });
    }
  });
  return found;
}
