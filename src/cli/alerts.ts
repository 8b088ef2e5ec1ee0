// Alerts as the command line and the config file give them, and what their firing does.

import type { GivenAlert } from "../alerts/alert.ts";
import { createEffects, type Effects } from "../alerts/effects.ts";
import { marketOfRule, parseRule, type Rule } from "../alerts/rule.ts";
import { readMarket } from "../rows/market.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Config } from "./config/config-keys.ts";
import type { Context, Options } from "./context.ts";
import type { Live } from "./live.ts";
import { isSymbol } from "./targets.ts";

/** @param market of rules that name none. @throws {UsageError} when a rule of --alert cannot be parsed */
export function checkRules({ alert = [] }: Options, market: string | undefined): void {
  for (const text of alert) {
    const parsed = parseRule(text, {
      market,
      // Only the service knows.
      findMarket: (name) => (isSymbol(name) || readMarket(name) ? "perp/0" : undefined),
    });
    if ("fault" in parsed)
      throw new UsageError(
        `--alert ${JSON.stringify(text)}: ${parsed.fault}`,
        "expected: --alert '[MARKET] SUBJECT >|< VALUE [every D]', as in 'perp/1 last > 65000'",
      );
  }
}

export function givenAlerts(
  { alert = [] }: Options,
  { alerts = [] }: Config,
): readonly GivenAlert[] {
  return [...alerts, ...alert.map((when) => ({ when }))];
}

export interface EffectListener {
  onFault(text: string): void;
  isMasked(): boolean;
}

export function openEffects(
  { clock, env }: Pick<Context, "clock" | "env">,
  { recorder, saveLast }: Live,
  { onFault, isMasked }: EffectListener,
): Effects {
  return createEffects({
    ...{ clock, env, onFault },
    onFire: ({ rule }) => recorder.event({ event: "alert", detail: rule.text }),
    save(folder, fromMs, { rule }) {
      const name = marketOfRule(rule) ?? accountOf(rule)?.replace(/^(.{4}).*\//, "$1-") ?? "link";
      saveLast(folder, fromMs, {
        ...{ name, cause: `alert: ${rule.text}`, isMasked: isMasked() },
        shown: shownOf(rule),
      });
    },
  });
}

function accountOf(rule: Rule): string | undefined {
  return rule.kind === "level" ? rule.target.account : undefined;
}

function shownOf(rule: Rule) {
  const account = accountOf(rule);
  const [address] = account?.split("/") ?? [];
  return {
    view: account === undefined ? ("market" as const) : ("account" as const),
    ...{ market: marketOfRule(rule), account, interval: "1m" },
    addresses: address === undefined ? [] : [address],
  };
}
