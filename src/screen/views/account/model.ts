// The user's choices in the view of a subaccount, and the data that it shows.

import { accountChannel, accountsChannel } from "../../../select/account.ts";
import {
  type AccountData,
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
import type { Action, KeyContext } from "../../keys.ts";
import { focusAfter } from "../../panes/frame.tsx";
import { Freezable } from "../../shown.ts";
import { TablePane } from "../../table/pane.ts";
import type { FeedStatus, HeldGroup, Parts, Typing, ViewModel } from "../view.ts";
import {
  ACCOUNT_PANES,
  ACCOUNT_TABLES,
  type AccountLayout,
  type AccountPane,
  layOutAccount,
  rowKey,
} from "./panes.ts";

const SHOW: Readonly<Partial<Record<AccountPane, ShowCell>>> = {
  positions: showPosition,
  orders: showOrder,
  fills: showOrder,
  funding_payments: showPayment,
};

export class SubaccountModel implements ViewModel {
  readonly parts: Parts;
  readonly panes: Readonly<Record<AccountPane, TablePane>>;
  readonly shows = new Freezable(
    () => ({
      data: this.#select(),
      getStatus: this.#selectStatus,
      getCatalogueStatus: this.#selectCatalogueStatus,
    }),
    ({ data, getStatus, getCatalogueStatus }) => {
      const [status, catalogueStatus] = [getStatus(), getCatalogueStatus()];
      return { data, getStatus: () => status, getCatalogueStatus: () => catalogueStatus };
    },
  );
  readonly session = new SessionProfit();
  readonly #positions: PositionRows;
  readonly formatSummary: () => RecordFormat;
  focus: AccountPane = "positions";
  #isZoomed = false;
  #layout: AccountLayout | undefined;
  readonly #data = new Memo<AccountData>();

  constructor(parts: Parts) {
    this.parts = parts;
    this.#positions = new PositionRows(
      parts.shown.store.aliases,
      (market) => parts.scales.of(market).scale,
    );
    const { aliases } = parts.shown.store;
    const format = new ScaledFormat({ aliases, scales: parts.scales });
    this.formatSummary = () => format.now(parts.shown);
    const panes = ACCOUNT_PANES.map((pane) => [pane, this.#createPane(pane)] as const);
    this.panes = Object.fromEntries(panes) as Record<AccountPane, TablePane>;
  }

  /** With the list of markets, which provides the scales. */
  get channels(): readonly string[] {
    const { subaccount } = this.parts.shown;
    return subaccount === undefined
      ? []
      : [accountsChannel(subaccount.address), accountChannel(subaccount), "markets"];
  }

  get held(): HeldGroup | undefined {
    const { account } = this.parts.shown;
    return account && { kind: "account", name: `${account.address}/${account.subaccountId}` };
  }

  get feeds(): readonly FeedStatus[] {
    return [
      { label: "account", status: this.status },
      { label: "catalogue", status: this.catalogueStatus },
    ];
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

  get data(): AccountData | undefined {
    return this.shows.data.data;
  }

  /** Of what is shown: of a frozen screen that of the moment at which it was frozen. */
  get status(): PaneStatus {
    return this.shows.data.getStatus();
  }

  get catalogueStatus(): PaneStatus {
    return this.shows.data.getCatalogueStatus();
  }

  readonly #selectStatus = (): PaneStatus => {
    const { store, now, ownChannels } = this.parts.shown;
    const [channel] = ownChannels;
    if (channel === undefined) return WAITING;
    return selectPaneStatus(store, store.slice("account", channel), now());
  };

  readonly #selectCatalogueStatus = (): PaneStatus => {
    const { account, store, now } = this.parts.shown;
    if (account === undefined) return WAITING;
    return selectPaneStatus(
      store,
      store.slice("accounts", accountsChannel(account.address)),
      now(),
    );
  };

  /** The same object until the layout changes. */
  layoutFor(width: number, height: number): AccountLayout {
    const { focus } = this;
    const { rows } = this.data ?? {};
    const counts = Object.fromEntries(
      ACCOUNT_PANES.map((pane) => [pane, rows?.[pane]?.length ?? 0]),
    ) as Record<AccountPane, number>;
    const { isRecordOpen } = this.panes[focus];
    const wanted = { focus, isZoomed: this.#isZoomed, isRecordOpen, rows: counts };
    const layout = layOutAccount(width, height, wanted);
    if (JSON.stringify(layout) !== JSON.stringify(this.#layout)) this.#layout = layout;
    return this.#layout ?? layout;
  }

  tick(): void {
    const { ownChannels, store, wall, isFrozen } = this.parts.shown;
    const [channel] = ownChannels;
    if (channel === undefined || isFrozen) return;
    this.session.note(channel, store.slice("account", channel).data.logs, wall());
  }

  perform(action: Action): boolean {
    if (this.#focused.perform(action)) return true;
    if (action === "focusNext") this.#focusBy(1);
    else if (action === "focusPrevious") this.#focusBy(-1);
    else if (action === "zoom") this.#isZoomed = !this.#isZoomed;
    else if (action === "back" && this.#isZoomed) this.#isZoomed = false;
    else return false;
    this.parts.changes.notify();
    return true;
  }

  get #focused(): TablePane {
    return this.panes[this.focus];
  }

  #focusBy(steps: number): void {
    this.focus = focusAfter(ACCOUNT_PANES, this.focus, steps) ?? this.focus;
  }

  /** Read by every pane: selected once for each change of a channel or of the size of a lot. */
  #select(): AccountData | undefined {
    const { scales, shown } = this.parts;
    const { subaccount, store, display } = shown;
    if (subaccount === undefined) return undefined;
    const versions = this.channels.map((channel) => store.versionOf(channel));
    const worth = marketsInUnits(store, subaccount).map((market) => scales.of(market).scale);
    const { address, subaccountId } = subaccount;
    const of = [address, subaccountId, store, display, ...versions, ...worth];
    return this.#data.get(of, () => selectAccount(store, subaccount, this.#positions, display));
  }

  #createPane(pane: AccountPane): TablePane {
    const { shown, scales } = this.parts;
    const { title, empty, leading } = ACCOUNT_TABLES[pane];
    const show = SHOW[pane];
    return new TablePane(this.parts, {
      title,
      channels: () => this.channels,
      status: () => this.status,
      isFocused: () => this.focus === pane,
      missingText: () => "not provided by the service so far",
      emptyText: empty,
      leading,
      keyOf: rowKey(shown.store.aliases, pane),
      records: () => this.data?.rows[pane],
      fields: { scales, ...(show && { show }) },
      notes: () => this.data?.notes[pane] ?? [],
      isInQuestion: (row) => this.data?.inQuestion[pane]?.has(row) ?? false,
      ...(pane === "positions" && { original: (row) => this.#positions.original(row) }),
    });
  }
}
