// The view of the link.
import { PaneView } from "../PaneView.tsx";
import type { View } from "../view.ts";
import { LinkModel } from "./link-model.ts";

/** The view of the link. Looking changes nothing of what is held. */
export const linkView: View<LinkModel> = {
  name: "link",
  title: "Link",
  action: "showLink",
  keepsChannels: true,
  isThere: () => true,
  createModel: (dashboard) => new LinkModel(dashboard),
  Component: PaneView,
};
