// What an export is, as text: the same for all that make the same file, so that one can go on with another's.

/** Everything that decides about the bytes of a file. Times are Unix milliseconds. */
interface ExportFacts {
  /** `trades perp/1` */
  readonly name: string;
  readonly baseUrl: string;
  readonly format: string;
  readonly order: "added" | "oldest first" | "newest first";
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly max?: number | undefined;
  /** Such as `raw cells`. */
  readonly more?: readonly string[];
}

/** Never throws. */
export function exportIdentity(facts: ExportFacts): string {
  const { name, baseUrl, format, order, sinceMs, untilMs, max, more = [] } = facts;
  const words = [
    order,
    sinceMs !== undefined && `since ${sinceMs}`,
    untilMs !== undefined && `until ${untilMs}`,
    max !== undefined && `at most ${max}`,
    ...more,
  ];
  return [`${name} of ${baseUrl}`, format, ...words.filter(Boolean)].join(", ");
}
