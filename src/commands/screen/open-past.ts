// What a live session keeps of its last minutes, as the dashboard goes through it.

import type { OpenPast } from "../../screen/shown.ts";
import type { Store } from "../../state/store.ts";
import type { Reel } from "../../timeline/reel.ts";
import { Rewound } from "../../timeline/rewound.ts";

/** Opens a reel for the dashboard. A step goes to what happened to the channels that are shown, or to the link. */
export function openPast(reel: Reel<Store>): OpenPast {
  return (atMs) => {
    const rewound = new Rewound(reel, atMs);
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
        return reel.startMs;
      },
      goTo: (ms) => rewound.goTo(ms),
      step: (by, channels) =>
        rewound.step(by, (channel, entry) =>
          channel === undefined ? "event" in entry : channels.includes(channel),
        ),
    };
  };
}
