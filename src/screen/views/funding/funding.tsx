// The funding rates of a perpetual market:
//
//   header: newest rate, for a year, carry of the watched position
//   ╭ chart ─────────╮
//   ├ rates ─────────┤
//   ╰────────────────╯
import { useCallback, useMemo } from "react";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { FramedCanvas, type FramedPane, Line } from "../../panes/frame.tsx";
import type { View, ViewProps } from "../view.ts";
import { FundingModel } from "./model.ts";
import { paintFundingChart, paintFundingHeader } from "./paint.ts";

/** Below this height the chart leaves its room to the table. */
const MIN_HEIGHT_WITH_CHART = 16;
const HEADER_ROWS = 1;

/** The next payment above the chart and the table of rates. */
function FundingView({ parts, model, theme, width, height }: ViewProps<FundingModel>) {
  const chart = useMemo(() => chartPane(model), [model]);
  const channels = useCallback(() => model.channels, [model]);
  const drawHeader = useCallback(
    (surface: Surface) => paintFundingHeader(surface, model, theme),
    [model, theme],
  );
  const headerRows = height > HEADER_ROWS + 1 ? HEADER_ROWS : 0;
  const room = height - headerRows;
  const chartHeight = room >= MIN_HEIGHT_WITH_CHART ? Math.floor(room / 2) : 0;
  const common = { parts, theme, width };
  return (
    <>
      <Line {...{ parts, width, channels }} rows={headerRows} paint={drawHeader} />
      {chartHeight > 0 && <FramedCanvas {...common} pane={chart} height={chartHeight} />}
      <FramedCanvas {...common} pane={model.pane} height={room - chartHeight} />
    </>
  );
}

function chartPane(model: FundingModel): FramedPane {
  const points = () => model.shows.data?.funding.points;
  return {
    channels: () => model.channels,
    title: () => [`Funding rates ${points()?.length ?? ""}`.trimEnd()],
    status: () => model.status,
    isFocused: () => false,
    paint: (surface, inner, theme) =>
      paintFundingChart(surface, inner, points() ?? [], theme, model.parts.shown.display),
  };
}

export const fundingView: View<FundingModel> = {
  name: "funding",
  title: "Funding",
  action: "showFunding",
  isThere: ({ shown: { market } }) => market?.type === "perp",
  missing: "perpetual markets only",
  createModel: (parts) => new FundingModel(parts),
  Component: FundingView,
};
