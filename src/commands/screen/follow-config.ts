// Applies changes of the config file while the dashboard runs: themes, keys, number formats, market aliases and alerts.
import type { Context } from "../../args/context.ts";
import type { Config } from "../../config/config-file.ts";
import { locateConfig } from "../../config/config-location.ts";
import type { Dashboard } from "../../screen/dashboard.ts";
import type { Appearance } from "../../screen/theme/theme.ts";
import { resolvePreferences } from "../preferences.ts";

/** The checking code is loaded long after the first frame. */
const WATCH_AFTER_MS = 1000;
/** Keys applied at once; all others apply from the next start. */
const LIVE: ReadonlySet<string> = new Set<keyof Config>([
  "theme",
  "themes",
  "palette",
  "red_up",
  "numbers",
  "money_decimals",
  "time_zone",
  "keys",
  "aliases",
  "alerts",
  "notify",
]);

export interface Followers {
  readonly config: Config;
  readonly dashboard: Dashboard;
  readonly appearance: Appearance;
  readonly onConfig?: ((config: Config) => void) | undefined;
}

/** Applies each valid change; an invalid file changes nothing and is reported. @returns its stop function */
export function followConfig(context: Context, followers: Followers): () => void {
  const { dashboard, appearance } = followers;
  const watch = async () => {
    const [{ watchConfig }, { CONFIG_RULES: rules }] = await Promise.all([
      import("../../config/config-file.ts"),
      import("../config-rules.ts"),
    ]);
    const location = await locateConfig(context);
    const { clock } = context;
    return watchConfig({
      location,
      clock,
      rules,
      start: followers.config,
      isNeeded: false,
      onConfig: takeUp,
      onProblem: warn,
    });
  };
  const warn = (problem: string) => dashboard.warn(`config file not taken up: ${problem}`);
  const takeUp = (config: Config) => {
    const { theme, keymap, display } = resolvePreferences(context, config);
    dashboard.setDisplay(display);
    appearance.change(theme);
    dashboard.aliases = config.aliases ?? {};
    dashboard.setKeymap(keymap);
    followers.onConfig?.(config);
    dashboard.warn(formatLater(followers.config, config));
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

/** Names the changed settings that apply from the next start; empty if there are none. */
function formatLater(start: Config, config: Config): string {
  const later = (Object.keys({ ...start, ...config }) as (keyof Config)[]).filter(
    (name) => !LIVE.has(name) && JSON.stringify(start[name]) !== JSON.stringify(config[name]),
  );
  return later.length === 0 ? "" : `config file taken up; from the next start: ${later.join(", ")}`;
}
