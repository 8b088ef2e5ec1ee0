// A rule over any subaccount of an address: each of them crosses for itself, and the rule fires for whichever does. Which there are
// says the catalogue; they are subscribed one after the other, as in the overview.
import { accountsChannel, type Subaccount } from "../select/account.ts";
import { type NamedAccount, OverviewEntries, OverviewSubscriptions } from "../select/overview.ts";
import { isCurrent } from "../state/pane-state.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import { type AlertState, foremost, hasBeenEvaluated, NEW_ALERT } from "./alert-crossing.ts";
import type { AlertRule } from "./alert-rule.ts";

/** One of the subaccounts that a rule watches. */
export interface Member {
  readonly channel: string;
  /** The rule as it is for this subaccount alone. */
  readonly rule: AlertRule & { readonly subject: { readonly account: Subaccount } };
  state: AlertState;
}

export class AnySubaccount {
  readonly #rule: AlertRule;
  readonly #accounts: readonly NamedAccount[];
  readonly #store: Store;
  readonly #entries = new OverviewEntries();
  readonly #subscriptions: OverviewSubscriptions;
  readonly #members = new Map<string, Member>();
  /** Subaccounts that are not subscribed, and not closed. */
  #left = 0;

  /** @param max how many are subscribed at once */
  constructor(rule: AlertRule, address: string, store: Store, max: number | undefined) {
    this.#rule = rule;
    this.#store = store;
    this.#accounts = [{ address, subaccountId: undefined, name: undefined }];
    this.#subscriptions = new OverviewSubscriptions(max);
  }

  /** The address of a rule over any of its subaccounts; undefined of any other rule. */
  static addressOf({ subject }: AlertRule): string | undefined {
    const isAny = "account" in subject && subject.account.subaccountId === undefined;
    return isAny ? subject.account.address : undefined;
  }

  /** Those of subaccounts that are subscribed, or are to be. */
  get channels(): readonly string[] {
    return this.#subscriptions.channels;
  }

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  member(channel: string): Member | undefined {
    return this.#members.get(channel);
  }

  /** There was something to compare with once each of them had been evaluated. */
  get isSettled(): boolean {
    const { members } = this;
    return (
      this.#left === 0 &&
      members.length > 0 &&
      members.every(({ state }) => hasBeenEvaluated(state))
    );
  }

  /** Takes up what the catalogue says now. @returns true when another subaccount is to be subscribed */
  advance(nowMs: number): boolean {
    const entries = this.#entries.select(this.#store, this.#accounts);
    const isMore = this.#subscriptions.advance(entries, this.#store, nowMs);
    const opened = new Set(this.channels);
    this.#left = 0;
    for (const { channel, status, address, subaccountId } of entries) {
      // What is over has nothing to say.
      if (status === "closed") this.#members.delete(channel);
      else if (!opened.has(channel)) this.#left++;
      else if (!this.#members.has(channel)) {
        const subject = { ...this.#rule.subject, account: { address, subaccountId } };
        const rule = { ...this.#rule, subject } as Member["rule"];
        this.#members.set(channel, { channel, rule, state: NEW_ALERT });
      }
    }
    return isMore;
  }

  /** What the rule remembers as a whole. @param shared how often it has fired, and when */
  combine(shared: Pick<AlertState, "firings" | "firedAtMs" | "isDone">, nowMs: number): AlertState {
    const { members } = this;
    const values = members.flatMap(({ channel, state: { value } }) =>
      value === undefined ? [] : [[channel, value] as const],
    );
    const { crossing } = this.#rule;
    return {
      ...NEW_ALERT,
      ...shared,
      value: crossing && foremost(new Map(values), crossing),
      isPast: members.some(({ state }) => state.isPast),
      notEvaluated: this.#whyNot(nowMs),
    };
  }

  #whyNot(nowMs: number): string | undefined {
    const [{ address = "" } = {}] = this.#accounts;
    const catalogue = this.#store.slice("accounts", accountsChannel(address)) as Slice;
    const state = this.#store.paneState(catalogue, nowMs);
    if (!isCurrent(state)) return `the catalogue is ${state}`;
    const { members } = this;
    const silent = members.filter(({ state: { notEvaluated } }) => notEvaluated !== undefined);
    const all = members.length + this.#left;
    if (all === 0) return "the address has no subaccount that is open";
    const [first] = silent;
    if (first !== undefined) {
      const { subaccountId } = first.rule.subject.account;
      return `subaccount ${subaccountId}: ${first.state.notEvaluated}; ${members.length - silent.length} of ${all} are evaluated`;
    }
    return this.#left === 0
      ? undefined
      : `${members.length} of ${all} subaccounts are subscribed, --max takes more`;
  }
}
