// The pane of a listing: its table, and below it the line in which a time is typed or sums are told.
import { cutText } from "../../../terminal/cells/text-cells.ts";
import { visible } from "../../../terminal/visible.ts";
import type { FramedPane } from "../../panes/FramedCanvas.tsx";
import { tableFrame } from "../../panes/table-frame.ts";
import type { HistoryModel } from "./history-model.ts";

/** The pane of a listing. */
export function historyPane(model: HistoryModel): FramedPane {
  const frame = tableFrame(model);
  return {
    ...frame,
    isFreezable: false,
    paint(surface, inner, theme) {
      const foot = model.foot(inner.width);
      const lines = foot === "" || inner.height < 3 ? 0 : 1;
      const height = inner.height - lines;
      frame.paint(surface, { ...inner, height }, theme);
      if (lines === 0) return;
      const text = cutText(visible(foot), inner.width);
      surface.text(inner.x, inner.y + height, text, theme.key);
    },
  };
}
