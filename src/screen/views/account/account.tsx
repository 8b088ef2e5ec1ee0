// One subaccount, or the catalogue of an address while none is chosen:
//
//   header: address, state, equity, margin …
//   ╭ positions ───────────────────────────╮
//   ├ orders ──────────────────────────────┤
//   ├ fills ─────────────────┬ balances ───┤
//   ╰────────────────────────┴─────────────╯
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { Line, PaneGroup } from "../../panes/frame.tsx";
import { ACCOUNT_MISSING, type View, type ViewProps } from "../view.ts";
import { paintAccountHeader } from "./header.ts";
import { AccountModel } from "./model.ts";

type Source = ReturnType<ViewProps["parts"]["changes"]["source"]>;

/** A source notifies of the first of several changes: what it leads to is looked at when all of them are there. */
function afterAll(source: Source): Source {
  return (onChange) => {
    let isOver = false;
    const undo = source(() => {
      void Promise.resolve().then(() => {
        if (!isOver) onChange();
      });
    });
    return () => {
      isOver = true;
      undo();
    };
  };
}

/** The summary above the tables that fit. */
function AccountView({ parts, model, theme, width, height }: ViewProps<AccountModel>) {
  const { changes } = parts;
  const channels = useCallback(() => model.channels, [model]);
  // Panes are as high as what they show: they follow the feed.
  const source = useMemo(() => changes.source(channels), [changes, channels]);
  const whenAllCame = useMemo(() => afterAll(source), [source]);
  const layout = useSyncExternalStore(whenAllCame, () => model.layoutFor(width, height));
  useEffect(() => source(() => model.chooseOnly()), [source, model]);
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

export const accountView: View<AccountModel> = {
  name: "account",
  title: "Account",
  action: "showAccount",
  isThere: ({ shown: { account } }) => account !== undefined,
  missing: ACCOUNT_MISSING,
  createModel: (parts) => new AccountModel(parts),
  Component: AccountView,
};
