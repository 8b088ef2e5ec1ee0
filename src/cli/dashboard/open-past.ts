// What a live session keeps of its last minutes, as the dashboard goes through it.
import { Rewound } from "../../record/rewound.ts";
import type { Tape } from "../../record/tape.ts";
import type { Store } from "../../store/store.ts";
import type { OpenPast } from "../../ui/standstill.ts";

/**
 * Opens a tape for the dashboard. A step goes to what happened to the channels that are shown, or to the link. Never
 * throws.
 */
export function openPast(tape: Tape<Store>): OpenPast {
  return (atMs) => {
    const rewound = new Rewound(tape, atMs);
    return {
      get store() {
        return rewound.state;
      },
      get atMs() {
        return rewound.atMs;
      },
      get wallMs() {
        return rewound.wallMs;
      },
      get startMs() {
        return tape.startMs;
      },
      goTo: (ms) => rewound.goTo(ms),
      step: (by, channels) =>
        rewound.step(by, (channel, entry) =>
          channel === undefined ? "event" in entry : channels.includes(channel),
        ),
    };
  };
}
