// The views of a recorded session as text. A change of what users see is a change of a file in `screens/`; `npm run screens`
// writes them anew.
import { expect, test } from "vitest";
import { App } from "../../src/screen/App.tsx";
import { createTheme } from "../../src/screen/theme/theme.ts";
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

/** What is pressed in the view of the market to come to each screen, and the sizes at which it is looked at. */
const SCREENS: Readonly<Record<string, readonly [keys: string, sizes?: readonly Size[]]>> = {
  market: ["", SIZES],
  "market-flow": ["d o P S S"],
  "market-footprint": ["3 z u d d o"],
  heatmap: ["4 r left left down"],
  account: ["A"],
  "account-row": ["A return"],
  subaccounts: ["A escape"],
  markets: ["M"],
  funding: ["F"],
  trades: ["T"],
  liquidations: ["Q"],
  fills: ["O"],
  alerts: ["N"],
  link: ["L"],
  help: ["?"],
  palette: [": m a"],
  past: ["f ( ,"],
};

async function textOf([columns, rows]: Size, keys: readonly string[]): Promise<string> {
  const styles = new StyleTable();
  const dashboard = openScreenScene();
  const mounted = mountApp(<App dashboard={dashboard} theme={createTheme(styles)} />, {
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
  mounted.mounted.unmount();
  expect(mounted.reports).toEqual([]);
  return [`${columns}×${rows}`, ...terminal.text(), ""].join("\n");
}

test.each(Object.entries(SCREENS))("%s is drawn as it was", async (name, [keys, sizes = USUAL]) => {
  const texts: string[] = [];
  for (const size of sizes) texts.push(await textOf(size, keys.split(" ").filter(Boolean)));
  await expect(texts.join("\n")).toMatchFileSnapshot(`screens/${name}.txt`);
});
