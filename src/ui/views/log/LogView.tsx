// What happened lately.
import { useMemo } from "react";
import { FramedCanvas } from "../../panes/FramedCanvas.tsx";
import type { ViewProps } from "../view.ts";
import type { LogModel } from "./log-model.ts";

export function LogView({ dashboard, model, theme, width, height }: ViewProps<LogModel>) {
  const pane = useMemo(() => model.paneWith(theme), [model, theme]);
  return (
    <FramedCanvas pane={pane} dashboard={dashboard} theme={theme} width={width} height={height} />
  );
}
