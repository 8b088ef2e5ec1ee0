// What comes of comparing a folded state with a snapshot: the first frame of a second subscription, at the same sequence.

/** One place where fold and snapshot disagree. */
export interface AuditDifference {
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
  /** What a second audit that agrees has changed, in words; undefined where nothing was. */
  readonly changed?: string | undefined;
}

/** The audits of one channel since the start of the program. Times are monotonic milliseconds. */
export interface ChannelAudits {
  /** Audits that compared something, and how often one of them has changed what is held. */
  readonly count: number;
  readonly changes: number;
  /** The newest that compared something; undefined before the first. */
  readonly last: (AuditResult & { readonly atMs: number }) | undefined;
  /** What the newest change was, in words. */
  readonly changed: string | undefined;
  /** Why the newest try compared nothing; undefined when it did. */
  readonly failure: string | undefined;
}

export const NO_AUDITS: ChannelAudits = {
  count: 0,
  changes: 0,
  last: undefined,
  changed: undefined,
  failure: undefined,
};

/** Examples that are kept of the differences of an audit. */
export const MAX_EXAMPLES = 100;

/** The same audits with one more. */
export function addAudit(audits: ChannelAudits, result: AuditResult, atMs: number): ChannelAudits {
  const { changed } = result;
  return {
    count: audits.count + 1,
    changes: audits.changes + (changed === undefined ? 0 : 1),
    last: { ...result, differences: result.differences.slice(0, MAX_EXAMPLES), atMs },
    changed: changed ?? audits.changed,
    failure: undefined,
  };
}
