// One subaccount as its channel tells it: a summary, four lists of what there is, and two of what happened.
import type { AccountUpdate } from "../wire/channels/account.ts";
import type { OpenRecord } from "../wire/update.ts";
import { AccountList, type ListOptions } from "./account-list.ts";
import { AccountLog } from "./account-log.ts";
import type { Aliases } from "./aliases.ts";
import type { AuditResult } from "./audits.ts";
import type { PartAudit } from "./part-audit.ts";
import { RowForms } from "./row-change.ts";
import { neverEnds, orderEnd, positionEnd } from "./row-end.ts";

/** Lists of what there is, and of what happened, by their names on the wire. */
export const ACCOUNT_LISTS = ["positions", "orders", "balances", "leverages"] as const;
/** Lists that only grow. */
export const ACCOUNT_LOGS = ["fills", "funding_payments"] as const;
/** A list whose rows change. */
export type AccountListName = (typeof ACCOUNT_LISTS)[number];
/** A list that only grows. */
export type AccountLogName = (typeof ACCOUNT_LOGS)[number];

type Lists = Readonly<Record<AccountListName, AccountList>>;
type Logs = Readonly<Record<AccountLogName, AccountLog>>;

/**
 * Where no audit comes (docs/adr/0050): interpretations that hold different rows for this long are settled by fetching
 * everything anew, not too often.
 */
const AUDIT_AFTER_MS = 75_000;
const AUDIT_PERIOD_MS = 60_000;

const MARKET = [["marketType"], ["market", "symbol"]] as const;
/** How rows are told apart before any has come. */
const KEYS: Readonly<Record<AccountListName, ListOptions["key"]>> = {
  positions: { scope: MARKET },
  orders: { scope: MARKET, id: "orderId" },
  balances: { scope: [["asset"]] },
  leverages: { scope: MARKET },
};

/** All that is known of one subaccount. Only the fold changes it. */
export class AccountState {
  readonly #aliases: Aliases;
  #lists: Lists;
  #logs: Logs;
  #summary: OpenRecord | undefined;
  #summaryForms = new RowForms();
  #doubt: string | undefined;
  #auditedAtMs = Number.NEGATIVE_INFINITY;
  #isAudited = false;
  /** What the transaction has brought so far. */
  #came = new Set<string>();

  constructor(aliases: Aliases) {
    const ends = {
      positions: positionEnd(aliases),
      orders: orderEnd(aliases),
      balances: neverEnds,
      leverages: neverEnds,
    };
    const list = (name: AccountListName) =>
      new AccountList({ aliases, key: KEYS[name], endOf: ends[name] });
    this.#aliases = aliases;
    this.#lists = {
      positions: list("positions"),
      orders: list("orders"),
      balances: list("balances"),
      leverages: list("leverages"),
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
    copy.#summaryForms = this.#summaryForms.copy();
    copy.#doubt = this.#doubt;
    copy.#auditedAtMs = this.#auditedAtMs;
    copy.#isAudited = this.#isAudited;
    copy.#came = new Set(this.#came);
    return copy;
  }

  get lists(): Lists {
    return this.#lists;
  }

  get logs(): Logs {
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
      if (rows !== undefined) this.lists[name].update(rows, isSnapshot, atMs, !this.#comes(name));
    }
    for (const name of ACCOUNT_LOGS) {
      const rows = frame[name];
      if (rows !== undefined) this.logs[name].update(rows, isSnapshot, !this.#comes(name));
    }
  }

  /**
   * Compares what is held with a snapshot of the same sequence. Lists that it does not hold are not compared. A difference
   * that two audits agree on changes the interpretation and replaces the rows.
   */
  audit(snapshot: AccountUpdate): AuditResult {
    this.#isAudited = true;
    const parts: PartAudit[] = [];
    const changes: string[] = [];
    for (const name of [...ACCOUNT_LISTS, ...ACCOUNT_LOGS]) {
      const rows = snapshot[name] as readonly OpenRecord[] | undefined;
      const held = isListName(name) ? this.lists[name] : this.logs[name];
      if (rows === undefined || !held.hasCome) continue;
      const audit = held.audit(rows);
      parts.push({
        ...audit,
        differences: audit.differences.map((each) => ({ ...each, part: name })),
      });
      if (audit.changed !== undefined) changes.push(`${name}: ${audit.changed}`);
    }
    return {
      compared: parts.reduce((sum, { compared }) => sum + compared, 0),
      differences: parts.flatMap(({ differences }) => differences),
      ...(changes.length > 0 && { changed: changes.join("; ") }),
    };
  }

  /** Lets time pass: rows about which the readings disagree are looked up, where no audits do that. */
  pass(nowMs: number): void {
    if (this.#isAudited) return;
    if (this.#doubt !== undefined || nowMs - this.#auditedAtMs < AUDIT_PERIOD_MS) return;
    const split = ACCOUNT_LISTS.find((name) => {
      const since = this.lists[name].splitSinceMs;
      return since !== undefined && nowMs - since >= AUDIT_AFTER_MS;
    });
    if (split === undefined) return;
    this.#auditedAtMs = nowMs;
    this.#doubt = `the newest ${split} left out rows: are they over?`;
  }

  /** What no frame of a snapshot brings is from before it. */
  #begin(isSnapshot: boolean): void {
    this.#came.clear();
    for (const name of ACCOUNT_LISTS) this.lists[name].endTransaction();
    for (const name of ACCOUNT_LOGS) this.logs[name].endTransaction();
    if (!isSnapshot) return;
    this.#doubt = undefined;
    for (const name of ACCOUNT_LISTS) this.lists[name].beginSnapshot();
    for (const name of ACCOUNT_LOGS) this.logs[name].beginSnapshot();
  }

  /** A part comes. True when the transaction has not brought it before. */
  #comes(part: string): boolean {
    if (this.#came.has(part)) return false;
    this.#came.add(part);
    return true;
  }

  /** A later summary may hold only what changed: fields that every whole one has had are kept. */
  #takeSummary(account: OpenRecord, isWhole: boolean): void {
    const held = isWhole ? undefined : this.#summary;
    if (held === undefined) this.#summaryForms.noteWhole(account);
    this.#summary = held === undefined ? account : this.#summaryForms.complete(account, held).row;
  }
}

function isListName(name: AccountListName | AccountLogName): name is AccountListName {
  return (ACCOUNT_LISTS as readonly string[]).includes(name);
}
