// One subaccount as its channel tells it: a summary, four lists of what there is, and two of what happened.
import type { AccountUpdate } from "../protocol/channels/account.ts";
import type { OpenRecord } from "../protocol/channels/update.ts";
import { parseDecimal } from "../units/decimal.ts";
import { AccountList, type ListOptions } from "./account-list.ts";
import { AccountLog } from "./account-log.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import { completed } from "./row-change.ts";

/** Lists of what there is, and of what happened, by their names on the wire. */
export const ACCOUNT_LISTS = ["positions", "orders", "balances", "leverages"] as const;
/** Lists that only grow. */
export const ACCOUNT_LOGS = ["fills", "funding_payments"] as const;
/** A list whose rows change. */
export type AccountListName = (typeof ACCOUNT_LISTS)[number];
/** A list that only grows. */
export type AccountLogName = (typeof ACCOUNT_LOGS)[number];

/** Words of a status that is not a live one, in any spelling; other words, also unknown ones, are live. */
const FINISHED =
  /^(?:fully_?)?(?:filled|cancell?ed|rejected|expired|closed|done|completed?|finished|failed|replaced|liquidated|terminated)$/i;

/** Two readings that hold different rows for this long are settled by fetching everything anew, not too often. */
const AUDIT_AFTER_MS = 10_000;
const AUDIT_PERIOD_MS = 60_000;

/** All that is known of one subaccount. Only the fold changes it. */
export class AccountState {
  readonly #aliases: Aliases;
  #lists: Readonly<Record<AccountListName, AccountList>>;
  #logs: Readonly<Record<AccountLogName, AccountLog>>;
  #summary: OpenRecord | undefined;
  /** Parts that the transaction folded in last has brought so far. */
  #came = new Set<string>();
  #doubt: string | undefined;
  #auditedAtMs = Number.NEGATIVE_INFINITY;

  constructor(aliases: Aliases) {
    const list = (keys: ListOptions["keys"], ends: readonly Meaning[] = []) =>
      new AccountList({ aliases, keys, isFinished: (row) => isFinished(aliases, row, ends) });
    this.#aliases = aliases;
    this.#lists = {
      positions: list(
        [["positionId"], ["marketType", "market"], ["market", "side"], ["symbol"]],
        ["size", "sizeLots"],
      ),
      orders: list(
        [["orderId"], ["clientOrderId"]],
        ["remaining", "remainingLots", "size", "sizeLots", "status"],
      ),
      balances: list([["asset"]]),
      leverages: list([["market"]]),
    };
    this.#logs = {
      fills: new AccountLog(aliases, "fillId"),
      funding_payments: new AccountLog(aliases, "paymentId"),
    };
  }

  /** The same subaccount with all that was learned of it; later frames of this one do not reach it. */
  copy(): AccountState {
    const copy = new AccountState(this.#aliases);
    const { positions, orders, balances, leverages } = this.#lists;
    copy.#lists = {
      positions: positions.copy(),
      orders: orders.copy(),
      balances: balances.copy(),
      leverages: leverages.copy(),
    };
    const { fills, funding_payments } = this.#logs;
    copy.#logs = { fills: fills.copy(), funding_payments: funding_payments.copy() };
    copy.#summary = this.#summary;
    copy.#came = new Set(this.#came);
    copy.#doubt = this.#doubt;
    copy.#auditedAtMs = this.#auditedAtMs;
    return copy;
  }

  get lists(): Readonly<Record<AccountListName, AccountList>> {
    return this.#lists;
  }

  get logs(): Readonly<Record<AccountLogName, AccountLog>> {
    return this.#logs;
  }

  /** The `account` record; undefined before it came. */
  get summary(): OpenRecord | undefined {
    return this.#summary;
  }

  /** Why everything should be fetched anew; undefined while there is no need. */
  get doubt(): string | undefined {
    return this.#doubt;
  }

  /**
   * Folds in an update; a snapshot replaces the lists that it holds.
   * @param isSnapshot it is one, or a part of one: the first of a subscription, or one with a null previous
   * @param continues it belongs to the transaction of the one before, and adds to the lists that were in that
   */
  update(frame: AccountUpdate, isSnapshot: boolean, atMs: number, continues = false): void {
    if (!continues) this.#begin(isSnapshot);
    const { account } = frame;
    if (account !== undefined) this.#takeSummary(account, isSnapshot && this.#comes("account"));
    for (const name of ACCOUNT_LISTS) {
      const rows = frame[name] as readonly OpenRecord[] | undefined;
      if (rows !== undefined) this.#takeList(name, rows, isSnapshot, atMs);
    }
    for (const name of ACCOUNT_LOGS) {
      const rows = frame[name];
      if (rows !== undefined) this.logs[name].update(rows, isSnapshot && this.#comes(name));
    }
  }

  /** What no frame of a snapshot brings is from before it. */
  #begin(isSnapshot: boolean): void {
    this.#came.clear();
    if (!isSnapshot) return;
    this.#doubt = undefined;
    for (const name of ACCOUNT_LISTS) this.lists[name].outlive();
  }

  #takeList(name: AccountListName, rows: readonly OpenRecord[], isSnapshot: boolean, atMs: number) {
    const isNew = this.#comes(name);
    this.lists[name].update(rows, isSnapshot && isNew, atMs, !isNew);
  }

  /** A part comes. True when the transaction has not brought it before. */
  #comes(part: string): boolean {
    if (this.#came.has(part)) return false;
    this.#came.add(part);
    return true;
  }

  /** Lets time pass: rows about which the readings disagree are looked up. */
  pass(nowMs: number): void {
    if (this.#doubt !== undefined || nowMs - this.#auditedAtMs < AUDIT_PERIOD_MS) return;
    const split = ACCOUNT_LISTS.find((name) => {
      const since = this.lists[name].splitSinceMs;
      return since !== undefined && nowMs - since >= AUDIT_AFTER_MS;
    });
    if (split === undefined) return;
    this.#auditedAtMs = nowMs;
    this.#doubt = `the newest ${split} left out rows: are they over?`;
  }

  /** A later summary may hold only what changed: fields that it leaves out are kept. */
  #takeSummary(account: OpenRecord, isFirst: boolean): void {
    const held = isFirst ? undefined : this.#summary;
    this.#summary =
      held === undefined ? account : completed(account, held, new Set(Object.keys(held)));
  }
}

function isFinished(aliases: Aliases, row: OpenRecord, ends: readonly Meaning[]): boolean {
  return ends.some((meaning) => {
    const text = aliases.text(row, meaning);
    if (text === undefined) return false;
    if (meaning === "status") return FINISHED.test(text);
    return parseDecimal(text)?.mantissa === 0n;
  });
}
