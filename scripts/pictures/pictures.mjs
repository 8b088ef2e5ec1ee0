// The pictures of the documents: arguments, keys to press, and what the screen must show.
const LARGE = { columns: 120, rows: 40 };

const LIVE = / Book .*● live /;
/** Two times on the axis of the chart: its past has been listed. */
const PAST = /\d\d:\d0 {4,}\d\d:\d0 /;
const defaults = { ...LARGE, args: ["demo", "--seed", "7"], first: [LIVE] };
const still = (keys, ...shows) => ({ scenes: [{ keys, shows }] });
const scene = (caption, keys, ...shows) => ({ caption, keys, shows });

/**
 * Name of the file, alternative text, and how it is made: `first` must be on screen before a key is pressed. With `seconds`, each
 * scene is shown so long.
 */
export const PICTURES = [
  {
    name: "session",
    title:
      "A session: market, cost of an amount, footprint, back in time, account, markets, another market, funding",
    seconds: 4,
    scenes: [
      scene("$ monitor demo", "", LIVE, PAST),
      scene("c: a cursor in the book, and what it costs to trade up to there", "\tcjjj", /avg \d/),
      scene("3 u: chart and book, each candle with what was sold × bought", "3u", /\d×\d.*\d×\d/),
      scene("f , ,: frozen, and back change by change, in every view", "u1f,,,", /PAST/),
      scene(
        "; A: all subaccounts, the most endangered on top",
        ";A\u001b",
        /\/1 .* live /,
        /\/2 .* live /,
      ),
      scene("M: all markets", "M", /ETH-PERP .*%/, /SOL-PERP .*%/),
      scene(": finds everything: sol", ":sol", /Go to/, /SOL-PERP/),
      scene("Enter: its market", "\r", /^.*\n SOL-PERP/, LIVE, PAST),
      scene("F: funding, past and next", "F", /Funding of/),
    ],
  },
  { name: "dashboard", title: "The dashboard of one market", ...still("", LIVE, PAST) },
  {
    name: "dashboard-80x24",
    title: "The dashboard on a small terminal",
    ...{ columns: 80, rows: 24 },
    ...still("", LIVE, PAST),
  },
  {
    name: "footprint",
    title: "Candles with what was bought and sold at each price",
    ...still("3zu", /\d×\d.*\d×\d.*\d×\d/),
  },
  {
    name: "account",
    title: "All subaccounts of an address, the most endangered on top",
    ...still("A\u001b", /\/1 .* live /, /\/2 .* live /),
  },
].map((picture) => ({ ...defaults, ...picture }));
