// The checker of a subaccount in the soak: what the program prints of it, against the exchange's own ledger.
import type { Ledger } from "../simulator/ledger.ts";

/** Fills of a first frame, and at least so many of the newest stand without a hole. */
const BACKLOG = 50;
const ACTIVE = 0;

type Row = Readonly<Record<string, string | number | null>>;

/** What `monitor account … --json` prints, as far as it is looked at. */
export interface PrintedAccount {
  readonly account: Row | null;
  readonly positions: readonly Row[] | null;
  readonly balances: readonly Row[] | null;
  readonly leverages: readonly Row[] | null;
  readonly orders: readonly Row[] | null;
  readonly fills: readonly Row[] | null;
}

/**
 * In what the printed subaccount differs from the ledger as it was after a transaction. Empty when in nothing.
 * @param index of the transaction
 * @param inQuestion places of positions that are marked: they may be over
 */
export function accountDifferences(
  printed: PrintedAccount,
  ledger: Ledger,
  index: number,
  inQuestion: readonly number[],
): readonly string[] {
  const state = ledger.account(ACTIVE, index);
  const open = state.positions.filter(({ lots }) => lots !== 0).map(positionOf);
  const isAvailable = (text: string, place: number) =>
    !inQuestion.includes(place) || open.includes(text);
  return [
    ...unequal("positions", shownPositions(printed.positions).filter(isAvailable), open),
    ...unequal("money", [moneyOf(printed.balances)], [`${state.quoteAtoms}`]),
    ...fillDifferences(printed.fills, ledger, index),
    ...repeated("orders", printed.orders, "order_id"),
    ...repeated("leverages", printed.leverages, "market_id"),
    ...(printed.account === null ? ["there is no summary"] : []),
  ];
}

function positionOf({ marketId, lots, realisedAtoms, feesAtoms }: OpenPosition): string {
  return `${marketId} ${lots} ${realisedAtoms} ${feesAtoms}`;
}
type OpenPosition = ReturnType<Ledger["account"]>["positions"][number];

function shownPositions(rows: readonly Row[] | null): string[] {
  return (rows ?? []).map(({ market_id, side, size_base_lots, realized_pnl, fees_paid }) => {
    const lots = `${side === "short" ? "-" : ""}${size_base_lots}`;
    return `${market_id} ${lots} ${atoms(realized_pnl)} ${atoms(fees_paid)}`;
  });
}

function moneyOf(rows: readonly Row[] | null): string {
  return atoms((rows ?? [])[0]?.total);
}

/** Millionths of the quote currency. */
function atoms(text: string | number | null | undefined): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(`${text}`) ?? [];
  return `${BigInt(`${sign}${whole}${fraction.padEnd(6, "0")}`)}`;
}

/** Every fill is one of the ledger's, none comes twice, none is out of order, and of the newest none is missing. */
function fillDifferences(rows: readonly Row[] | null, ledger: Ledger, index: number): string[] {
  const truth = fillsOf(ledger)
    .filter((fill) => fill.index <= index)
    .map(({ id }) => id);
  const shown = (rows ?? []).map(({ trade_id }) => `${trade_id}`).reverse();
  const newest = Math.min(BACKLOG, truth.length);
  const places = new Map(truth.map((id, place) => [id, place]));
  const wrong = shown.filter((id, i) => {
    const place = places.get(id);
    const before = i === 0 ? -1 : (places.get(shown[i - 1] ?? "") ?? -1);
    return place === undefined || place <= before;
  });
  return [
    ...unequal("newest fills", shown.slice(-newest), truth.slice(-newest)),
    ...(wrong.length === 0 ? [] : [`fills that are none, or out of order: ${wrong.slice(0, 3)}`]),
  ];
}

/** What was seen of a ledger's fills, oldest first: they are asked for again and again. */
const seen = new WeakMap<Ledger, { readonly id: string; readonly index: number }[]>();

function fillsOf(ledger: Ledger) {
  const fills = seen.get(ledger) ?? [];
  for (const { record, index } of ledger.fills(ACTIVE, fills.at(-1)?.index)) {
    fills.push({ id: record.trade_id, index });
  }
  seen.set(ledger, fills);
  return fills;
}

function repeated(what: string, rows: readonly Row[] | null, key: string): string[] {
  if (rows === null) return [`${what} have never come`];
  const keys = rows.map((row) => row[key]);
  return new Set(keys).size === keys.length ? [] : [`${what} are there twice`];
}

function unequal(what: string, shown: readonly string[], truth: readonly string[]): string[] {
  const [a, b] = [[...shown].sort().join("; "), [...truth].sort().join("; ")];
  return a === b ? [] : [`${what}: shown ${a.slice(0, 200)}, in the ledger ${b.slice(0, 200)}`];
}
