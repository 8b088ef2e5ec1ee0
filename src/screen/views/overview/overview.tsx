// All subaccounts of the addresses that are named or watched.
import { useEffect, useMemo } from "react";
import { PaneView } from "../../panes/frame.tsx";
import { ACCOUNT_MISSING, type View, type ViewProps } from "../view.ts";
import { OverviewModel } from "./model.ts";

function OverviewView(props: ViewProps<OverviewModel>) {
  const { parts, model } = props;
  const source = useMemo(() => parts.changes.source(() => model.channels), [parts, model]);
  // The next subaccount is opened when the one before has been answered.
  useEffect(() => {
    const undo = source(() => model.openNext());
    model.openNext();
    return undo;
  }, [source, model]);
  return <PaneView {...props} />;
}

export const overviewView: View<OverviewModel> = {
  name: "overview",
  title: "Overview",
  action: "showOverview",
  isThere: ({ shown, options }) =>
    shown.account !== undefined || (options.accounts?.length ?? 0) > 0,
  missing: ACCOUNT_MISSING,
  createModel: (parts) => new OverviewModel(parts),
  Component: OverviewView,
};
