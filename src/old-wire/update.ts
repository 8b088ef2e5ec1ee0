// Fields common to all update frames (section 6.3).

export interface Update {
  readonly type: "update";
  readonly channel: string;
  /** Server time in Unix nanoseconds, digit text; the document does not say of which moment. */
  readonly timestamp_ns: string;
}

export interface SequencedUpdate extends Update {
  /** Global transaction sequence of the previous frame, digit text or null. */
  readonly previous_sequence: string | null;
  /** Global transaction sequence of this frame, digit text or null. */
  readonly sequence: string | null;
}

/** True for a frame that names another one before it; within the transaction of a snapshot, it may be a change that the snapshot contains. */
export function namesAnother({ previous_sequence, sequence }: SequencedUpdate): boolean {
  return previous_sequence !== null && previous_sequence !== sequence;
}

/** A record whose fields the document does not list (2.3): kept as received. */
export type OpenRecord = Readonly<Record<string, unknown>>;
