// Decides whether a received row is the row held under its key or a different one. Where rows have ids, an id may be reused;
// where they have none, the values that both share decide. Learned per list, from later rows and from audits.
import { exactText } from "../wire/exact-numbers.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import type { ListFacts } from "./facts-schema.ts";
import { isSameValue, isTimeName, type RowForms } from "./row-change.ts";
import { columnText, hasColumn } from "./row-columns.ts";
import { type RowEnds, SIZE } from "./row-end.ts";
import type { RowKey } from "./row-key.ts";

/** Significant digits in common that two rows do not share by chance. */
const RICH_DIGITS = 5;
/** Audits that must agree with an unsure key before it is accepted. */
const ENOUGH_AUDITS = 2;

type Facts = Pick<ListFacts, "mutable" | "changing" | "trusted" | "isReused">;

export class RowIdentity {
  private readonly aliases: Aliases;
  private readonly rowKey: RowKey;
  private readonly forms: RowForms;
  private readonly ends: RowEnds;
  /** Columns seen to change within one row, and those that may have changed: an audit decides. */
  private mutable = new Set<string>();
  private changing = new Set<string>();
  /** Audits that confirmed the rows held under an unsure key. */
  private trusted = 0;
  /** True once a row with the id of a left-out row was clearly another one. */
  isReused = false;

  constructor(aliases: Aliases, rowKey: RowKey, forms: RowForms, ends: RowEnds) {
    this.aliases = aliases;
    this.rowKey = rowKey;
    this.forms = forms;
    this.ends = ends;
  }

  facts(): Facts {
    const { mutable, changing, trusted, isReused } = this;
    return { mutable: [...mutable], changing: [...changing], trusted, isReused };
  }

  restore({ mutable, changing, trusted, isReused }: Facts): void {
    Object.assign(this, { trusted, isReused });
    this.mutable = new Set(mutable);
    this.changing = new Set(changing);
  }

  get isUnsure(): boolean {
    return this.trusted < ENOUGH_AUDITS && this.rowKey.isUnsure;
  }

  /**
   * True when a row with the key of a held one may be a different row.
   * @param complete the row, completed from the held one
   * @param other any other row of the list
   */
  isAnother(
    held: OpenRecord,
    row: OpenRecord,
    complete: OpenRecord,
    other: OpenRecord | undefined,
  ): boolean {
    return this.isUnsure || this.isVague(row) || this.mayBeAnother(held, complete, other);
  }

  /** A row that is complete except for part of its key: it may belong to another part of the account. */
  private isVague(row: OpenRecord): boolean {
    const lacking = this.rowKey.columns.filter((column) => !hasColumn(row, column));
    const names = lacking.map(({ names: [name = ""] }) => name);
    return lacking.length > 0 && !this.forms.isPart(row, names);
  }

  /** Without ids, a row that differs in unknown columns may be a different row. */
  private mayBeAnother(held: OpenRecord, row: OpenRecord, other: OpenRecord | undefined): boolean {
    const differing = this.rowKey.attributes.filter(
      (column) =>
        !this.mutable.has(column.path) && columnText(held, column) !== columnText(row, column),
    );
    if (differing.length === 0) return false;
    const isSame = this.isContinued(held, row, other);
    for (const { path } of differing) (isSame ? this.mutable : this.changing).add(path);
    return !isSame;
  }

  /** True when both share too many digits for chance: different rows would not. */
  isContinued(
    held: OpenRecord,
    row: OpenRecord,
    other: OpenRecord | undefined,
    isCommon: (name: string) => boolean = isTimeName,
  ): boolean {
    if (this.rowKey.isNamed && !this.isReused && isAlike(held, row)) return true;
    const isKey = (name: string) => this.rowKey.columns.some(({ names }) => names[0] === name);
    const distinctive = Object.keys(row).filter(
      (name) =>
        isSameValue(row[name], held[name]) &&
        !isCommon(name) &&
        !isKey(name) &&
        (other === undefined || !isSameValue(row[name], other[name])),
    );
    return distinctive.reduce((sum, name) => sum + countDigits(row[name]), 0) >= RICH_DIGITS;
  }

  /** A left-out row is back, and is surely not another one under its id. */
  isTheSame(held: OpenRecord, row: OpenRecord, other: OpenRecord | undefined): boolean {
    // Where ids are reused, nearly every field must match.
    if (this.rowKey.isNamed)
      return this.isContinued(held, row, other) && (!this.isReused || isAlike(held, row));
    // A closed row may be reopened with the same size and price.
    const isCommon = (name: string) =>
      this.isDerived(name) || CHOSEN.some((each) => this.aliases.isNamed(name, each));
    const isContinued = this.ends.areNever
      ? this.isContinued(held, row, other)
      : this.isContinued(held, row, other, isCommon);
    if (!isContinued) return false;
    return SIZE.every((size) => this.aliases.text(held, size) === this.aliases.text(row, size));
  }

  /** Two rows whose ids may be the same are one row if at most one other field differs: two orders differ in more. */
  isSameOrder(a: OpenRecord, b: OpenRecord): boolean {
    const isOther = (name: string) =>
      !isTimeName(name) &&
      !isSameValue(a[name], b[name]) &&
      !this.rowKey.columns.some(({ path }) => path === name || path.startsWith(`${name}.`));
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(isOther).length <= 1;
  }

  /** Fields derived from prices may change without a transaction. */
  isDerived(name: string): boolean {
    return isTimeName(name) || DERIVED.some((each) => this.aliases.isNamed(name, each));
  }

  /** Notes whether an audit found exactly the held rows, some perhaps under an unsure key or with changed unknown columns. */
  noteAudit(isWhole: boolean, wasInQuestion: boolean): void {
    if (!isWhole) this.trusted = 0;
    else if (wasInQuestion) this.trusted++;
    if (isWhole) for (const path of this.changing) this.mutable.add(path);
    this.changing.clear();
  }
}

/** True when at most one field differs, times aside, and at least one matches. */
function isAlike(held: OpenRecord, row: OpenRecord): boolean {
  const names = Object.keys(row).filter((name) => !isTimeName(name));
  const differing = names.filter((name) => !isSameValue(held[name], row[name]));
  return differing.length <= 1 && names.length > differing.length;
}

/** Significant digits of a number: without leading or trailing zeros. */
function countDigits(value: unknown): number {
  const text = exactText(value) ?? "";
  if (!/^-?[0-9]+(?:\.[0-9]+)?$/.test(text)) return 0;
  const bare = text.replace(/^-?[0.]*/, "").replace(/0*$/, "");
  return bare.replace(".", "").replace(/0+$/, "").length;
}

/** Fields chosen by the trader, who may always choose the same values. */
const CHOSEN: readonly Meaning[] = [...SIZE, "price", "priceTicks", "entryPrice"];

/** Fields derived from a market's prices. */
const DERIVED: readonly Meaning[] = [
  ...(["unrealizedPnl", "markPrice", "indexPrice", "lastPrice"] as const),
  ...(["liquidationPrice", "toLiquidation", "margin", "equity", "updatedAt"] as const),
];
