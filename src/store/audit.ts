// What comes of comparing a folded state with a snapshot: the first frame of a second subscription, at the same sequence.

/** One place where fold and snapshot disagree. */
interface AuditDifference {
  /** The list or book side, by its wire name. */
  readonly part: string;
  /** The row, as short text: its key or its price. */
  readonly row: string;
  /** `missing` from the fold, `extra` in the fold, or `different` in a field. */
  readonly how: "missing" | "extra" | "different";
}

/** One audit of one channel. */
export interface AuditResult {
  /** Rows of the snapshot that were compared. */
  readonly compared: number;
  readonly differences: readonly AuditDifference[];
}
