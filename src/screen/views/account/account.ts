// The view of one subaccount.
import type { View } from "../view.ts";
import { AccountView } from "./AccountView.tsx";
import { AccountModel } from "./account-model.ts";

/** The view of the watched subaccount: there once an account is watched. */
export const accountView: View<AccountModel> = {
  name: "account",
  title: "Account",
  action: "showAccount",
  isThere: ({ account }) => account !== undefined,
  createModel: (dashboard) => new AccountModel(dashboard),
  Component: AccountView,
};
