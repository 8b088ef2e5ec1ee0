// What the own fills come to: months as a calendar, and the fills of a day.
import { PaneView } from "../../panes/frame.tsx";
import { formatOwnerMissing } from "../history/listings.ts";
import { ACCOUNT_MISSING, type View } from "../view.ts";
import { StatementModel } from "./model.ts";

export const statementView: View<StatementModel> = {
  name: "statement",
  title: "Statement",
  action: "showStatement",
  isOfListings: true,
  isThere: (parts) =>
    parts.listings.feed?.readFills !== undefined &&
    (parts.listings.feed.owner !== undefined || formatOwnerMissing(parts) !== undefined),
  missing: ACCOUNT_MISSING,
  createModel: (parts) => new StatementModel(parts),
  Component: PaneView,
};
