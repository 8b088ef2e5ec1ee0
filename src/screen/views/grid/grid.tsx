// The view of several watched markets at once: a small chart of each, with its last price, its change and its own state.
//
//   ╭ BTC-PERP ──── ● live ╮╭ ETH-PERP ──── ● live ╮
//   │ ▲ 97,114.00  +0.12%  ││ ▼ 3,399.94  -0.31%   │
//   │   ╷┃╻                ││ ╻┃╷                  │
//   ╰──────────────────────╯╰──────────────────────╯
import { Box } from "ink";
import { useSelected } from "../../changes.ts";
import { FramedCanvas } from "../../panes/frame.tsx";
import type { View, ViewProps } from "../view.ts";
import { GridModel } from "./model.ts";

function GridView({ parts, model, theme, width, height }: ViewProps<GridModel>) {
  const { columns, rows } = useSelected(parts.changes, () => model.layoutFor(width, height));
  const count = useSelected(parts.changes, () => Math.max(1, model.page.length));
  const cells = Array.from({ length: rows }, (_, row) =>
    model.panes
      .slice(0, count)
      .slice(row * columns)
      .slice(0, columns),
  ).filter((line) => line.length > 0);
  return (
    <>
      {cells.map((line, row) => (
        <Box key={line[0]?.slot} flexDirection="row" flexShrink={0}>
          {line.map((pane, column) => (
            <FramedCanvas
              key={pane.slot}
              {...{ pane, parts, theme }}
              width={getPart(width, columns, column)}
              height={getPart(height, rows, row)}
            />
          ))}
        </Box>
      ))}
    </>
  );
}

/** What does not divide goes to the first ones. */
function getPart(whole: number, parts: number, at: number): number {
  return Math.floor(whole / parts) + (at < whole % parts ? 1 : 0);
}

/** The view of a grid of watched markets; of the market that is shown while none is watched. */
export const gridView: View<GridModel> = {
  name: "grid",
  title: "Grid",
  action: "showGrid",
  isThere: ({ watchlist, shown }) => watchlist.markets.length > 0 || shown.market !== undefined,
  createModel: (parts) => new GridModel(parts),
  Component: GridView,
};
