// What a live session keeps of its last minutes, as the dashboard goes through it.

import type { OpenPast } from "../../screen/shown.ts";
import type { Store } from "../../state/store.ts";
import type { HistoryBuffer } from "../../timeline/history-buffer.ts";
import { TimelineCursor } from "../../timeline/timeline-cursor.ts";

/** Opens a history buffer for the dashboard. A step goes to what happened to the channels that are shown, or to the link. */
export function openPast(historyBuffer: HistoryBuffer<Store>): OpenPast {
  return (atMs) => {
    const cursor = new TimelineCursor(historyBuffer, atMs);
    return {
      get store() {
        return cursor.state;
      },
      get atMs() {
        return cursor.atMs;
      },
      get wallMs() {
        return cursor.wallMs;
      },
      get startMs() {
        return historyBuffer.startMs;
      },
      goTo: (ms) => cursor.goTo(ms),
      step: (by, channels) =>
        cursor.step(by, (channel, entry) =>
          channel === undefined ? "event" in entry : channels.includes(channel),
        ),
    };
  };
}
