// All markets in one table, each with its figures.
import { useMemo } from "react";
import { FramedCanvas, type FramedPane } from "../../panes/FramedCanvas.tsx";
import type { Theme } from "../../theme.ts";
import type { ViewProps } from "../view.ts";
import type { MarketsModel } from "./markets-model.ts";

export function MarketsView({ dashboard, model, theme, width, height }: ViewProps<MarketsModel>) {
  const pane = useMemo(() => paneOf(model, theme), [model, theme]);
  return (
    <FramedCanvas pane={pane} dashboard={dashboard} theme={theme} width={width} height={height} />
  );
}

function paneOf(model: MarketsModel, theme: Theme): FramedPane {
  return {
    channels: () => model.channels,
    title: () => model.table.title(),
    status: () => model.status,
    isFocused: () => true,
    paint: (surface, inner) => model.table.paint(surface, inner, theme, true),
  };
}
