// One subaccount, or the catalogue of an address while none is chosen:
//
//   header: address, state, equity, margin …
//   ╭ positions ───────────────────────────╮
//   ├ orders ──────────────────────────────┤
//   ├ fills ─────────────────┬ balances ───┤
//   ╰────────────────────────┴─────────────╯
import { useCallback, useEffect, useLayoutEffect, useMemo } from "react";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { Line } from "../../Line.tsx";
import type { FramedPane } from "../../panes/FramedCanvas.tsx";
import { PaneGroup } from "../../panes/PaneGroup.tsx";
import type { ViewProps } from "../view.ts";
import { ACCOUNT_PANES, type AccountPane, layOutAccount } from "./account-layout.ts";
import type { AccountModel } from "./account-model.ts";
import { paintAccountHeader } from "./header.ts";

/** The summary above the tables that fit. */
export function AccountView({ dashboard, model, theme, width, height }: ViewProps<AccountModel>) {
  const { isChosen } = model;
  const { layout: view, focus } = model.settings;
  const layout = useMemo(
    () => layOutAccount(width, height, { view, focus, isChosen }),
    [width, height, view, focus, isChosen],
  );
  useLayoutEffect(() => model.setOrder(layout.order), [model, layout.order]);
  useEffect(
    () => dashboard.source(() => model.channels)(() => model.chooseOnly()),
    [dashboard, model],
  );
  const panes = useMemo(() => accountPanes(model), [model]);
  const channels = useCallback(() => model.channels, [model]);
  const drawHeader = useCallback(
    (surface: Surface) => paintAccountHeader(surface, model, theme),
    [model, theme],
  );
  return (
    <>
      <Line
        dashboard={dashboard}
        width={width}
        rows={layout.headerRows}
        channels={channels}
        paint={drawHeader}
      />
      {layout.rows.map((row) => (
        <PaneGroup
          key={row.panes[0]?.pane}
          direction="row"
          placed={row.panes.map((placed) => ({ ...placed, height: row.height }))}
          {...{ panes, dashboard, theme }}
        />
      ))}
    </>
  );
}

function accountPanes(model: AccountModel): Readonly<Record<AccountPane, FramedPane>> {
  const panes = ACCOUNT_PANES.map((pane): [AccountPane, FramedPane] => [
    pane,
    {
      channels: () => model.channels,
      title: () => model.panes[pane].title(),
      status: () => model.statusOf(pane),
      isFocused: () => model.settings.focus === pane,
      paint: (surface, inner, theme) =>
        model.panes[pane].paint(surface, inner, theme, model.settings.focus === pane),
    },
  ]);
  return Object.fromEntries(panes) as Record<AccountPane, FramedPane>;
}
