// What comes of comparing one list of an account with that of a snapshot of the same sequence.
import type { AuditResult } from "./audits.ts";

/** One place where they disagree. */
export type AuditDifference = AuditResult["differences"][number];

/** One list. */
export interface PartAudit {
  readonly compared: number;
  readonly differences: readonly AuditDifference[];
  /** What two audits that agree have changed, in words. */
  readonly changed?: string;
}

/** Nothing that both hold. */
export const NO_AUDIT: PartAudit = { compared: 0, differences: [] };
