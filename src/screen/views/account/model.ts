// The user's choices in the view of a subaccount, and the data that it shows.

import { accountsChannel, getChannels } from "../../../select/account.ts";
import {
  type AccountData,
  formatDelegation,
  formatSubaccount,
  PositionRows,
  selectAccount,
  showOrder,
  showPayment,
  showPosition,
} from "../../../select/account-rows.ts";
import { type RecordFormat, ScaledFormat, type ShowCell } from "../../../select/record-format.ts";
import { formatScaleSources, marketsInUnits, selectAccountScales } from "../../../select/scale.ts";
import { SessionProfit } from "../../../select/session-profit.ts";
import { type PaneStatus, selectPaneStatus, WAITING } from "../../../select/status.ts";
import { Memo } from "../../../units/memo.ts";
import { MINUTE_MS } from "../../../units/time.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { focusAfter, focusAmong } from "../../panes/frame.tsx";
import { Freezable } from "../../shown.ts";
import { TablePane } from "../../table/pane.ts";
import type { FeedStatus, HeldGroup, Parts, Typing, ViewModel } from "../view.ts";
import {
  ACCOUNT_PANES,
  ACCOUNT_TABLES,
  type AccountLayout,
  type AccountLayoutView,
  type AccountPane,
  formatMissing,
  isOfCatalogue,
  layOutAccount,
  rowKey,
} from "./panes.ts";

const SHOW: Readonly<Partial<Record<AccountPane, ShowCell>>> = {
  positions: showPosition,
  orders: showOrder,
  fills: showOrder,
  funding_payments: showPayment,
};

export class AccountModel implements ViewModel {
  readonly parts: Parts;
  readonly panes: Readonly<Record<AccountPane, TablePane>>;
  readonly shows = new Freezable(
    () => ({ data: this.#select(), statusOf: this.#selectStatus }),
    ({ data, statusOf }) => {
      const statuses = new Map(ACCOUNT_PANES.map((pane) => [pane, statusOf(pane)]));
      return { data, statusOf: (pane: AccountPane) => statuses.get(pane) ?? WAITING };
    },
  );
  readonly session = new SessionProfit();
  readonly #positions: PositionRows;
  #view: AccountLayoutView = "all";
  #focus: AccountPane = "positions";
  #layout: AccountLayout | undefined;
  #size: readonly [width: number, height: number] | undefined;
  readonly #data = new Memo<AccountData>();

  constructor(parts: Parts) {
    this.parts = parts;
    this.#positions = new PositionRows(
      parts.shown.store.aliases,
      (market) => parts.scales.of(market).scale,
    );
    const panes = ACCOUNT_PANES.map((pane) => [pane, this.#createPane(pane)] as const);
    this.panes = Object.fromEntries(panes) as Record<AccountPane, TablePane>;
  }

  get channels(): readonly string[] {
    const { account } = this.parts.shown;
    // The list of markets provides the scales.
    return account === undefined ? [] : [...getChannels(account), "markets"];
  }

  get held(): HeldGroup | undefined {
    const { account } = this.parts.shown;
    return account && { kind: "account", name: `${account.address}/${account.subaccountId}` };
  }

  get feeds(): readonly FeedStatus[] {
    const catalogue = { label: "catalogue", status: this.statusOf("subaccounts") };
    return this.isChosen
      ? [{ label: "account", status: this.statusOf("positions") }, catalogue]
      : [catalogue];
  }

  get contexts(): readonly KeyContext[] {
    const { contexts, isRecordOpen } = this.#focused;
    return isRecordOpen ? contexts : [...contexts, "account", "panes"];
  }

  get typing(): Typing | undefined {
    return this.#focused.typing;
  }

  /** Sources of the scales; empty if there are none, undefined while no subaccount is chosen. */
  get scaleSources(): string | undefined {
    const { scales, shown } = this.parts;
    const { store, subaccount } = shown;
    return subaccount && formatScaleSources(selectAccountScales(store, subaccount, scales));
  }

  get isChosen(): boolean {
    return this.parts.shown.account?.subaccountId !== undefined;
  }

  get data(): AccountData | undefined {
    return this.shows.data.data;
  }

  /** Of what is shown: of a frozen screen that of the moment at which it was frozen. */
  statusOf(pane: AccountPane): PaneStatus {
    return this.shows.data.statusOf(pane);
  }

  readonly #selectStatus = (pane: AccountPane): PaneStatus => {
    const { account, store, now, ownChannels } = this.parts.shown;
    const [channel] = ownChannels;
    if (account !== undefined && isOfCatalogue(pane)) {
      const catalogue = store.slice("accounts", accountsChannel(account.address));
      return selectPaneStatus(store, catalogue, now());
    }
    if (channel === undefined) return WAITING;
    return selectPaneStatus(store, store.slice("account", channel), now());
  };

  /** Keys use the last layout. The same object until the layout changes. */
  layoutFor(width: number, height: number): AccountLayout {
    this.#size = [width, height];
    const { isChosen } = this;
    const { rows } = this.data ?? {};
    const counts = Object.fromEntries(
      ACCOUNT_PANES.map((pane) => [pane, rows?.[pane]?.length ?? 0]),
    ) as Record<AccountPane, number>;
    const { focus } = this;
    const record = this.panes[focus].isRecordOpen ? focus : undefined;
    const input = { view: this.#view, focus: this.#focus, record, isChosen, rows: counts };
    const layout = layOutAccount(width, height, input);
    if (this.#layout === undefined || JSON.stringify(layout) !== JSON.stringify(this.#layout)) {
      this.#layout = layout;
    }
    return this.#layout;
  }

  tick(): void {
    const { ownChannels, store, wall, isFrozen } = this.parts.shown;
    const [channel] = ownChannels;
    if (channel === undefined || isFrozen) return;
    this.session.note(channel, store.slice("account", channel).data.logs, wall());
  }

  get focus(): AccountPane {
    return focusAmong(this.#layout?.order ?? [], this.#focus);
  }

  /** Chooses the only subaccount of an address. */
  chooseOnly(): void {
    const { account } = this.parts.shown;
    if (account === undefined || account.subaccountId !== undefined) return;
    const [only, ...others] = this.data?.rows.subaccounts ?? [];
    if (only !== undefined && others.length === 0) this.#choose(only);
  }

  perform(action: Action): boolean {
    if (this.#focused.perform(action)) return true;
    const alone = ALONE[action];
    if (alone !== undefined) this.#change(alone, alone);
    else if (action === "accountAll")
      this.#change("all", this.isChosen ? this.focus : "subaccounts");
    else if (action === "focusNext") this.#focusBy(1);
    else if (action === "focusPrevious") this.#focusBy(-1);
    else return false;
    return true;
  }

  get #focused(): TablePane {
    return this.panes[this.focus];
  }

  #change(view: AccountLayoutView, focus: AccountPane): void {
    this.#view = view;
    this.#focus = focus;
    // The next key may arrive before the next frame, and is meant for the pane shown now.
    if (this.#size !== undefined) this.layoutFor(...this.#size);
    this.parts.changes.notify();
  }

  #focusBy(steps: number): void {
    const focus = focusAfter(this.#layout?.order ?? [], this.focus, steps);
    if (focus !== undefined) this.#change(this.#view, focus);
  }

  /** Read by every pane: selected once for each change of a channel or of the size of a lot. */
  #select(): AccountData | undefined {
    const { scales, shown } = this.parts;
    const { account, subaccount, store, display } = shown;
    if (account === undefined) return undefined;
    const versions = this.channels.map((channel) => store.versionOf(channel));
    const markets = subaccount === undefined ? [] : marketsInUnits(store, subaccount);
    const worth = markets.map((market) => scales.of(market).scale);
    const of = [account.address, account.subaccountId, store, display, ...versions, ...worth];
    return this.#data.get(of, () => selectAccount(store, account, this.#positions, display));
  }

  #choose(record: OpenRecord): void {
    const { account } = this.parts.shown;
    const { subaccount_id: id } = record;
    if (account === undefined || typeof id !== "number") return;
    this.#view = "all";
    this.#focus = "positions";
    this.parts.watch({ ...account, subaccountId: String(id) });
  }

  /** Delegations expire while they are shown: their text is formatted again every minute. */
  #formatDelegations(): () => RecordFormat {
    const { shown, scales } = this.parts;
    const format = new Memo<ScaledFormat>();
    return () => {
      const { display, store, wallMs } = shown;
      const minute = Math.floor(wallMs / MINUTE_MS);
      const make = () =>
        new ScaledFormat({
          aliases: store.aliases,
          scales,
          textOf: formatDelegation(wallMs, display),
        });
      return format.get([minute, display], make).now(shown);
    };
  }

  #createPane(pane: AccountPane): TablePane {
    const { shown, scales } = this.parts;
    const { title, empty, leading } = ACCOUNT_TABLES[pane];
    const show = SHOW[pane];
    return new TablePane(this.parts, {
      title,
      channels: () => this.channels,
      status: () => this.statusOf(pane),
      isFocused: () => this.focus === pane,
      missingText: () => formatMissing(pane),
      emptyText: empty,
      leading,
      keyOf: rowKey(shown.store.aliases, pane),
      records: () => this.data?.rows[pane],
      fields: {
        scales,
        ...(show && { show }),
        ...(pane === "subaccounts" && { textOf: formatSubaccount }),
      },
      notes: () => this.data?.notes[pane] ?? [],
      isInQuestion: (row) => this.data?.inQuestion[pane]?.has(row) ?? false,
      ...(pane === "delegations" && { format: this.#formatDelegations() }),
      ...(pane === "positions" && { original: (row) => this.#positions.original(row) }),
      ...(pane === "subaccounts" && { onOpen: (row) => this.#choose(row) }),
    });
  }
}

const ALONE: Readonly<Partial<Record<Action, AccountPane>>> = {
  accountPositions: "positions",
  accountOrders: "orders",
  accountFills: "fills",
  accountPayments: "funding_payments",
  accountBalances: "balances",
  accountSubaccounts: "subaccounts",
  accountDelegations: "delegations",
  accountSummary: "summary",
  accountLeverages: "leverages",
};
