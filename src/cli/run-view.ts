// A view of a session: on the screen, or printed.

import type { View } from "../screen/pane.ts";
import type { Shown } from "../timeline/entry.ts";
import { isHeadless, runHeadless } from "./headless.ts";
import { type Live, withLive } from "./live.ts";
import { printOptions } from "./preferences.ts";
import type { Task } from "./prepare.ts";

/**
 * @param channels subscribed at once
 * @param choose what is shown, as far as it needs the session
 * @param view in place of the view that `Shown` names
 * @returns the exit code. @throws {UsageError} for options that exclude each other
 */
export function runView(
  task: Task,
  channels: readonly string[],
  choose: (live: Live) => Shown | Promise<Shown>,
  view?: View,
): Promise<number> {
  const isPrinted = isHeadless(task);
  return withLive(task, channels, async (live) => {
    const shown = await choose(live);
    live.begin(shown);
    if (isPrinted) {
      if (shown.view === "market") live.readPast({ flowSinceMs: shown.flowSinceMs });
      const { headlessView } = await import("../print/headless-view.ts");
      return runHeadless(task, live, headlessView(shown, printOptions(task)));
    }
    const { showDashboard } = await import("./show.ts");
    return showDashboard(task, live, shown, view);
  });
}
