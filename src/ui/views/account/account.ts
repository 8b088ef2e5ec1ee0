// The view of one subaccount.
import type { View } from "../view.ts";
import { AccountView } from "./AccountView.tsx";
import { AccountModel } from "./account-model.ts";

export const accountView: View<AccountModel> = {
  name: "account",
  title: "Account",
  action: "showAccount",
  isThere: ({ account }) => account !== undefined,
  createModel: (dashboard) => new AccountModel(dashboard),
  Component: AccountView,
};
