// What an alert can watch, by examples: the source of the reference; a test checks that alerts/alert-rule.ts parses each of them.
// A, ID: an address of the stream and one of its subaccounts.

/** Rules, and when they fire. */
export const ALERT_FORMS: readonly (readonly [forms: readonly string[], words: string])[] = [
  [
    [
      "perp/1 last > 65000",
      "perp/1 bid < 64000",
      "perp/1 ask crosses 65000 ticks",
      "perp/1 mark > 65000",
      "perp/1 index > 65000",
      "perp/1 funding < 0",
      "perp/1 spread > 5 bp",
      "perp/1 imbalance > 80%",
    ],
    "the number crosses the level; with `ticks` instead of the currency it works without a known scale",
  ],
  [
    ["perp/1 trade > 5 base", "perp/1 trade > 100000 quote", "perp/1 trade > 5 lots"],
    "trades of one moment and side, counted as one taker's, exceed this",
  ],
  [
    [
      "perp/1 change 5m > 1%",
      "perp/1 delta 1m < -200 lots",
      "perp/1 cvd < -500 base",
      "perp/1 vwap > 65000",
    ],
    "the figure, over the time window if one is given, crosses; never while trades in it are missing",
  ],
  [
    ["perp/1 trades stale 30s", "perp/1 bbo stale", "perp/1 book stale 1m"],
    "the channel has been neither live nor quiet for this long; without a time, at once",
  ],
  [["perp/1 gap", "perp/1 book gap"], "updates of the channel were missed"],
  [["offline 10s"], "there has been no connection for this long"],
  [
    ["account/A/ID liquidation perp/1 < 10%", "account/A/ID liquidation any < 10%"],
    "the mark price is this near the liquidation price, both as given by the service; the mark price of the position, else of its market. 0 once it is reached",
  ],
  [
    ["account/A/ID upnl perp/1 < -500", "account/A/ID upnl any < -500"],
    "the unrealised profit of a position, as given by the service, crosses",
  ],
  [
    ["account/A/ID margin > 80%", "account/A/ID margin > 5000"],
    "margin in use as a share of equity; without `%`, the amount",
  ],
  [
    ["account/A/ID equity < 1000"],
    "any number of the summary, by its meaning or its field name, crosses; dots lead into objects",
  ],
  [
    ["account/A/ID position perp/1 < 0"],
    "a position changes sides, or crosses a size; short is negative",
  ],
  [["account/A/ID fill", "account/A/ID order-gone"], "a fill arrives; an order has gone"],
  [
    ["account/A/any margin > 80%"],
    "the same for every open subaccount of the address, as with every account rule; each is judged separately and named in the firing. At most 16 are subscribed; the others are reported",
  ],
];

/** What may follow a rule, and its effect. */
export const ALERT_OPTIONS: readonly (readonly [form: string, words: string])[] = [
  ["every", "fires repeatedly, at least a minute apart; without it, once"],
  ["every 10m", "the same with another distance; `every 0s`: at each crossing"],
  [
    "hysteresis 5",
    "the value must go back this far before it can cross again, in the unit of the level",
  ],
  ["for 8h", "ends after this time, by the monotonic clock"],
  ["until 2027-01-01T00:00:00Z", "ends then, by the wall clock"],
];
