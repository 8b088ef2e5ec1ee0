// The frame around a view's only table.
import type { PaneStatus } from "../../select/status.ts";
import type { FramedPane } from "./FramedCanvas.tsx";
import type { TablePane } from "./table-pane.ts";

/** What a model has that shows one table. */
interface Tabled {
  readonly channels: readonly string[];
  readonly table: TablePane;
  readonly status: PaneStatus;
}

/** A pane that holds the model's table and has the focus. Never throws. */
export function tableFrame(model: Tabled): FramedPane {
  return {
    channels: () => model.channels,
    title: () => model.table.title(),
    status: () => model.status,
    isFocused: () => true,
    paint: (surface, inner, theme) => model.table.paint(surface, inner, theme, true),
  };
}
