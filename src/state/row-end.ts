// Decides when a row of an account is over: by its status first; a size of zero ends a position, but an order only where its
// status does not say that it stands (a stop for the whole position may have size 0). Interpretation: docs/adr/0011.

import { parseDecimal } from "../units/decimal.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import type { Standing } from "./end-words.ts";
import { DECISION } from "./list-interpretation.ts";

export interface EndContext {
  readonly held: OpenRecord | undefined;
  /** Fields that came now; the row itself may have been completed with what was held. */
  readonly received: OpenRecord;
  readonly isSnapshot: boolean;
}

/** Says whether a row is over. */
export type RowEnd = (row: OpenRecord, context: EndContext) => Standing;

/** Rows that never end: balances, leverages. */
export const neverEnds: RowEnd = () => "stands";

export function positionEnd(aliases: Aliases): RowEnd {
  return (row) => {
    const standing = aliases.standingOf(row);
    if (standing === "ended" || isZero(aliases, row, SIZE)) return "ended";
    return standing === "unsure" ? "unsure" : "stands";
  };
}

export function orderEnd(aliases: Aliases): RowEnd {
  return (row, context) => {
    const standing = aliases.standingOf(row);
    if (standing === "ended" || standing === "unsure") return standing;
    const isLeft = !isZero(aliases, row, REMAINING);
    if (isLeft && !isZero(aliases, row, SIZE)) return "stands";
    // A part of a row that does not repeat the status, or the flag that says it, is no evidence of it.
    const isSaid = standing === "stands" && aliases.standingOf(context.received) === "stands";
    return isSaid ? "stands" : endOfEmpty(aliases, row, isLeft, context);
  };
}

/** An order of which nothing is left, or whose size is 0, and whose status does not say that it stands. */
function endOfEmpty(
  aliases: Aliases,
  row: OpenRecord,
  isLeft: boolean,
  { held, isSnapshot }: EndContext,
): Standing {
  if (isSnapshot && isLeft) return "stands";
  if (aliases.text(row, "status") !== undefined) return "unsure";
  if (!isLeft) return "ended";
  // Of size 0 without a status, by what it was before.
  if (held === undefined) return "unsure";
  return isZero(aliases, held, SIZE) ? "stands" : "ended";
}

/** How rows of one list end: by the rule, and by what snapshots and audits have shown of words that nobody knows. */
export class RowEnds {
  private readonly aliases: Aliases;
  private readonly rule: RowEnd;
  private readonly words = new Map<string, "ended" | "stands">();
  /** What a size of zero without a status says; and rows with it that audits have found standing. */
  private zero: "ended" | "stands" | undefined;
  private standingZeros = 0;
  /** Logarithms of the odds that rows of a word were gone, once lists had left them out, although they stood. */
  private readonly leftOut = new Map<string, number>();

  constructor(aliases: Aliases, rule: RowEnd) {
    this.aliases = aliases;
    this.rule = rule;
  }

  get areNever(): boolean {
    return this.rule === neverEnds;
  }

  of(row: OpenRecord, context: EndContext): Standing {
    const end = this.rule(row, context);
    if (end === "ended" || this.areNever) return end;
    const status = this.aliases.text(row, "status");
    const isKnown = status === undefined || this.aliases.standingOf(row) !== undefined;
    if (isKnown && end === "stands") return end;
    const learned = status === undefined ? this.zero : this.words.get(status);
    return learned ?? (context.isSnapshot ? end : "unsure");
  }

  /** Of a row of a snapshot. What stands there stands, whatever word it has for that. */
  learnListed(row: OpenRecord): Standing {
    const context = { held: undefined, received: row, isSnapshot: true };
    if (this.rule(row, context) === "ended") return "ended";
    const status = this.aliases.text(row, "status");
    if (status !== undefined && this.aliases.standingOf(row) === undefined)
      this.learn(status, "stands");
    return this.of(row, context);
  }

  /** An audit has found a row that may have been over. */
  confirm(row: OpenRecord): void {
    const status = this.aliases.text(row, "status");
    if (status !== undefined) this.learn(status, "stands");
    else if (++this.standingZeros >= 2) this.zero ??= "stands";
  }

  /** Audits have not found a row that may have been over. @returns what follows, as text */
  refute(row: OpenRecord | undefined): string {
    const status = row && this.aliases.text(row, "status");
    if (status === undefined) this.zero = "ended";
    else this.learn(status, "ended");
    return `rows ${status === undefined ? "of size 0" : `that are ${status}`} are over`;
  }

  /**
   * True where a row of this word is over once a list leaves it out: because of the word, or because such lists leave out what
   * is over. Which of the two, nothing has to say.
   */
  isOverLeftOut(row: OpenRecord): boolean {
    const status = this.aliases.text(row, "status");
    return status !== undefined && (this.leftOut.get(status) ?? 0) <= -DECISION;
  }

  /**
   * Rows that lists had left out are gone.
   * @param logChanceOf so many rows of one word being gone if they stood
   */
  noteGone(rows: readonly OpenRecord[], logChanceOf: (count: number) => number): void {
    const counts = new Map<string, number>();
    for (const row of rows) {
      const status = this.aliases.text(row, "status");
      if (status !== undefined) counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    for (const [status, count] of counts)
      this.setLeftOut(status, (this.leftOut.get(status) ?? 0) + logChanceOf(count));
  }

  /** A row that lists had left out is there: its word ends nothing, nor does what lists leave out. */
  noteThere(row: OpenRecord): void {
    const status = this.aliases.text(row, "status");
    if (status !== undefined) this.setLeftOut(status, Number.POSITIVE_INFINITY);
  }

  private setLeftOut(status: string, log: number): void {
    if (this.leftOut.size < MAX_WORDS || this.leftOut.has(status)) this.leftOut.set(status, log);
  }

  private learn(status: string, standing: "ended" | "stands"): void {
    if (this.words.size < MAX_WORDS) this.words.set(status, standing);
  }
}

const MAX_WORDS = 200;

export const SIZE: readonly Meaning[] = ["size", "sizeLots"];
const REMAINING: readonly Meaning[] = ["remaining", "remainingLots"];

function isZero(aliases: Aliases, row: OpenRecord, meanings: readonly Meaning[]): boolean {
  return meanings.some((meaning) => {
    const text = aliases.text(row, meaning);
    return text !== undefined && parseDecimal(text)?.mantissa === 0n;
  });
}
