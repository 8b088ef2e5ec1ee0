// Accounts in two levels: all subaccounts, most endangered first, and one of them.

import type { AccountChoice } from "../../../select/account.ts";
import { useSelected } from "../../changes.ts";
import type { Action, KeyContext } from "../../keys.ts";
import type { Freezes } from "../../shown.ts";
import {
  ACCOUNT_MISSING,
  type FeedStatus,
  type HeldGroup,
  type Parts,
  type Typing,
  type View,
  type ViewModel,
  type ViewProps,
} from "../view.ts";
import { SubaccountsModel, SubaccountsView } from "./all.tsx";
import { SubaccountModel } from "./model.ts";
import { SubaccountView } from "./one.tsx";

class AccountModel implements ViewModel {
  readonly all: SubaccountsModel;
  readonly one: SubaccountModel;
  readonly shows: Freezes;
  readonly #parts: Parts;
  #account: AccountChoice | undefined;
  #isAll = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.all = new SubaccountsModel(parts);
    this.one = new SubaccountModel(parts);
    this.shows = {
      freeze: () => {
        this.all.shows.freeze();
        this.one.shows.freeze();
      },
      thaw: () => {
        this.all.shows.thaw();
        this.one.shows.thaw();
      },
    };
    this.#follow();
    parts.changes.subscribe(() => this.#follow());
  }

  get level(): ViewModel {
    return this.#isAll || this.#parts.shown.subaccount === undefined ? this.all : this.one;
  }

  get channels(): readonly string[] {
    return this.level.channels;
  }

  get held(): HeldGroup | undefined {
    return this.level.held;
  }

  get feeds(): readonly FeedStatus[] {
    return this.level.feeds;
  }

  get contexts(): readonly KeyContext[] {
    return this.level.contexts;
  }

  get typing(): Typing | undefined {
    return this.level.typing;
  }

  get hints(): NonNullable<ViewModel["hints"]> {
    return this.level.hints ?? {};
  }

  get keyDescriptions(): NonNullable<ViewModel["keyDescriptions"]> {
    return this.level.keyDescriptions ?? {};
  }

  tick(): void {
    this.one.tick();
  }

  perform(action: Action): boolean {
    const { level } = this;
    if (level.perform(action)) return true;
    if (action !== "back" || level === this.all) return false;
    this.#isAll = true;
    this.#parts.changes.notify();
    return true;
  }

  /** A subaccount that is chosen, here or in the palette, is opened. */
  #follow(): void {
    const { account } = this.#parts.shown;
    if (account === this.#account) return;
    this.#account = account;
    this.#isAll = false;
  }
}

function AccountView({ model, ...props }: ViewProps<AccountModel>) {
  const level = useSelected(props.parts.changes, () => model.level);
  return level === model.all ? (
    <SubaccountsView model={model.all} {...props} />
  ) : (
    <SubaccountView model={model.one} {...props} />
  );
}

export const accountView: View<AccountModel> = {
  name: "account",
  title: "Account",
  action: "showAccount",
  isAvailable: ({ shown, options }) =>
    shown.account !== undefined || (options.accounts?.length ?? 0) > 0,
  missing: ACCOUNT_MISSING,
  createModel: (parts) => new AccountModel(parts),
  Component: AccountView,
};
