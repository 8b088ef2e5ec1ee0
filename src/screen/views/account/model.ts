// What the user has chosen in the view of a subaccount, and the data that it makes visible.
import {
  accountChannel,
  accountsChannel,
  channelsOf,
  chosenSubaccount,
} from "../../../select/account.ts";
import {
  type AccountData,
  delegationWords,
  PositionRows,
  positionWords,
  selectAccount,
  subaccountWords,
} from "../../../select/account-rows.ts";
import { type RecordFormat, ScaledFormat } from "../../../select/record-format.ts";
import { formatScaleSources, selectAccountScales } from "../../../select/scale.ts";
import { type PaneStatus, selectPaneStatus, WAITING } from "../../../select/status.ts";
import type { Slice } from "../../../state/slices.ts";
import type { Store } from "../../../state/store.ts";
import type { ChannelKind } from "../../../wire/channels.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Dashboard } from "../../dashboard.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { TablePane } from "../../table/pane.ts";
import { focusAfter, focusAmong } from "../market/panes.ts";
import type { FeedStatus, HeldGroup, Typing, ViewModel } from "../view.ts";
import {
  ACCOUNT_PANES,
  ACCOUNT_TABLES,
  type AccountLayoutView,
  type AccountPane,
  rowKey,
} from "./panes.ts";

/** What can be changed with a key. */
export interface AccountSettings {
  readonly layout: AccountLayoutView;
  readonly focus: AccountPane;
}

const MINUTE_MS = 60_000;
const WORDS: Readonly<Partial<Record<AccountPane, RecordFormat["wordsOf"]>>> = {
  positions: positionWords,
  subaccounts: subaccountWords,
};

/** What the user has chosen in the view of a subaccount. */
export class AccountModel implements ViewModel {
  readonly dashboard: Dashboard;
  readonly panes: Readonly<Record<AccountPane, TablePane>>;
  readonly #positions: PositionRows;
  #settings: AccountSettings = { layout: "all", focus: "positions" };
  #order: readonly AccountPane[] = [];
  #frozen: AccountData | undefined;
  #read: { readonly data: AccountData; readonly store: Store; readonly of: string } | undefined;

  constructor(dashboard: Dashboard) {
    this.dashboard = dashboard;
    this.#positions = new PositionRows(dashboard.store.aliases);
    const panes = ACCOUNT_PANES.map((pane) => [pane, this.#createPane(pane)] as const);
    this.panes = Object.fromEntries(panes) as Record<AccountPane, TablePane>;
  }

  get settings(): AccountSettings {
    return this.#settings;
  }

  get channels(): readonly string[] {
    const { account } = this.dashboard;
    // The list of markets says what ticks and lots are worth.
    return account === undefined ? [] : [...channelsOf(account), "markets"];
  }

  get held(): HeldGroup | undefined {
    const { account } = this.dashboard;
    return account && { kind: "account", name: `${account.address}/${account.subaccountId}` };
  }

  get feeds(): readonly FeedStatus[] {
    const { account } = this.dashboard;
    const catalogue = { label: "catalogue", status: this.statusOf("subaccounts") };
    return account?.subaccountId === undefined
      ? [catalogue]
      : [{ label: "account", status: this.statusOf("positions") }, catalogue];
  }

  get contexts(): readonly KeyContext[] {
    return [...this.#focused.contexts, "account", "panes"];
  }

  get typing(): Typing | undefined {
    return this.#focused.typing;
  }

  /** Everything that is shown: live, or frozen. Undefined without an account. */
  get data(): AccountData | undefined {
    const { account, store } = this.dashboard;
    if (this.#frozen !== undefined) return this.#frozen;
    if (account === undefined) return undefined;
    // Every pane asks for it: it is read once for each change of a channel.
    const versions = this.channels.map((channel) => store.versionOf(channel)).join(" ");
    const of = `${account.address}/${account.subaccountId} ${versions}`;
    if (this.#read?.of !== of || this.#read.store !== store) {
      this.#read = { data: selectAccount(store, account, this.#positions), store, of };
    }
    return this.#read.data;
  }

  /** How it is known what ticks and lots are worth; empty where there are none. */
  get scaleSources(): string {
    const { account, store, scales } = this.dashboard;
    const chosen = account && chosenSubaccount(account);
    return chosen === undefined
      ? ""
      : formatScaleSources(selectAccountScales(store, chosen, scales));
  }

  /** True when a subaccount is chosen; else the view is its catalogue. */
  get isChosen(): boolean {
    return this.dashboard.account?.subaccountId !== undefined;
  }

  /** State and age of the feed behind a pane. */
  statusOf(pane: AccountPane): PaneStatus {
    const { account, store, now } = this.dashboard;
    if (account === undefined) return WAITING;
    const { address, subaccountId } = account;
    const isCatalogue = pane === "subaccounts" || pane === "delegations";
    if (!isCatalogue && subaccountId === undefined) return WAITING;
    const [kind, channel]: [ChannelKind, string] = isCatalogue
      ? ["accounts", accountsChannel(address)]
      : ["account", accountChannel({ address, subaccountId: subaccountId ?? "" })];
    return selectPaneStatus(store, store.slice(kind, channel) as Slice, now());
  }

  /** The panes that the focus goes through now. It never stays on one that is not among them. */
  setOrder(order: readonly AccountPane[]): void {
    this.#order = order;
    this.#settings = { ...this.#settings, focus: focusAmong(order, this.#settings.focus) };
  }

  /** Where the address has one subaccount, that is the one that is meant. */
  chooseOnly(): void {
    const { account } = this.dashboard;
    if (account === undefined || account.subaccountId !== undefined) return;
    const [only, ...others] = this.data?.rows.subaccounts ?? [];
    if (only !== undefined && others.length === 0) this.#choose(only);
  }

  perform(action: Action): boolean {
    if (this.#focused.perform(action)) return true;
    const act = ACTIONS[action];
    act?.(this);
    return act !== undefined;
  }

  freeze(): void {
    this.#frozen = this.data;
  }

  thaw(): void {
    this.#frozen = undefined;
  }

  change(part: Partial<AccountSettings>): void {
    this.#settings = { ...this.#settings, ...part };
    this.dashboard.tell();
  }

  focusBy(steps: number): void {
    const focus = focusAfter(this.#order, this.#settings.focus, steps);
    if (focus !== undefined) this.change({ focus });
  }

  get #focused(): TablePane {
    return this.panes[this.#settings.focus];
  }

  #choose(record: OpenRecord): void {
    const { account } = this.dashboard;
    const { subaccount_id: id } = record;
    if (account === undefined || typeof id !== "number") return;
    this.#settings = { layout: "all", focus: "positions" };
    this.dashboard.watch({ ...account, subaccountId: String(id) });
  }

  /** Rights end while they are looked at: their words are found anew every minute. */
  #formatOf(pane: AccountPane): () => RecordFormat {
    const { dashboard } = this;
    const { store, scales } = dashboard;
    const make = (wordsOf: RecordFormat["wordsOf"]) =>
      new ScaledFormat({ aliases: store.aliases, scales, ...(wordsOf && { wordsOf }) });
    let minute = -1;
    let format = make(WORDS[pane]);
    return () => {
      const wallMs = dashboard.wall();
      if (pane === "delegations" && Math.floor(wallMs / MINUTE_MS) !== minute) {
        minute = Math.floor(wallMs / MINUTE_MS);
        format = make(delegationWords(wallMs));
      }
      return format.now(dashboard.isMasked);
    };
  }

  #createPane(pane: AccountPane): TablePane {
    const { dashboard } = this;
    const { aliases } = dashboard.store;
    const { title, missing, empty, leading } = ACCOUNT_TABLES[pane];
    const format = this.#formatOf(pane);
    return new TablePane({
      title,
      missingWords: () => missing,
      emptyWords: empty,
      leading,
      keyOf: rowKey(aliases, pane),
      records: () => this.data?.rows[pane],
      format,
      notes: () => this.data?.notes[pane] ?? [],
      isInQuestion: (row) => this.data?.inQuestion[pane]?.has(row) ?? false,
      clipboard: dashboard.options.clipboard,
      onChange: () => dashboard.tell(),
      ...(pane === "positions" && { original: (row) => this.#positions.original(row) }),
      ...(pane === "subaccounts" && { onOpen: (row) => this.#choose(row) }),
    });
  }
}

type Act = (model: AccountModel) => void;

const alone =
  (pane: AccountPane): Act =>
  (model) =>
    model.change({ layout: pane, focus: pane });

const ACTIONS: Readonly<Partial<Record<Action, Act>>> = {
  focusNext: (model) => model.focusBy(1),
  focusPrevious: (model) => model.focusBy(-1),
  accountAll: (model) => {
    const { focus } = model.settings;
    model.change({ layout: "all", focus: model.isChosen ? focus : "subaccounts" });
  },
  accountPositions: alone("positions"),
  accountOrders: alone("orders"),
  accountFills: alone("fills"),
  accountPayments: alone("funding_payments"),
  accountBalances: alone("balances"),
  accountSubaccounts: alone("subaccounts"),
  accountDelegations: alone("delegations"),
  accountSummary: alone("summary"),
  accountLeverages: alone("leverages"),
};
