// All alerts in one table: what each watches, whether it is armed, and when it fired last.
import { useMemo } from "react";
import { FramedCanvas, type FramedPane } from "../../panes/FramedCanvas.tsx";
import type { Theme } from "../../theme.ts";
import type { ViewProps } from "../view.ts";
import type { AlertsModel } from "./alerts-model.ts";

export function AlertsView({ dashboard, model, theme, width, height }: ViewProps<AlertsModel>) {
  const pane = useMemo(() => paneOf(model, theme), [model, theme]);
  return (
    <FramedCanvas pane={pane} dashboard={dashboard} theme={theme} width={width} height={height} />
  );
}

function paneOf(model: AlertsModel, theme: Theme): FramedPane {
  return {
    channels: () => model.channels,
    title: () => model.table.title(),
    status: () => model.status,
    isFocused: () => true,
    paint: (surface, inner) => model.table.paint(surface, inner, theme, true),
  };
}
