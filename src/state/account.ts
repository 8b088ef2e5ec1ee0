// Folds one subaccount as its channel publishes it: a summary record, four lists of current rows, and two logs.
import type { AccountUpdate } from "../wire/channels/account.ts";
import { namesAnother, type OpenRecord } from "../wire/update.ts";
import { AccountList } from "./account-list.ts";
import { AccountLog } from "./account-log.ts";
import type { Aliases } from "./aliases.ts";
import type { AuditDifference, AuditResult } from "./audits.ts";
import type { SliceFacts } from "./facts-schema.ts";
import { type Omissions, omissionsOf, RowForms } from "./row-change.ts";
import { neverEnds, orderEnd, positionEnd } from "./row-end.ts";

/** Lists of current rows, by their wire names. */
export const ACCOUNT_LISTS = ["positions", "orders", "balances", "leverages"] as const;
/** Lists that only grow. */
export const ACCOUNT_LOGS = ["fills", "funding_payments"] as const;
/** A list whose rows change. */
export type AccountListName = (typeof ACCOUNT_LISTS)[number];

/**
 * Interpretations that hold different rows for this long are settled by fetching everything again, at most once per period. Audits
 * settle them sooner, unless a service stops them: two of the rarest take half an hour.
 */
const RESYNC_AFTER_MS = { unaudited: 75_000, audited: 2_400_000 };
const RESYNC_PERIOD_MS = 60_000;

/** Key columns before any row is received. */
const MARKET = [["marketType"], ["market", "symbol"]] as const;

class Lists {
  readonly positions: AccountList;
  readonly orders: AccountList;
  readonly balances: AccountList;
  readonly leverages: AccountList;

  constructor(aliases: Aliases) {
    const ofMarket = { aliases, key: { scope: MARKET } };
    this.positions = new AccountList({ ...ofMarket, endOf: positionEnd(aliases) });
    const orders = { scope: MARKET, id: "orderId" } as const;
    this.orders = new AccountList({ aliases, key: orders, endOf: orderEnd(aliases) });
    this.balances = new AccountList({ aliases, key: { scope: [["asset"]] }, endOf: neverEnds });
    this.leverages = new AccountList({ ...ofMarket, endOf: neverEnds });
  }
}

class Logs {
  readonly fills: AccountLog;
  readonly funding_payments: AccountLog;

  constructor(aliases: Aliases) {
    this.fills = new AccountLog(aliases, "fillId");
    this.funding_payments = new AccountLog(aliases, "paymentId");
  }
}

/** State of one subaccount. Only the fold changes it. */
export class AccountState {
  readonly lists: Lists;
  readonly logs: Logs;
  summary: OpenRecord | undefined;
  /**
   * Fields that the newest summary omitted, while it is unknown whether they are gone; all fields while the newest subscription
   * has not sent a summary.
   */
  heldOver: ReadonlySet<string> = NONE;
  /** Why everything should be fetched again; undefined if there is no need. */
  suspect: string | undefined;
  private readonly summaryForms = new RowForms();
  private omitted: Omissions | undefined;
  private suspectedAtMs = Number.NEGATIVE_INFINITY;
  private isAudited = false;
  /** Some frames are complete, others are deltas, and nothing marks which. */
  private isMixed = false;
  /** Parts received so far in the current transaction. */
  private readonly received = new Set<string>();

  constructor(aliases: Aliases) {
    this.lists = new Lists(aliases);
    this.logs = new Logs(aliases);
  }

  /**
   * Applies an update; a snapshot replaces the lists that it holds.
   * @param isSnapshot first frame of a subscription, one with a null previous sequence, or a further part of such a snapshot
   * @param continues it belongs to the same transaction as the frame before, and adds to that frame's lists
   */
  update(frame: AccountUpdate, isSnapshot: boolean, atMs: number, continues = false): void {
    if (!continues) this.begin(isSnapshot);
    const { account } = frame;
    const looksWhole = !isSnapshot && this.looksWhole(frame);
    if (account !== undefined) this.takeSummary(account, isSnapshot && !this.isReceived("account"));
    if (looksWhole)
      for (const name of ACCOUNT_LISTS) this.lists[name].markMixed(frame[name] === undefined);
    // It may be a part of the snapshot, or a change that the snapshot already contains.
    const mayBeChange = isSnapshot && continues && namesAnother(frame);
    this.updateLists(frame, isSnapshot, atMs, mayBeChange);
    this.updateLogs(frame, isSnapshot, looksWhole, mayBeChange);
  }

  /**
   * Compares the state with a snapshot of the same sequence, except for lists missing from it. A difference that two audits
   * agree on changes the interpretation and replaces the rows.
   */
  audit(snapshot: AccountUpdate): AuditResult {
    this.isAudited = true;
    let compared = 0;
    const differences: AuditDifference[] = [];
    const changes: string[] = [];
    if (snapshot.account !== undefined && this.summary !== undefined) {
      compared++;
      const gone = this.auditSummary(snapshot.account);
      differences.push(...gone.map((row) => ({ part: "account", row, how: "extra" as const })));
      if (gone.length > 0) changes.push("account: fields that a record leaves out are gone");
    }
    for (const part of [...ACCOUNT_LISTS, ...ACCOUNT_LOGS]) {
      const held = this.parts[part];
      const rows = snapshot[part] as readonly OpenRecord[] | undefined;
      if (rows === undefined || !held.isReceived) continue;
      const audit = held.audit(rows);
      compared += audit.compared;
      differences.push(...audit.differences.map((each) => ({ ...each, part })));
      if (audit.changed !== undefined) changes.push(`${part}: ${audit.changed}`);
    }
    return { compared, differences, changed: changes.join("; ") || undefined };
  }

  /** The whole state as one frame that would recreate it, logs oldest first; undefined before the first frame. */
  snapshot(): Partial<AccountUpdate> | undefined {
    const lists = Object.entries(this.lists).filter(([, { isReceived }]) => isReceived);
    const logs = Object.entries(this.logs).filter(([, { isReceived }]) => isReceived);
    const parts: Partial<AccountUpdate> = {
      ...(this.summary !== undefined && { account: this.summary }),
      ...Object.fromEntries(lists.map(([name, list]) => [name, [...list.rows]])),
      ...Object.fromEntries(logs.map(([name, log]) => [name, log.rows.toReversed()])),
    };
    return Object.keys(parts).length === 0 ? undefined : parts;
  }

  facts(): SliceFacts["account"] {
    const factsOf = <F>(parts: Record<string, { isReceived: boolean; facts(): F }>) => {
      const received = Object.entries(parts).filter(([, { isReceived }]) => isReceived);
      return Object.fromEntries(received.map(([name, part]) => [name, part.facts()]));
    };
    const { suspect, isAudited, isMixed } = this;
    const [lists, logs] = [factsOf({ ...this.lists }), factsOf({ ...this.logs })];
    return { lists, logs, suspect, isAudited, isMixed, heldOver: [...this.heldOver] };
  }

  /** Restores earlier findings, after the frame with all rows was applied. */
  restore(
    { lists, logs, suspect, isAudited, isMixed, heldOver }: SliceFacts["account"],
    frame: AccountUpdate,
  ): this {
    this.setOmitted(omissionsOf(heldOver));
    for (const name of ACCOUNT_LISTS) {
      const facts = lists[name];
      if (facts !== undefined) this.lists[name].restore((frame[name] ?? []) as OpenRecord[], facts);
    }
    for (const name of ACCOUNT_LOGS) {
      const facts = logs[name];
      if (facts !== undefined) this.logs[name].restore(frame[name] ?? [], facts);
    }
    this.received.clear();
    return Object.assign(this, { suspect, isAudited, isMixed });
  }

  /** How many rows are in question, including fields of the summary. */
  get questions(): number {
    const rows = Object.values(this.parts).reduce(
      (sum, { inQuestion }) => sum + inQuestion.size,
      0,
    );
    return rows + this.heldOver.size;
  }

  /** Frames were misinterpreted: evidence about what later lists hold is collected again. */
  markSuspect(): void {
    this.isMixed = false;
    for (const name of ACCOUNT_LOGS) this.logs[name].markSuspect();
    for (const name of ACCOUNT_LISTS) {
      if (!this.lists[name].markSuspect()) continue;
      this.suspect ??= "what its frames follow was taken wrongly";
    }
  }

  /** Advances time: rows on which the interpretations disagree trigger a resync where no audit settles them. */
  advance(nowMs: number): void {
    if (this.suspect !== undefined) return;
    if (nowMs - this.suspectedAtMs < RESYNC_PERIOD_MS) return;
    const afterMs = RESYNC_AFTER_MS[this.isAudited ? "audited" : "unaudited"];
    const split = ACCOUNT_LISTS.find(
      (name) => nowMs - (this.lists[name].splitSinceMs ?? nowMs) >= afterMs,
    );
    if (split === undefined) return;
    this.suspectedAtMs = nowMs;
    this.suspect = `the newest ${split} left out rows: are they over?`;
  }

  private updateLists(
    frame: AccountUpdate,
    isSnapshot: boolean,
    atMs: number,
    mayBeChange: boolean,
  ): void {
    for (const name of ACCOUNT_LISTS) {
      const rows = frame[name] as readonly OpenRecord[] | undefined;
      if (rows === undefined) continue;
      const list = this.lists[name];
      const continues = this.isReceived(name);
      const added = mayBeChange && continues ? list.selectNew(rows) : rows;
      list.update(added, isSnapshot, atMs, continues);
    }
  }

  private updateLogs(
    frame: AccountUpdate,
    isSnapshot: boolean,
    looksWhole: boolean,
    mayBeChange: boolean,
  ): void {
    for (const name of ACCOUNT_LOGS) {
      if (!isSnapshot && frame.previous_sequence === null) this.logs[name].mix();
      const rows = frame[name];
      const log = this.logs[name];
      if (rows === undefined || (mayBeChange && log.hasListed(rows))) continue;
      log.update(rows, isSnapshot, this.isReceived(name), looksWhole);
    }
  }

  /**
   * True for a frame with a null previous sequence whose content suggests a snapshot: it repeats a whole list unchanged; or it
   * has unchanged rows and all lists that hold rows. After one such frame, unchanged rows alone suffice.
   */
  private looksWhole(frame: AccountUpdate): boolean {
    if (frame.previous_sequence !== null) return false;
    const lists = ACCOUNT_LISTS.map((name) => ({
      list: this.lists[name],
      rows: frame[name] as readonly OpenRecord[] | undefined,
    }));
    const repeats = lists.flatMap(({ list, rows }) =>
      rows === undefined ? [] : list.repeats(rows),
    );
    const hasAll = lists.every(({ list, rows }) => rows !== undefined || list.rows.length === 0);
    const hasRepeated = repeats.some((each) => each !== "none");
    const looksWhole =
      repeats.includes("all") || (hasRepeated && (this.isMixed || (hasAll && repeats.length > 1)));
    this.isMixed ||= looksWhole;
    return looksWhole;
  }

  private get parts() {
    return { ...this.lists, ...this.logs };
  }

  /** Parts that no frame of a snapshot brings are left from before it. */
  private begin(isSnapshot: boolean): void {
    this.received.clear();
    if (isSnapshot) {
      this.suspect = undefined;
      // It is from an earlier subscription until the new one sends it.
      if (this.summary !== undefined) this.setOmitted(omissionsOf(Object.keys(this.summary)));
    }
    for (const part of Object.values(this.parts)) {
      part.endTransaction();
      if (isSnapshot) part.beginSnapshot();
    }
  }

  /** True when the transaction has already brought this part; marks it as received. */
  private isReceived(part: string): boolean {
    const isReceived = this.received.has(part);
    this.received.add(part);
    return isReceived;
  }

  private setOmitted(omitted: Omissions | undefined): void {
    this.omitted = omitted;
    this.heldOver = omitted === undefined ? NONE : new Set(omitted.keys());
  }

  /** A later summary may hold only changed fields: those that it omits stay until they are certainly gone. */
  private takeSummary(account: OpenRecord, isWhole: boolean): void {
    const held = isWhole ? undefined : this.summary;
    if (held === undefined) {
      this.summaryForms.noteWhole(account);
      this.summary = account;
      this.setOmitted(undefined);
      return;
    }
    const { row, omitted } = this.summaryForms.complete(account, held, this.omitted, false);
    const stays = Object.keys(held).filter((name) => omitted?.has(name));
    this.summary =
      stays.length === 0
        ? row
        : { ...Object.fromEntries(stays.map((name) => [name, held[name]])), ...row };
    if (omitted !== this.omitted) this.setOmitted(omitted);
  }

  /**
   * A snapshot contains the whole summary. A field that the newest one omitted and the snapshot lacks is gone; if the snapshot
   * has all of them, records are deltas.
   * @returns the fields that are gone
   */
  private auditSummary(snapshot: OpenRecord): readonly string[] {
    const { omitted = NO_OMISSIONS } = this;
    this.summaryForms.noteWhole(snapshot);
    this.summaryForms.learnAll(omitted, snapshot);
    this.setOmitted(undefined);
    this.summary = snapshot;
    return [...omitted.keys()].filter((name) => !Object.hasOwn(snapshot, name));
  }
}

const NO_OMISSIONS: Omissions = new Map();
const NONE: ReadonlySet<string> = new Set();
