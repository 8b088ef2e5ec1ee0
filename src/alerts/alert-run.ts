// The alerts of a run on the screen, with what happens in the world when one fires.

import type { Context } from "../args/context.ts";
import type { Config } from "../config/config-file.ts";
import type { PersistedState } from "../config/persisted-state.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import { AlertDesk } from "./alert-desk.ts";
import { AlertHooks, type NotifyWay, notificationOf } from "./alert-effects.ts";
import { parseAlertOptions, persistAlerts, restoreAlerts, setConfigAlerts } from "./alerts.ts";

/** What alerts look at, and what they can reach. */
export interface AlertRunOptions {
  readonly context: Context;
  readonly config: Config;
  readonly store: Store;
  readonly scales: Scales;
  /** Undefined where nothing is persisted: on the simulated exchange. */
  readonly persisted: PersistedState | undefined;
  /** Sends sequences that draw nothing. */
  readonly emit: (sequences: string) => void;
  /** Whether others may look on: what a notification tells of an account is hidden then. */
  readonly isMasked: () => boolean;
  /** The list, or what is said of one, is different. */
  readonly onChange: () => void;
}

const DEFAULT_WAYS: readonly NotifyWay[] = ["bell", "notification"];

/** The alerts of one run of the dashboard, set when it is made. */
export class AlertRun {
  readonly desk: AlertDesk;
  readonly #options: AlertRunOptions;
  #ways: readonly NotifyWay[];

  /** @throws {UsageError} when an --alert cannot be read */
  constructor(options: AlertRunOptions) {
    this.#options = options;
    const { context, config, store, scales, persisted } = options;
    const { clock } = context;
    const rules = parseAlertOptions(context.options.alert ?? []);
    const desk = new AlertDesk({
      store,
      scales,
      now: () => clock.now(),
      wall: () => clock.wall(),
    });
    this.desk = desk;
    this.#ways = config.notify ?? DEFAULT_WAYS;
    setConfigAlerts(desk, config);
    for (const rule of rules) desk.add(rule, "option");
    if (persisted !== undefined) restoreAlerts(desk, persisted);
    const hooks = new AlertHooks(clock, context.env);
    desk.onFire = (firing) => {
      options.emit(notificationOf(firing, this.#ways, options.isMasked()));
      void hooks.run(firing).then(() => desk.noteFault(hooks.fault));
    };
    desk.onChange = () => this.#noteChange();
  }

  /** Takes up a changed config file. */
  reload(config: Config): void {
    this.#ways = config.notify ?? DEFAULT_WAYS;
    setConfigAlerts(this.desk, config);
  }

  #noteChange(): void {
    const { persisted, onChange } = this.#options;
    if (persisted !== undefined) persistAlerts(this.desk, persisted);
    onChange();
  }
}
