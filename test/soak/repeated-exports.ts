// Exports of each listing, one after the other, while faults strike in a soak session; one that fails goes on where it was.
// Each file that is told to be whole is compared with the exchange's own ledger, row by row, as a reader of CSV has it.

import { liquidationsCsv, type RowFormat, tradesCsv } from "../../src/export/csv.ts";
import { exportToFile } from "../../src/export/export-file.ts";
import {
  fillsListing,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../../src/listing/listing.ts";
import { listingSource } from "../../src/listing/listing-source.ts";
import type { Source } from "../../src/listing/paging/source.ts";
import type { Verdict } from "../../src/listing/paging/verdict.ts";
import { RestClient } from "../../src/listing/rest/rest-client.ts";
import { pause } from "../../src/units/clock.ts";
import { HistoryError } from "../../src/units/monitor-error.ts";
import { createRandom } from "../../src/units/random.ts";
import type { Ledger, TruthfulSimulator } from "../simulator/ledger.ts";
import { cells, iso, rowsOf } from "../support/csv-rows.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import type { VirtualClock } from "../support/virtual-clock.ts";
import { isStormAt } from "./campaigns.ts";

const MARKET_ID = 1;
/** Small enough that an export takes some requests. */
const PAGE_ROWS = 100;
/** Between two exports, and before one that failed goes on. */
const PAUSE_MS = 500;
const FILE = "rows.csv";
const RULE = { isRaw: false, visible: (text: string) => text };

type Row = Readonly<Record<string, string>>;

/** A listing, and all of it as the ledger has it: the rows of each record in its file, oldest record first. */
interface Wanted<T extends object> {
  readonly listing: Listing<T>;
  readonly format: RowFormat<T>;
  readonly truth: () => readonly (readonly Row[])[];
}

interface ExportFacts {
  readonly simulator: TruthfulSimulator;
  readonly clock: VirtualClock;
  readonly seed: number;
}

export class RepeatedExports {
  readonly wrong: string[] = [];
  /** Answers other than pages, by what they were: `503`, `cut-body`. */
  readonly met = new Map<string, number>();
  finished = 0;
  #refused = 0;
  readonly #clock: VirtualClock;
  readonly #client: RestClient;
  readonly #stop = new AbortController();
  readonly #ended: Promise<unknown>;

  constructor({ simulator: { announcement, ledger }, clock, seed }: ExportFacts) {
    const { owner, subaccount_id } = announcement.account;
    this.#clock = clock;
    this.#client = new RestClient({
      baseUrl: announcement.base_url,
      clock,
      random: createRandom(seed),
      onRetry: ({ reason }) => this.#note(reason),
    });
    this.#ended = Promise.all([
      this.#repeat({
        listing: tradesListing({ type: "perp", id: `${MARKET_ID}` }),
        format: tradesCsv(RULE),
        truth: () => rowsOfTrades(ledger.trades("perp", MARKET_ID)),
      }),
      this.#repeat({
        listing: fillsListing(owner, subaccount_id),
        format: tradesCsv(RULE, { owner, subaccountId: subaccount_id }),
        truth: () => rowsOfTrades(ledger.fills(subaccount_id)),
      }),
      this.#repeat({
        listing: liquidationsListing(`${MARKET_ID}`),
        format: liquidationsCsv(RULE),
        truth: () => rowsOfLiquidations(ledger.liquidations()),
      }),
    ]);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    let hasEnded = false;
    const ended = this.#ended.then(() => {
      hasEnded = true;
    });
    // What waits for the clock's next turn would wait for ever where nobody moves it.
    while (!hasEnded) {
      this.#clock.advance(1);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    await ended;
    await this.#client.close();
  }

  async #repeat<T extends object>(wanted: Wanted<T>): Promise<void> {
    const { signal } = this.#stop;
    try {
      for (let run = 0; ; run++) {
        await this.#export(wanted, run % 2 === 1);
        do await pause(this.#clock, PAUSE_MS, signal);
        while (!isStormAt(this.#clock.now()));
      }
    } catch (error) {
      if (!signal.aborted) this.wrong.push(`${wanted.listing.kind}: ${String(error)}`);
    }
  }

  async #export<T extends object>(wanted: Wanted<T>, isOldestFirst: boolean): Promise<void> {
    const disk = new MemoryDisk();
    const before = wanted.truth();
    const atLeast = before.flat().length;
    for (;;) {
      const refused = this.#refused;
      try {
        const { verdict } = await this.#attempt(wanted, isOldestFirst, disk);
        if (verdict.isComplete) {
          this.#compare(wanted, isOldestFirst, disk, atLeast);
          return;
        }
        // A service that refuses a right cursor has proven nothing: the user runs the command again.
        const hasCause = this.#refused > refused && verdict.flag !== "history-changed";
        if (!hasCause) {
          this.#blameUnproven(wanted, verdict, before.length);
          return;
        }
      } catch (error) {
        if (!(error instanceof HistoryError)) throw error;
        this.#note(error.message);
      }
      await pause(this.#clock, PAUSE_MS, this.#stop.signal);
    }
  }

  #attempt<T extends object>(
    { listing, format }: Wanted<T>,
    isOldestFirst: boolean,
    disk: MemoryDisk,
  ) {
    const plan = {
      identity: listing.path,
      fields: listing.fields,
      format,
      limit: PAGE_ROWS,
      bounds: {},
      // Each request may fail, so that a run with all its probes would outlast the scenario.
      probes: 8,
      isOldestFirst,
      isVerified: false,
      clock: this.#clock,
      signal: this.#stop.signal,
      source: this.#noting(listingSource(this.#client, listing, { isTransient: true })),
    };
    const processes = { self: { host: "", pid: 1, started: "" }, isAlive: () => true };
    return exportToFile(plan, {
      path: FILE,
      isAppended: false,
      isResumable: true,
      files: disk,
      processes,
    });
  }

  /** Counts requests that were refused: such an answer is about the cursor. */
  #noting<T>(source: Source<T>): Source<T> {
    return {
      get: (request, signal) =>
        source.get(request, signal).catch((error) => {
          if (error instanceof HistoryError && /^http-40/.test(error.code ?? "")) this.#refused++;
          throw error;
        }),
    };
  }

  #compare<T extends object>(
    wanted: Wanted<T>,
    isOldestFirst: boolean,
    disk: MemoryDisk,
    atLeast: number,
  ): void {
    this.finished++;
    const rows = rowsOf(disk.text(FILE) ?? "");
    const truth = oldest(wanted.truth(), rows.length);
    const inOrder = (isOldestFirst ? truth : truth.reverse()).flat();
    if (rows.length < atLeast) this.#blame(wanted, `${rows.length} rows of ${atLeast}`);
    const at = rows.findIndex((row, i) => !holds(row, inOrder[i]));
    if (at >= 0) this.#blame(wanted, `row ${at} is ${JSON.stringify(rows[at])}`);
    if (`${disk.names}` !== FILE) this.#blame(wanted, `left behind: ${disk.names}`);
  }

  #blameUnproven(
    wanted: { listing: { kind: string } },
    verdict: Exclude<Verdict, { isComplete: true }>,
    transactions: number,
  ): void {
    // Nothing shows how much of a single one an answer holds.
    if (transactions <= 1 && verdict.flag === "one-transaction") return;
    this.#blame(wanted, `not proven: ${JSON.stringify(verdict)}`);
  }

  #blame({ listing: { kind } }: { listing: { kind: string } }, what: string): void {
    this.wrong.push(`export of ${kind} at ${this.#clock.now()} ms: ${what}`);
  }

  /** Counts by status, or by what is wrong with the answer. */
  #note(message: string): void {
    const [, status] = / answers (\d{3})\b/.exec(message) ?? [];
    const what = status ?? message.replace(/https?:\S+/g, "").trim();
    this.met.set(what, (this.met.get(what) ?? 0) + 1);
  }
}

/** The first records that have so many rows: what came after the first answer is not meant. */
function oldest(records: readonly (readonly Row[])[], rows: number): (readonly Row[])[] {
  let left = rows;
  return records.filter((record) => {
    left -= record.length;
    return left >= 0;
  });
}

/** Every cell of the ledger's row is in the file's. */
function holds(row: Row, truth: Row | undefined): boolean {
  return truth !== undefined && Object.entries(truth).every(([name, cell]) => row[name] === cell);
}

function rowsOfTrades(trades: ReturnType<Ledger["trades"]>): Row[][] {
  return trades.map(({ record }) => [{ ...cells({ ...record }), time: iso(record.timestamp_ms) }]);
}

/** A row for each position, those of an event in its own order. */
function rowsOfLiquidations(liquidations: ReturnType<Ledger["liquidations"]>): Row[][] {
  return liquidations
    .filter(({ record }) => record.positions.some(({ market_id }) => market_id === MARKET_ID))
    .map(({ record: { positions, ...event } }) =>
      positions.map((position) => ({ ...cells(event), ...prefixed(cells({ ...position })) })),
    );
}

function prefixed(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [`position_${name}`, cell] as const),
  );
}
