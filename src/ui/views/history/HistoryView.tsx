// One listing in a table, with the line in which a time to jump to is typed.
import { useMemo } from "react";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { cutText } from "../../../terminal/cells/text-cells.ts";
import { visible } from "../../../terminal/visible.ts";
import { FramedCanvas, type FramedPane } from "../../panes/FramedCanvas.tsx";
import type { Inner } from "../../panes/frame.ts";
import type { Theme } from "../../theme.ts";
import type { ViewProps } from "../view.ts";
import type { HistoryModel } from "./history-model.ts";

export function HistoryView({ dashboard, model, theme, width, height }: ViewProps<HistoryModel>) {
  const pane = useMemo(() => paneOf(model, theme), [model, theme]);
  return (
    <FramedCanvas pane={pane} dashboard={dashboard} theme={theme} width={width} height={height} />
  );
}

function paneOf(model: HistoryModel, theme: Theme): FramedPane {
  return {
    channels: () => [],
    title: () => model.table.title(),
    status: () => model.status,
    isFocused: () => true,
    paint(surface: Surface, inner: Inner) {
      const foot = model.foot(inner.width);
      const lines = foot === "" || inner.height < 3 ? 0 : 1;
      const height = inner.height - lines;
      model.table.paint(surface, { ...inner, height }, theme, true);
      if (lines === 0) return;
      const text = cutText(visible(foot), inner.width);
      surface.text(inner.x, inner.y + height, text, theme.key);
    },
  };
}
