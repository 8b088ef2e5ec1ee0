// A view of a session: on the screen, or printed.

import type { View } from "../screen/pane.ts";
import type { Shown } from "../timeline/entry.ts";
import type { Config } from "./config/config-keys.ts";
import type { Context } from "./context.ts";
import { isHeadless, runHeadless } from "./headless.ts";
import { type Live, type Service, withLive } from "./live.ts";
import { printOptions } from "./preferences.ts";

export interface ViewRun {
  readonly service: Service;
  readonly config: Config;
  /** Subscribed at once. */
  readonly channels: readonly string[];
  /** In place of the view that `Shown` names. */
  readonly view?: View;
}

/** @param choose what is shown, as far as it needs the session. @returns the exit code. @throws {UsageError} for options that exclude each other */
export function runView(
  context: Context,
  { service, config, channels, ...own }: ViewRun,
  choose: (live: Live) => Shown | Promise<Shown>,
): Promise<number> {
  const isPrinted = isHeadless(context);
  return withLive(context, service, channels, async (live) => {
    const shown = await choose(live);
    live.begin(shown);
    if (isPrinted) {
      if (shown.view === "market") live.readPast({ flowSinceMs: shown.flowSinceMs });
      const { headlessView } = await import("../print/headless-view.ts");
      return runHeadless(context, live, headlessView(shown, printOptions(context, config)));
    }
    const { showDashboard } = await import("./show.ts");
    return showDashboard(context, live, { config, shown, ...own });
  });
}
