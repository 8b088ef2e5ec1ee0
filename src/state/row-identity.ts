// Decides whether a received row is the row held under its key or another one. Where rows have ids, an id may be reused; where
// they have none, the values that both share decide. Learned from later rows and from audits, for one list.
// Interpretation: docs/adr/0011.
import { exactText } from "../wire/exact-numbers.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import type { ListFacts } from "./facts-schema.ts";
import { isSameValue, isTimeName, type RowForms } from "./row-change.ts";
import { columnText, hasColumn } from "./row-columns.ts";
import { type RowEnds, SIZE } from "./row-end.ts";
import type { RowKey } from "./row-key.ts";

/** Digits of numbers that are not the same in two rows by chance. */
const RICH_DIGITS = 5;
/** Audits that agree with an unsure key before it is accepted. */
const ENOUGH_AUDITS = 2;

type Facts = Pick<ListFacts, "mutable" | "changing" | "trusted" | "isReused">;

export class RowIdentity {
  private readonly aliases: Aliases;
  private readonly rowKey: RowKey;
  private readonly forms: RowForms;
  private readonly ends: RowEnds;
  /** Columns that were seen to change in one and the same row, and those that may have: an audit will say. */
  private mutable = new Set<string>();
  private changing = new Set<string>();
  /** Audits that found the rows under an unsure key as they are held. */
  private trusted = 0;
  /** True when a row with the name of one that was left out was quite another. */
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
   * True where a row under the key of a held one may be another row.
   * @param whole it, with what it leaves out
   * @param other any other row of the list
   */
  isAnother(
    held: OpenRecord,
    row: OpenRecord,
    whole: OpenRecord,
    other: OpenRecord | undefined,
  ): boolean {
    return this.isUnsure || this.isVague(row) || this.mayBeAnother(held, whole, other);
  }

  /** A row that is whole but for a part of its key: it may be of another part of the account. */
  private isVague(row: OpenRecord): boolean {
    const lacking = this.rowKey.columns.filter((column) => !hasColumn(row, column));
    const names = lacking.map(({ names: [name = ""] }) => name);
    return lacking.length > 0 && !this.forms.isPart(row, names);
  }

  /** Without names, a row whose unknown columns differ may be another row. */
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

  /** True when both have so many digits in common that it is not by chance: other rows do not have them. */
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

  /** A row that was left out is there again, and is surely no other one under its name. */
  isTheSame(held: OpenRecord, row: OpenRecord, other: OpenRecord | undefined): boolean {
    // Where names are given again, a row must be the same in nearly everything.
    if (this.rowKey.isNamed)
      return this.isContinued(held, row, other) && (!this.isReused || isAlike(held, row));
    // What is over may be opened again, as large and at the same price.
    const isCommon = (name: string) =>
      this.isDerived(name) || CHOSEN.some((each) => this.aliases.isNamed(name, each));
    const isContinued = this.ends.areNever
      ? this.isContinued(held, row, other)
      : this.isContinued(held, row, other, isCommon);
    if (!isContinued) return false;
    return SIZE.every((size) => this.aliases.text(held, size) === this.aliases.text(row, size));
  }

  /** Rows with names that may be one are, if no more than one other field differs: two orders differ in more. */
  isSameOrder(a: OpenRecord, b: OpenRecord): boolean {
    const isOther = (name: string) =>
      !isTimeName(name) &&
      !isSameValue(a[name], b[name]) &&
      !this.rowKey.columns.some(({ path }) => path === name || path.startsWith(`${name}.`));
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(isOther).length <= 1;
  }

  /** What follows from prices may change without a transaction. */
  isDerived(name: string): boolean {
    return isTimeName(name) || DERIVED.some((each) => this.aliases.isNamed(name, each));
  }

  /** By an audit, rows are there one by one, or not; perhaps under a key that was not sure, or with unknown columns that had changed. */
  noteAudit(isWhole: boolean, wasAsked: boolean): void {
    if (!isWhole) this.trusted = 0;
    else if (wasAsked) this.trusted++;
    if (isWhole) for (const path of this.changing) this.mutable.add(path);
    this.changing.clear();
  }
}

/** True when one field differs at the most, besides times, and another does not. */
function isAlike(held: OpenRecord, row: OpenRecord): boolean {
  const names = Object.keys(row).filter((name) => !isTimeName(name));
  const differing = names.filter((name) => !isSameValue(held[name], row[name]));
  return differing.length <= 1 && names.length > differing.length;
}

/** Digits that say something: those of a number, without zeros around them. */
function countDigits(value: unknown): number {
  const text = exactText(value) ?? "";
  if (!/^-?[0-9]+(?:\.[0-9]+)?$/.test(text)) return 0;
  const bare = text.replace(/^-?[0.]*/, "").replace(/0*$/, "");
  return bare.replace(".", "").replace(/0+$/, "").length;
}

/** What a trader chooses, perhaps always alike. */
const CHOSEN: readonly Meaning[] = [...SIZE, "price", "priceTicks", "entryPrice"];

/** What follows from the prices of a market. */
const DERIVED: readonly Meaning[] = [
  ...(["unrealizedPnl", "markPrice", "indexPrice", "lastPrice"] as const),
  ...(["liquidationPrice", "toLiquidation", "margin", "equity", "updatedAt"] as const),
];
