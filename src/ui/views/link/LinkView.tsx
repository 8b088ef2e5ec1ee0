// The link and every channel on it.
import { useMemo } from "react";
import { FramedCanvas } from "../../panes/FramedCanvas.tsx";
import type { ViewProps } from "../view.ts";
import type { LinkModel } from "./link-model.ts";

export function LinkView({ dashboard, model, theme, width, height }: ViewProps<LinkModel>) {
  const pane = useMemo(() => model.paneWith(theme), [model, theme]);
  return (
    <FramedCanvas pane={pane} dashboard={dashboard} theme={theme} width={width} height={height} />
  );
}
