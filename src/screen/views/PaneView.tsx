// A view that is one pane: a table, a listing, a list of its own.
import { useMemo } from "react";
import { FramedCanvas, type FramedPane } from "../panes/FramedCanvas.tsx";
import type { ViewModel, ViewProps } from "./view.ts";

/** A model whose view is one pane. */
export interface PaneModel extends ViewModel {
  createPane(): FramedPane;
}

/** The component of a view whose model is one pane. */
export function PaneView({ dashboard, model, theme, width, height }: ViewProps<PaneModel>) {
  const pane = useMemo(() => model.createPane(), [model]);
  return (
    <FramedCanvas pane={pane} dashboard={dashboard} theme={theme} width={width} height={height} />
  );
}
