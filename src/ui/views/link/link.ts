// The view of the link.
import type { View } from "../view.ts";
import { LinkView } from "./LinkView.tsx";
import { LinkModel } from "./link-model.ts";

export const linkView: View<LinkModel> = {
  name: "link",
  title: "Link",
  action: "showLink",
  keepsChannels: true,
  isThere: () => true,
  createModel: (dashboard) => new LinkModel(dashboard),
  Component: LinkView,
};
