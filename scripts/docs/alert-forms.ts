// What an alert can watch, by examples, for the reference; a test checks that each of them is taken.
// A, ID: an address of the stream and one of its subaccounts.

/** Rules, and when they fire. */
export const ALERT_FORMS: readonly (readonly [forms: readonly string[], words: string])[] = [
  [
    [
      "perp/1 last > 65000",
      "perp/1 mark > 65000",
      "perp/1 bid < 64000",
      "perp/1 ask > 2000 ticks",
      "perp/1 spread > 5",
      "perp/1 funding < 0",
      "perp/1 oi > 1000",
      "perp/1 imbalance > 80%",
    ],
    "the figure crosses the level; with `ticks` it needs no known scale",
  ],
  [
    ["perp/1 trade > 5 base", "perp/1 trade > 100000 quote", "perp/1 trade > 5 lots"],
    "a trade is larger",
  ],
  [
    [
      "perp/1 change 5m > 1%",
      "perp/1 delta 1m < -200 base",
      "perp/1 cvd < -500 base",
      "perp/1 vwap > 65000",
    ],
    "the figure over that time, or since the UTC day began, crosses; never while trades in it are missing",
  ],
  [
    ["perp/1 trades stale 30s", "perp/1 book stale 1m", "perp/1 bbo stale 10s"],
    "the channel has had no current data for so long",
  ],
  [["offline 10s"], "there has been no connection for so long"],
  [
    ["account/A/ID liquidation perp/1 < 10%", "account/A/ID liquidation any < 10%"],
    "the mark price is this near the liquidation price of a position, in the direction in which it loses",
  ],
  [
    ["account/A/ID upnl perp/1 < -500", "account/A/ID position perp/1 < -2"],
    "the unrealised profit, or the signed size of a position, crosses",
  ],
  [
    ["account/A/ID margin > 80%", "account/A/ID equity < 1000"],
    "margin in use as a share of equity, or any number of the summary, crosses; where no equity is left, margin is more than any share",
  ],
];
