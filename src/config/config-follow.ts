// Themes, keys, names of markets and alerts of a config file that changes while the dashboard is on the screen.

import type { Context } from "../args/context.ts";
import type { Dashboard } from "../screen/dashboard.ts";
import type { Appearance } from "../screen/theme/theme.ts";
import type { Config } from "./config-file.ts";
import { locateConfig } from "./config-location.ts";
import { settlePreferences } from "./preferences.ts";

/** What reads the file is loaded when the first frame has long been drawn. */
const WATCH_AFTER_MS = 1000;
/** What is taken up at once; everything else counts from the next start. */
const LIVE: ReadonlySet<string> = new Set<keyof Config>([
  "theme",
  "themes",
  "palette",
  "red_up",
  "keys",
  "aliases",
  "alerts",
  "notify",
]);

/** Who hears of a changed file. */
export interface Followers {
  /** The settings of the start. */
  readonly config: Config;
  readonly dashboard: Dashboard;
  readonly appearance: Appearance;
  /** Takes up what else there is in it. */
  readonly onConfig?: ((config: Config) => void) | undefined;
}

/** A changed file is taken up; a broken one changes nothing and is told. Returns its undo. Never throws. */
export function followConfig(context: Context, followers: Followers): () => void {
  const { dashboard, appearance } = followers;
  const watch = async () => {
    const { watchConfig } = await import("./config-watch.ts");
    return watchConfig({
      location: await locateConfig(context),
      clock: context.clock,
      onConfig(config) {
        const { theme, keymap } = settlePreferences(context.options, config);
        appearance.change(theme);
        dashboard.aliases = config.aliases ?? {};
        dashboard.setKeymap(keymap);
        followers.onConfig?.(config);
        dashboard.warn(laterWords(followers.config, config));
      },
      onProblem: (problem) => dashboard.warn(`config file not taken up: ${problem}`),
    });
  };
  let isOver = false;
  let stop = context.clock.after(WATCH_AFTER_MS, () => {
    void watch().then((undo) => {
      stop = undo;
      if (isOver) undo();
    });
  });
  return () => {
    isOver = true;
    stop();
  };
}

/** Names the settings that have changed since the start and count from the next one; empty when there are none. */
function laterWords(start: Config, config: Config): string {
  const later = (Object.keys({ ...start, ...config }) as (keyof Config)[]).filter(
    (name) => !LIVE.has(name) && JSON.stringify(start[name]) !== JSON.stringify(config[name]),
  );
  return later.length === 0 ? "" : `config file taken up; from the next start: ${later.join(", ")}`;
}
