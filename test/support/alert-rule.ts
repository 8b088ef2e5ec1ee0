import { type AlertRule, parseAlert } from "../../src/alerts/alert-rule.ts";

/** @throws {Error} where the rule has a fault */
export function alertRule(text: string): AlertRule {
  const parsed = parseAlert(text);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return parsed.rule;
}
