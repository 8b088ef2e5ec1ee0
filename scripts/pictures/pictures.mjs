// The pictures of the documents: arguments, keys to press, and what the screen must show.
const LARGE = { columns: 120, rows: 40 };

const LIVE = / Book .*● live /;
/** Two times on the axis of the chart: its past has been listed. */
const PAST = /\d\d:\d0 {4,}\d\d:\d0 /;
const defaults = { ...LARGE, args: ["demo", "--seed", "7"], first: [LIVE], keys: "" };

/** Name of the file, alternative text, and how it is made: `first` must be on screen before a key is pressed. */
export const PICTURES = [
  { name: "dashboard", title: "The dashboard of one market", shows: [LIVE, PAST] },
  {
    name: "dashboard-80x24",
    title: "The dashboard on a small terminal",
    ...{ columns: 80, rows: 24 },
    shows: [LIVE, PAST],
  },
  {
    name: "footprint",
    title: "Candles with what was bought and sold at each price",
    keys: "3zu",
    shows: [/\d×\d.*\d×\d.*\d×\d/],
  },
  {
    name: "account",
    title: "All subaccounts of an address, the most endangered on top",
    keys: "A\u001b",
    shows: [/\/1 .* live /, /\/2 .* live /],
  },
].map((picture) => ({ ...defaults, ...picture }));

/** Initial size of the screen. */
export const FIRST_SIZE = LARGE;
