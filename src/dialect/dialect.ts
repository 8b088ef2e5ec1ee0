// What the document leaves open: one value for each point. Every fold follows it; none holds two interpretations.
import { createNames, type Names, type OwnNames } from "./names.ts";

/** `changes`: a later frame has the rows that changed. `whole`: it has all rows. */
const LIST = ["changes", "whole"] as const;

/** The values that each point can have, the assumed one first. */
export const VALUES = {
  /** `changes`: frames after the first set absolute sizes, 0 removes. `snapshots`: every frame is the whole book. */
  book: ["changes", "snapshots"],
  /** `channel`: `previous_sequence` names the frame before on this channel. `none`: the numbers show no gaps. */
  chain: ["channel", "none"],
  /** A null `previous_sequence` after the first frame is a change as any other, or a snapshot. */
  nullPrevious: ["nothing", "snapshot"],
  /** Milliseconds between two commands, for services that close a connection for a burst of them. */
  spacing: ["0", "200", "400", "800", "1600", "3200"],
  // Each list has a value of its own: services send balances whole and orders by change.
  "lists.balances": LIST,
  "lists.positions": LIST,
  "lists.leverages": LIST,
  "lists.orders": LIST,
  "lists.subaccounts": LIST,
  "lists.delegations": LIST,
  "lists.markets": LIST,
  "lists.stats": LIST,
  // What the `before` of a listing counts: a field of its records, or something that is searched for.
  "cursor.trades": ["trade_id", "timestamp_ms", "search"],
  "cursor.liquidations": ["liquidation_id", "timestamp_ms", "search"],
  "cursor.fills": ["trade_id", "timestamp_ms", "search"],
} as const;
export type Point = keyof typeof VALUES;
export const POINTS = Object.keys(VALUES) as readonly Point[];

type NameIn<Each> = Each extends `lists.${infer Name}` ? Name : never;
export type ListName = NameIn<Point>;
export type ListValue = (typeof LIST)[number];

export type Source = "assumed" | "learned" | "configured" | "contradicted";

export interface Known<Value extends string = string> {
  readonly value: Value;
  readonly source: Source;
  /** UTC day on which it was learned. */
  readonly learned?: string;
  /** While contradicted: what it was before. */
  readonly before?: Source;
}

/** Plain data. `names` holds the names of fields, the config's first. */
export type Dialect = { [P in Point]: Known<(typeof VALUES)[P][number]> } & {
  readonly names: Names;
};

/** What a fold or a check has noticed. A doubt asks for a refresh; what is learned holds from now on. */
export type Finding =
  | { readonly kind: "doubt"; readonly because: string }
  | {
      readonly kind: "learned";
      readonly point: Point;
      readonly value: string;
      readonly because: string;
    };

export function isPoint(name: string): name is Point {
  return Object.hasOwn(VALUES, name);
}

export function isValue(point: Point, value: string): boolean {
  return (VALUES[point] as readonly string[]).includes(value);
}

/** Values by point. */
export type Pinned = Readonly<Partial<Record<Point, string | undefined>>>;
export type Learned = Readonly<Partial<Record<Point, Known>>>;

/** The assumed values, under what was learned at this service, under what the config pins. */
export function createDialect(
  learned: Learned = {},
  pinned: Pinned = {},
  ownNames: OwnNames = {},
): Dialect {
  const points = POINTS.map((point): [Point, Known] => {
    const pin = pinned[point];
    if (pin !== undefined && isValue(point, pin))
      return [point, { value: pin, source: "configured" }];
    return [point, learned[point] ?? { value: VALUES[point][0], source: "assumed" }];
  });
  return { ...Object.fromEntries(points), names: createNames(ownNames) } as Dialect;
}

/**
 * Takes a value that the service has shown.
 * @param day UTC, `2026-11-27`
 * @returns false if nothing changes: the value is known, or the config pins another one
 */
export function learn(dialect: Dialect, point: Point, value: string, day: string): boolean {
  const known = knownOf(dialect);
  const { value: held, source } = known[point];
  if (source === "configured" || (source === "learned" && held === value)) return false;
  known[point] = { value, source: "learned", learned: day };
  return true;
}

/** Neither value fits what the service sends. */
export function contradict(dialect: Dialect, point: Point): void {
  const known = knownOf(dialect);
  const { source, before = source } = known[point];
  known[point] = { ...known[point], source: "contradicted", before };
}

/** It fits again. */
export function uphold(dialect: Dialect, point: Point): void {
  const known = knownOf(dialect);
  const { before, ...rest } = known[point];
  if (before !== undefined) known[point] = { ...rest, source: before };
}

function knownOf(dialect: Dialect): Record<Point, Known> {
  return dialect;
}
