// One subaccount, or the catalogue of an address while none is chosen:
//
//   header: address, state, equity, margin …
//   ╭ positions ───────────────────────────╮
//   ├ orders ──────────────────────────────┤
//   ├ fills ─────────────────┬ balances ───┤
//   ╰────────────────────────┴─────────────╯
import { useCallback, useEffect, useLayoutEffect, useMemo } from "react";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { type FramedPane, Line, PaneGroup } from "../../panes/frame.tsx";
import type { View, ViewProps } from "../view.ts";
import { paintAccountHeader } from "./header.ts";
import { AccountModel } from "./model.ts";
import { ACCOUNT_PANES, type AccountPane, layOutAccount } from "./panes.ts";

/** The summary above the tables that fit. */
function AccountView({ dashboard, model, theme, width, height }: ViewProps<AccountModel>) {
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

/** The view of the watched subaccount: there once an account is watched. */
export const accountView: View<AccountModel> = {
  name: "account",
  title: "Account",
  action: "showAccount",
  isThere: ({ account }) => account !== undefined,
  createModel: (dashboard) => new AccountModel(dashboard),
  Component: AccountView,
};
