// The statement of own fills: their sums by day and market, newest day first. It reads all fills, which takes a while.
import { fitTexts } from "../../../select/columns.ts";
import { getSign, withSign } from "../../../select/fields.ts";
import { findSymbol, readMarketName } from "../../../select/market.ts";
import { MASK } from "../../../select/mask.ts";
import type { ShowCell } from "../../../select/record-format.ts";
import type { PaneStatus } from "../../../select/status.ts";
import type { Store } from "../../../state/store.ts";
import type { FillsRead } from "../../../statement/fills.ts";
import { type QuoteSums, type StatementDay, StatementFold, ZERO } from "../../../statement/fold.ts";
import type { Clock } from "../../../units/clock.ts";
import { type Decimal, formatDecimal, subtractDecimal } from "../../../units/decimal.ts";
import { errorText } from "../../../units/monitor-error.ts";
import { formatIsoMs } from "../../../units/time.ts";
import type { FillsOwner } from "../../../wire/rest/own-fill.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { signStyle } from "../../panes/pieces.ts";
import { TablePane } from "../../table/pane.ts";
import type { Parts } from "../view.ts";
import { FILLS, formatOwnerMissing, getListingStatus } from "./listings.ts";

interface Read {
  readonly rows: readonly OpenRecord[];
  readonly totals: QuoteSums;
  readonly fills: number;
  /** `NOT PROVEN` and why, or `proven`; then remarks. */
  readonly notes: readonly string[];
  readonly atMs: number;
}

const COLUMNS = ["day", "market", "fills", "bought", "sold", "volume", "realised", "fees", "net"];
const SIGNED = ["realised", "fees", "net"];
const MONEY = ["volume", ...SIGNED];

/** Statements use UTC days, whatever time zone is shown. */
const utcDay = (ms: number) => formatIsoMs(ms).replace(/T.*$/, "");

/** What is received is positive, as everywhere on the screen: fees have the opposite sign of the listing's. */
const received = (fees: Decimal) => subtractDecimal(ZERO, fees);
const signed = (text: string) => (getSign(text) === "none" ? text : withSign(text));
const net = ({ realisedQuote, feesQuote }: QuoteSums) => subtractDecimal(realisedQuote, feesQuote);

export class FillsStatement {
  readonly pane: TablePane;
  readonly #parts: Parts;
  #read: Read | undefined;
  #of: FillsOwner | undefined;
  #reading: AbortController | undefined;
  #fills = 0;
  #error: string | undefined;

  constructor(parts: Parts) {
    const { shown } = parts;
    this.#parts = parts;
    this.pane = new TablePane(parts, {
      title: "Statement",
      subject: () => FILLS.subjectText(parts),
      isFreezable: false,
      fields: { show: showSum },
      first: COLUMNS,
      status: () => this.status,
      records: () => this.#read?.rows,
      keyOf: ({ day, market }) => `${day} ${market}`,
      styleOf: (row, column) =>
        SIGNED.includes(column) ? signStyle(String(row[column])) : undefined,
      emptyText: FILLS.emptyText,
      missingText: () => shown.masked(formatOwnerMissing(parts) ?? this.#error ?? "asking …"),
      notes: () => (this.#read?.notes ?? []).map((note) => shown.masked(note)),
      foot: (widthCells) => this.#foot(widthCells),
    });
  }

  get status(): PaneStatus {
    const note = this.#reading === undefined ? "" : `asking, ${this.#fills} fills so far`;
    return getListingStatus(this.#parts, this.#read?.atMs, this.#error, note);
  }

  /** Reads all fills, unless those of this owner are known. */
  follow(): void {
    const owner = this.#parts.listings.feed?.owner;
    if (owner === this.#of) return;
    this.#of = owner;
    this.#read = undefined;
    this.refresh();
  }

  refresh(): void {
    const { feed } = this.#parts.listings;
    const owner = this.#of;
    this.#reading?.abort();
    if (feed?.readFills === undefined || owner === undefined) return;
    const reading = new AbortController();
    const { signal } = reading;
    this.#reading = reading;
    this.#fills = 0;
    this.#error = undefined;
    const onFills = (fills: number) => {
      this.#fills = fills;
      this.#parts.changes.notify();
    };
    readStatement(feed.readFills(owner, signal, onFills), owner, this.#parts, feed.clock, signal)
      .then(
        (read) => {
          if (!signal.aborted) this.#read = read;
        },
        (error: unknown) => {
          if (!signal.aborted) this.#error = errorText(error);
        },
      )
      .finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
        this.#parts.changes.notify();
      });
  }

  #foot(widthCells: number): string {
    const { isMasked, display } = this.#parts.shown;
    const { totals, fills } = this.#read ?? {};
    if (totals === undefined || isMasked) return "";
    const money = (amount: Decimal) => display.money(formatDecimal(amount));
    return fitTexts(
      [
        `net ${signed(money(net(totals)))}`,
        `realised ${signed(money(totals.realisedQuote))}`,
        `fees ${signed(money(received(totals.feesQuote)))}`,
        `volume ${money(totals.volumeQuote)}`,
        `${fills} fills, days of UTC`,
      ],
      widthCells,
    );
  }
}

const showSum: ShowCell = (_row, column, cell, { display, isMasked }) => {
  // As a time, which no mask hides.
  if (column === "day") return { ...cell, kind: "time" };
  if (isMasked && column !== "market") return { ...cell, text: MASK };
  if (!MONEY.includes(column)) return cell;
  const text = display.money(cell.text.replaceAll(",", ""));
  return { ...cell, text: SIGNED.includes(column) ? signed(text) : text };
};

async function readStatement(
  reading: Promise<FillsRead>,
  owner: FillsOwner,
  { shown }: Parts,
  clock: Clock,
  signal: AbortSignal,
): Promise<Read> {
  const read = await reading;
  const fold = new StatementFold(owner, utcDay);
  for await (const fills of read.pages()) {
    signal.throwIfAborted();
    // Lets frames and keys in between two pages.
    if (fold.fills > 0) await new Promise<void>((resolve) => clock.soon(resolve));
    for (const fill of fills) fold.add(fill);
  }
  const { days, totals, fills } = fold.statement();
  const isComplete = read.isComplete && fold.unassigned === 0;
  return {
    rows: days.map((each) => sumRow(each, shown.store)).reverse(),
    totals,
    fills,
    notes: [isComplete ? "proven" : `NOT PROVEN: ${read.proof}`, ...read.notes],
    atMs: clock.now(),
  };
}

function sumRow(sums: StatementDay, store: Store): OpenRecord {
  const market = readMarketName(sums.market);
  const amounts = {
    bought: sums.bought,
    sold: sums.sold,
    volume: sums.volumeQuote,
    realised: sums.realisedQuote,
    fees: received(sums.feesQuote),
    net: net(sums),
  };
  return {
    day: sums.day,
    market: (market && findSymbol(store, market)) ?? sums.market,
    fills: sums.fills,
    ...Object.fromEntries(
      Object.entries(amounts).map(([name, amount]) => [name, formatDecimal(amount)]),
    ),
  };
}
