// Alerts that follow whatever a test feeds to the store, and what they tell.
import {
  type AlertFiring,
  AlertManager,
  type AlertNotice,
  selectAlertCondition,
} from "../../src/alerts/alert-manager.ts";
import { formatFiring } from "../../src/alerts/alert-rows.ts";
import { openScales } from "../../src/select/scale.ts";
import type { Scale } from "../../src/units/scale.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { alertRule } from "../support/alert-rule.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

export const ADDRESS = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
export const ACCOUNT = `account/${ADDRESS}/3`;
export const START_WALL_MS = Date.UTC(2026, 0, 1);
export const CENTS: Scale = {
  tickSize: { mantissa: 1n, places: 2 },
  lotSize: { mantissa: 1n, places: 4 },
};

/** Where neither sequence numbers nor their absence matters. */
export const UNNUMBERED = { previous_sequence: null, sequence: null };

/** @param scale of perp/1; without one it is not known */
export function openAlerts({ scale }: { scale?: Scale } = {}) {
  const feed = new MarketFeed();
  let jumpedMs = 0;
  const manager = new AlertManager({
    store: feed.store,
    scales: openScales(feed.store, scale === undefined ? {} : { "perp/1": scale }),
    now: () => feed.nowMs,
    wall: () => START_WALL_MS + feed.nowMs + jumpedMs,
  });
  const dispatch = feed.store.dispatch.bind(feed.store);
  feed.store.dispatch = (event: StreamEvent) => {
    dispatch(event);
    manager.onEvent(event);
  };
  const firings: AlertFiring[] = [];
  const notices: AlertNotice[] = [];
  const fired: string[] = [];
  manager.onFire = (firing) => {
    firings.push(firing);
    fired.push(formatFiring(firing, false).replace(`${ACCOUNT} `, ""));
  };
  manager.onNotice = (notice) => notices.push(notice);
  feed.link("open");
  for (const channel of [...Object.values(CHANNELS), ACCOUNT]) {
    feed.say({ type: "subscribing", channel });
  }
  const sequences = new Map<string, number>();
  return {
    feed,
    manager,
    firings,
    /** Firings in words, without the account. */
    fired,
    notices,
    noticed: () =>
      notices.map(({ kind, value, why }) => [kind, value, why].filter(Boolean).join(": ")),
    /** @param rule with @ for the account */
    set: (rule: string) => manager.add(alertRule(rule.replace(/^@/, ACCOUNT)), "screen"),
    conditions: () => manager.alerts.map(selectAlertCondition),
    whyNot: () => manager.alerts.map(({ state }) => state.notEvaluated),
    /** The next numbered update of a channel; the first one is a snapshot. */
    update(channel: string, fields: object, isFirst = !sequences.has(channel)) {
      const sequence = (sequences.get(channel) ?? 0) + 1;
      sequences.set(channel, sequence);
      const previous_sequence = isFirst ? null : `${sequence - 1}`;
      feed.update(channel, { previous_sequence, sequence: `${sequence}`, ...fields }, isFirst);
    },
    stats: (record: object, isFirst = false) =>
      feed.update(CHANNELS.stats, { ...UNNUMBERED, market_stats: [record] }, isFirst),
    seconds(count: number) {
      for (let i = 0; i < count; i++) {
        feed.advance(1000);
        feed.link(feed.store.link?.state ?? "open");
        manager.tick();
      }
    },
    /** Only the wall clock. */
    jump(ms: number) {
      jumpedMs += ms;
    },
  };
}
