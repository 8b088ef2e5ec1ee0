// One subaccount, or the catalogue of an address while none is chosen:
//
//   header: address, state, equity, margin …
//   ╭ positions ───────────────────────────╮
//   ├ orders ──────────────────────────────┤
//   ├ fills ─────────────────┬ balances ───┤
//   ╰────────────────────────┴─────────────╯
import { useCallback, useEffect } from "react";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { useSelected } from "../../changes.ts";
import { Line, PaneGroup } from "../../panes/frame.tsx";
import type { View, ViewProps } from "../view.ts";
import { paintAccountHeader } from "./header.ts";
import { AccountModel } from "./model.ts";

/** The summary above the tables that fit. */
function AccountView({ parts, model, theme, width, height }: ViewProps<AccountModel>) {
  const { changes } = parts;
  const layout = useSelected(changes, () => model.layoutFor(width, height));
  useEffect(() => changes.source(() => model.channels)(() => model.chooseOnly()), [changes, model]);
  const channels = useCallback(() => model.channels, [model]);
  const drawHeader = useCallback(
    (surface: Surface) => paintAccountHeader(surface, model, theme),
    [model, theme],
  );
  return (
    <>
      <Line {...{ parts, width, channels }} rows={layout.headerRows} paint={drawHeader} />
      {layout.rows.map((row) => (
        <PaneGroup
          key={row.panes[0]?.pane}
          direction="row"
          placed={row.panes.map((placed) => ({ ...placed, height: row.height }))}
          {...{ panes: model.panes, parts, theme }}
        />
      ))}
    </>
  );
}

/** The view of the watched subaccount: there once an account is watched. */
export const accountView: View<AccountModel> = {
  name: "account",
  title: "Account",
  action: "showAccount",
  isThere: ({ shown: { account } }) => account !== undefined,
  createModel: (parts) => new AccountModel(parts),
  Component: AccountView,
};
