// Alerts as the command line and the config file give them, and what their firing does.

import type { GivenAlert } from "../alerts/alert.ts";
import { createEffects, type Effects } from "../alerts/effects.ts";
import { marketOfRule, parseRule } from "../alerts/rule.ts";
import { readMarket } from "../rows/market.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Config } from "./config/config-keys.ts";
import type { Context } from "./context.ts";
import type { Live } from "./live.ts";
import type { Options } from "./options.ts";
import { isSymbol } from "./targets.ts";

const FORM = "expected: [MARKET] SUBJECT >|< VALUE [every D], as in 'perp/1 last > 65000'";

/** @param market of rules that name none. @throws {UsageError} when a rule of --alert cannot be parsed */
export function checkRules({ alert = [] }: Options, market: string | undefined): void {
  // Only the service knows.
  const findMarket = (name: string) => (isSymbol(name) || readMarket(name) ? "perp/0" : undefined);
  for (const text of alert) {
    const parsed = parseRule(text, { market, findMarket });
    if ("fault" in parsed)
      throw new UsageError(`--alert ${JSON.stringify(text)}: ${parsed.fault}`, FORM);
  }
}

export function givenAlerts(
  { alert = [] }: Options,
  { alerts = [] }: Config,
): readonly GivenAlert[] {
  return [...alerts, ...alert.map((when) => ({ when }))];
}

export function openEffects(
  { clock, env }: Pick<Context, "clock" | "env">,
  { recorder, saveLast }: Live,
  { onFault, isMasked }: { onFault(text: string): void; isMasked(): boolean },
): Effects {
  return createEffects({
    ...{ clock, env, onFault },
    onFire: ({ rule }) => recorder.event({ event: "alert", detail: rule.text }),
    save(folder, fromMs, { rule }) {
      const market = marketOfRule(rule);
      const account = rule.kind === "level" ? rule.target.account : undefined;
      const [address = "", id] = account?.split("/") ?? [];
      saveLast(folder, fromMs, {
        name: market ?? (account === undefined ? "link" : `${address.slice(0, 4)}-${id}`),
        ...{ cause: `alert: ${rule.text}`, isMasked: isMasked() },
        shown: {
          view: account === undefined ? "market" : "account",
          ...{ market, account, addresses: account === undefined ? [] : [address] },
          interval: "1m",
        },
      });
    },
  });
}
