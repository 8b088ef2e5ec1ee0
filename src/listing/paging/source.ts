// Where the pager gets its answers from. The REST listing is one; tests bring others.

/** What a request asks for: at most `limit` rows strictly before an index, or the newest ones. */
export interface PageRequest {
  readonly before: bigint | undefined;
  readonly limit: number;
}

/** An answer, not yet read: reading costs more than guessing from its end where the next page begins. */
export interface Answer<T> {
  /**
   * Fields of the last records, at most so many, in the order of the answer, as the raw text shows them, unchecked:
   * good for guesses only. None where they cannot be seen. Never throws.
   */
  end(count: number): readonly Partial<T>[];
  /**
   * All records, as sent: newest first if the service keeps to the interface.
   * @throws {HistoryError} when the answer does not fit the interface
   */
  records(): readonly T[];
}

/** Something that answers pages, newest first. */
export interface Source<T> {
  /**
   * Asks once; tries again by itself where that can help.
   * @throws {HistoryError} when the service has no answer, `http-400` among others where it refuses the request; the
   * signal's reason when aborted
   */
  get(request: PageRequest, signal: AbortSignal): Promise<Answer<T>>;
}
