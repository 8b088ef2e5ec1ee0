// What an alert can watch, by examples: the reference is made from this table, and a test holds that alerts/alert-rule.ts parses
// each of them. A, ID: an address of the stream and one of its subaccounts.

/** Rules in words, and when they fire. */
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
    "the number crosses the level; `ticks` in the place of the currency works without a scale",
  ],
  [
    ["perp/1 trade > 5 base", "perp/1 trade > 100000 quote", "perp/1 trade > 5 lots"],
    "trades of one moment and side, taken for one taker's, come to more",
  ],
  [
    [
      "perp/1 change 5m > 1%",
      "perp/1 delta 1m < -200 lots",
      "perp/1 cvd < -500 base",
      "perp/1 vwap > 65000",
    ],
    "the figure, of a window of time where one is named, crosses; never while trades in it are missing",
  ],
  [
    ["perp/1 trades stale 30s", "perp/1 bbo stale", "perp/1 book stale 1m"],
    "the channel has been neither live nor quiet for so long, at once without a time",
  ],
  [["perp/1 gap", "perp/1 book gap"], "something of the channel was missed"],
  [["offline 10s"], "there has been no connection for so long"],
  [
    ["account/A/ID liquidation perp/1 < 10%", "account/A/ID liquidation any < 10%"],
    "the mark price is near to the price of liquidation: both as the service names them, no formula; the mark of the position, else of its market. 0 once it is reached",
  ],
  [
    ["account/A/ID upnl perp/1 < -500", "account/A/ID upnl any < -500"],
    "a position has gained or lost that much, as the service names it",
  ],
  [
    ["account/A/ID margin > 80%", "account/A/ID margin > 5000"],
    "margin in use, of the equity; without `%` the amount",
  ],
  [
    ["account/A/ID equity < 1000"],
    "any number of the summary crosses, by what it means or by its field name; dots lead into objects",
  ],
  [["account/A/ID position perp/1 < 0"], "a position turns, or crosses a size; short is negative"],
  [["account/A/ID fill", "account/A/ID order-gone"], "a fill comes, an order has gone"],
  [
    ["account/A/any margin > 80%"],
    "the same of any subaccount of the address that is not closed, and so for every rule of an account; each crosses for itself, and the firing names it. At most 16 are subscribed, unless `--max` says otherwise: others are said",
  ],
];

/** What may stand behind a rule, and what it does. */
export const ALERT_OPTIONS: readonly (readonly [form: string, words: string])[] = [
  ["every", "fires again and again, a minute apart at least; without it once"],
  ["every 10m", "the same, so long apart; `every 0s` at each crossing"],
  [
    "hysteresis 5",
    "a value must go back so far before it can cross again, in the unit of the level",
  ],
  ["for 8h", "it ends after so much of the program's own time"],
  ["until 2027-01-01T00:00:00Z", "it ends then, by the wall clock"],
];
