import { AlertManager } from "../../src/alerts/alert-manager.ts";
import { type AlertRule, parseAlert } from "../../src/alerts/alert-rule.ts";
import { openScales } from "../../src/select/scale.ts";
import type { MarketFeed } from "./market-feed.ts";

/** @throws {Error} where the rule has a fault */
export function alertRule(text: string): AlertRule {
  const parsed = parseAlert(text);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return parsed.rule;
}

/** Alerts over the store of a feed, on its clock. */
export function openAlerts(feed: MarketFeed, scales = openScales(feed.store, {})): AlertManager {
  const now = () => feed.nowMs;
  return new AlertManager({ store: feed.store, scales, now, wall: now });
}
