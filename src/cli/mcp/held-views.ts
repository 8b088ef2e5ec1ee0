// Views between two calls of `monitor mcp`: they stay subscribed, so that the next answer comes at once.

import { type AlertSet, createAlertSet } from "../../alerts/alert-set.ts";
import type { HeadlessView } from "../../print/headless-view.ts";
import type { Moment } from "../../rows/moment.ts";
import type { Store } from "../../state/store.ts";
import { every } from "../../units/clock.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { formatJson } from "../../wire/json.ts";
import { givenAlerts } from "../alerts.ts";
import type { Config } from "../config/config-keys.ts";
import { openPersistedState, readAlerts } from "../config/persisted-state.ts";
import type { Settings } from "../config/settings.ts";
import type { Context } from "../context.ts";
import { knownMarket } from "../find-market.ts";
import { formatAllMissing, untilAnswered } from "../headless.ts";
import { DEFAULT_TIMEOUT_MS, type Live } from "../live.ts";

/** Those that were asked for last. */
const MAX_VIEWS = 8;
const TICK_MS = 1000;

/** What is asked of a view here. */
export type HeldView = Pick<HeadlessView, "needed" | "besides" | "json">;

/** JSON text, and what never came. */
export interface Answer {
  readonly text: string;
  readonly missing?: string;
}

export interface HeldViews {
  readonly alerts: AlertSet;
  moment(): Moment;
  /** Waits for the data of channels that are subscribed. @returns what never came; empty when all has */
  wait(view: Pick<HeldView, "needed" | "besides">): Promise<string>;
  /** Subscribes a view, waits for its data and shows it alone. @param key the same for the same view; `shorten` what it shows */
  look(key: string, open: () => HeldView, shorten?: (json: object) => object): Promise<Answer>;
  close(): void;
}

/** The list of markets and what alerts are about are always subscribed. */
export async function openHeldViews(
  context: Context,
  live: Live,
  config: Config,
  { aliases }: Settings,
): Promise<HeldViews> {
  const { clock, options } = context;
  const { store } = live.session;
  const held = new Map<string, { readonly view: HeldView; readonly calls: Set<Promise<Answer>> }>();
  const moment = (): Moment => ({ store, nowMs: clock.now(), wallMs: clock.wall() });
  const alerts = createAlertSet({
    moment,
    context: () => ({
      market: undefined,
      findMarket: (name) => knownMarket(store, aliases, name),
    }),
    onEvent() {},
  });
  const channelsOf = ({ needed, besides }: HeldView) => [...needed(store), ...besides(store)];
  const follow = () =>
    live.session.setChannels([
      ...["markets", ...alerts.channels],
      ...[...held.values()].flatMap(({ view }) => channelsOf(view)),
    ]);

  /** The one that was asked for first goes, as soon as one is not being answered. */
  async function makeRoom(): Promise<void> {
    const [idle] = [...held].find(([, { calls }]) => calls.size === 0) ?? [];
    const answers = [...held.values()].flatMap(({ calls }) => [...calls]);
    if (idle === undefined) await Promise.race(answers).catch(() => {});
    else held.delete(idle);
  }

  live.listen({
    onUpdate(update, place) {
      const isSettled = alerts.note(update, place);
      if (isSettled || LEADING.has(update.kind)) follow();
    },
  });
  const stop = every(clock, TICK_MS, alerts.tick);
  const persisted = openPersistedState(context.env);
  alerts.replace([...givenAlerts(options, config), ...readAlerts(persisted)]);
  live.readPast({});
  follow();
  const wait: HeldViews["wait"] = async (view) => {
    const { timeout = DEFAULT_TIMEOUT_MS } = options;
    const end = await untilAnswered(live, view, timeout);
    if (end === "interrupted") throw new UsageError("monitor is ending");
    return formatAllMissing(view, store);
  };
  async function show(view: HeldView, shorten: (json: object) => object): Promise<Answer> {
    follow();
    const missing = await wait(view);
    const own = only(store, new Set(channelsOf(view)));
    return { text: formatJson(shorten(view.json({ ...moment(), store: own }))), missing };
  }
  return {
    ...{ alerts, moment, wait, close: stop },
    async look(key, open, shorten = (json) => json) {
      while (!held.has(key) && held.size >= MAX_VIEWS) await makeRoom();
      // From here on nothing is waited for: it is being answered as soon as it is held.
      const entry = held.get(key) ?? { view: open(), calls: new Set() };
      held.delete(key);
      held.set(key, entry);
      const call = show(entry.view, shorten);
      entry.calls.add(call);
      return call.finally(() => entry.calls.delete(call));
    },
  };
}

/** What a view needs further depends on these. */
const LEADING = new Set(["markets", "accounts", "account"]);

/** As if nothing else were subscribed: a view names its panes by kind, and has one of each. */
function only(store: Store, channels: ReadonlySet<string>): Store {
  const of = <T>(all: ReadonlyMap<string, T>) =>
    new Map([...all].filter(([channel]) => channels.has(channel)));
  return { ...store, states: of(store.states), channels: of(store.channels) };
}
