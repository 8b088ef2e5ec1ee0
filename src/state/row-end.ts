// Decides when an account row has ended: by its status first. Size 0 ends a position, but an order only if its status does not
// say that it stands: a stop for the whole position may have size 0.

import { parseDecimal } from "../units/decimal.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import { DECISION } from "./list-interpretation.ts";
import type { Standing } from "./status-words.ts";

export interface EndContext {
  readonly held: OpenRecord | undefined;
  /** Fields received now; the row itself may have been completed from the held one. */
  readonly received: OpenRecord;
  readonly isSnapshot: boolean;
}

/** Decides whether a row has ended. */
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
    // A partial row that does not repeat the status, or its flag, is no evidence for it.
    const isSaid = standing === "stands" && aliases.standingOf(context.received) === "stands";
    return isSaid ? "stands" : endOfEmpty(aliases, row, isLeft, context);
  };
}

/** An order with nothing remaining, or of size 0, whose status does not show that it stands. */
function endOfEmpty(
  aliases: Aliases,
  row: OpenRecord,
  isLeft: boolean,
  { held, isSnapshot }: EndContext,
): Standing {
  if (isSnapshot && isLeft) return "stands";
  if (aliases.text(row, "status") !== undefined) return "unsure";
  if (!isLeft) return "ended";
  // Size 0 without a status: decided by the size held before.
  if (held === undefined) return "unsure";
  return isZero(aliases, held, SIZE) ? "stands" : "ended";
}

/** How rows of one list end: by the rule, and by what snapshots and audits have shown about unknown status words. */
export class RowEnds {
  private readonly aliases: Aliases;
  private readonly rule: RowEnd;
  private readonly words = new Map<string, "ended" | "stands">();
  /** What size 0 without a status means; and how many such rows audits have found standing. */
  private zero: "ended" | "stands" | undefined;
  private standingZeros = 0;
  /** Per status: log odds of its rows being gone after lists left them out, if they had still stood. */
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

  /** For a row of a snapshot: whatever its status, a listed row stands. */
  learnListed(row: OpenRecord): Standing {
    const context = { held: undefined, received: row, isSnapshot: true };
    if (this.rule(row, context) === "ended") return "ended";
    const status = this.aliases.text(row, "status");
    if (status !== undefined && this.aliases.standingOf(row) === undefined)
      this.learn(status, "stands");
    return this.of(row, context);
  }

  /** An audit contained a row that might have ended. */
  confirm(row: OpenRecord): void {
    const status = this.aliases.text(row, "status");
    if (status !== undefined) this.learn(status, "stands");
    else if (++this.standingZeros >= 2) this.zero ??= "stands";
  }

  /** Audits did not contain a row that might have ended. @returns the conclusion, as text */
  refute(row: OpenRecord | undefined): string {
    const status = row && this.aliases.text(row, "status");
    if (status === undefined) this.zero = "ended";
    else this.learn(status, "ended");
    return `rows ${status === undefined ? "of size 0" : `that are ${status}`} are over`;
  }

  /**
   * True when a row with this status has ended once a list leaves it out: because of the status, or because such lists leave out
   * what has ended. It need not be known which.
   */
  isOverLeftOut(row: OpenRecord): boolean {
    const status = this.aliases.text(row, "status");
    return status !== undefined && (this.leftOut.get(status) ?? 0) <= -DECISION;
  }

  /**
   * Rows left out by lists are gone.
   * @param logChanceOf log probability of so many rows of one status being gone if they had still stood
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

  /** A row left out by lists still exists: neither its status nor being left out means that it has ended. */
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
