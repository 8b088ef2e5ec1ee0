// Every view of a recorded session at four sizes, cell by cell: characters and the roles of their styles. A change of
// what users see is a change of a file in `screens/`; `npm run screens` writes them anew.
import { expect, test } from "vitest";
import { App } from "../../src/screen/App.tsx";
import { createTheme, STYLE_NAMES } from "../../src/screen/theme/theme.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { openScreenScene } from "../support/screen-scene.ts";
import { mountApp } from "../support/terminal/mounted-app.ts";

type Size = readonly [columns: number, rows: number];

const SIZES: readonly Size[] = [
  [160, 50],
  [120, 40],
  [80, 24],
  [40, 12],
];
const USUAL: readonly Size[] = [[120, 40]];

/** A colour for each role, so that roles can be told apart on the terminal, and a letter for each in the files. */
const LETTERS = ".ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".slice(
  0,
  STYLE_NAMES.length,
);
const colorOf = (i: number) => `#0000${(i + 1).toString(16).padStart(2, "0")}`;
const THEME = {
  theme: "roles",
  palette: "usual",
  isRedUp: false,
  custom: {
    roles: { looks: Object.fromEntries(STYLE_NAMES.map((name, i) => [name, colorOf(i)])) },
  },
} as const;

/** What is pressed in the view of the market to come to each screen, and the sizes at which it is looked at. */
const SCREENS: Readonly<Record<string, readonly [keys: string, sizes?: readonly Size[]]>> = {
  market: ["", SIZES],
  "market-cost": ["] ] c down C 2 return"],
  "market-scrolled": ["down down tab pagedown tab pagedown +"],
  "market-both": ["m m 4"],
  "market-flow": ["d o P S S", SIZES],
  "market-footprint": ["4 u d d o"],
  heatmap: ["h", SIZES],
  "heatmap-cursor": ["H r left left down"],
  account: ["A", SIZES],
  "account-row": ["A e"],
  "account-masked": ["A p"],
  "account-catalogue": ["A 7"],
  overview: ["U", SIZES],
  "overview-masked": ["U p"],
  markets: ["M", SIZES],
  "markets-sorted": ["M right right s s / p e r p"],
  "markets-columns": ["M c down down x"],
  watchlist: ["w", SIZES],
  funding: ["F", SIZES],
  trades: ["T", SIZES],
  liquidations: ["Q u"],
  fills: ["O"],
  alerts: ["N"],
  link: ["L", SIZES],
  log: ["E", SIZES],
  help: ["?", SIZES],
  palette: [": m a", SIZES],
  frozen: ["f", SIZES],
  past: ["f ( ,", SIZES],
  "past-account": ["A f ("],
};

/** Text and roles of one screen, as they are kept. */
async function pictureOf([columns, rows]: Size, keys: readonly string[]): Promise<string> {
  const styles = new StyleTable("truecolor");
  const dashboard = openScreenScene();
  const mounted = mountApp(<App dashboard={dashboard} theme={createTheme(styles, THEME)} />, {
    columns,
    rows,
    styles,
  });
  await mounted.settle();
  for (const key of keys) {
    dashboard.press(key);
    await mounted.settle();
  }
  const terminal = await mounted.shown();
  const roles = terminal.cells().map((row) => row.map(roleOf).join("").trimEnd());
  mounted.mounted.unmount();
  expect(mounted.reports).toEqual([]);
  return [`${columns}×${rows}`, ...terminal.text(), "", "roles", ...roles, ""].join("\n");
}

/** The letter of a cell's role; a space where it has none. */
function roleOf(cell: string): string {
  if (cell === "") return " ";
  const [character, foreground, background, ...flags] = cell.split("|").slice(-4);
  const place = STYLE_NAMES.findIndex((_, i) => foreground === colorOf(i));
  if (place >= 0) return character === " " ? " " : (LETTERS[place] ?? "!");
  return flags.length > 0 || background !== "-" ? "!" : " ";
}

test.each(Object.entries(SCREENS))("%s is drawn as it was", async (name, [keys, sizes = USUAL]) => {
  const legend = STYLE_NAMES.map((look, i) => `${LETTERS[i]} ${look}`).join("  ");
  const pictures: string[] = [];
  for (const size of sizes) pictures.push(await pictureOf(size, keys.split(" ").filter(Boolean)));
  await expect([legend, "", ...pictures].join("\n")).toMatchFileSnapshot(`screens/${name}.txt`);
});
