// Supplies the history views: their listings over REST, and files of what they show.
import { basename, join } from "node:path";
import { exportToFile, type FileResult } from "../export/export-file.ts";
import { liquidationsCsv, onlyFound, type RowFormat, tradesCsv } from "../export/row-format.ts";
import { shortClosing } from "../export/words.ts";
import { type Listing, listingSource } from "../history/listing.ts";
import { RestClient } from "../history/rest/rest-client.ts";
import { MAX_PAGE_LIMIT } from "../protocol/limits.ts";
import { visible } from "../terminal/visible.ts";
import type { Dashboard } from "../ui/dashboard.ts";
import type { ExportWish } from "../ui/histories.ts";
import { formatIsoMs } from "../units/time.ts";
import type { Context } from "./context.ts";
import { disk, processes } from "./disk.ts";
import { exportIdentity } from "./export-identity.ts";
import type { Service } from "./run-market.ts";

/** Does nothing where the address of the listings is not known. Answers how to stop. */
export function supplyHistories(
  context: Context,
  dashboard: Dashboard,
  service: Service,
): () => void {
  const { baseUrl, owner } = service;
  if (baseUrl === undefined) return () => {};
  const supply = new Supply(context, { ...service, baseUrl });
  dashboard.histories.supplyWith({
    clock: context.clock,
    owner,
    sourceOf: (listing) => supply.sourceOf(listing),
    export(wish, tell) {
      supply.write(wish, tell).then(
        (ended) => {
          const words = shortClosing(ended, ended.path && basename(ended.path));
          tell(`exported ${words}${wish.filter && `, only rows with ${visible(wish.filter)}`}`);
        },
        (error: unknown) => tell(`export failed: ${wordsOf(error)}`),
      );
    },
  });
  dashboard.tell();
  return () => supply.close();
}

const RULE = { isRaw: false, visible };

class Supply {
  readonly #context: Context;
  readonly #baseUrl: string;
  readonly #client: RestClient;
  readonly #stop = new AbortController();

  constructor(context: Context, { baseUrl, headers }: Service & { readonly baseUrl: string }) {
    const { clock, random } = context;
    this.#context = context;
    this.#baseUrl = baseUrl;
    this.#client = new RestClient({ baseUrl, headers, clock, random });
  }

  sourceOf<T>(listing: Listing<T>) {
    return listingSource(this.#client, listing, {
      isStrict: this.#context.options.strict ?? false,
    });
  }

  /** Writes what is wished for to a new file in the current folder. */
  write(wish: ExportWish, tell: (words: string) => void): Promise<FileResult> {
    return wish.kind === "liquidations"
      ? this.#write(wish, wish.listing, onlyFound(liquidationsCsv(RULE), wish.found), tell)
      : this.#write(wish, wish.listing, onlyFound(tradesCsv(RULE, wish.owner), wish.found), tell);
  }

  close(): void {
    this.#stop.abort();
    void this.#client.close();
  }

  #write<T extends object>(
    wish: ExportWish,
    listing: Listing<T>,
    format: RowFormat<T>,
    tell: (words: string) => void,
  ): Promise<FileResult> {
    const { clock } = this.#context;
    const { name, sinceMs, untilMs, filter } = wish;
    const baseUrl = this.#baseUrl;
    const path = join(process.cwd(), fileName(name, clock.wall()));
    const plan = {
      identity: exportIdentity({
        name,
        baseUrl,
        format: format.name,
        order: "newest first",
        sinceMs,
        untilMs,
        more: filter === "" ? [] : [`only rows with ${filter}`],
      }),
      source: this.sourceOf(listing),
      reading: listing.reading,
      format,
      limit: MAX_PAGE_LIMIT,
      bounds: { sinceMs, untilMs },
      isOldestFirst: false,
      isVerified: false,
      clock,
      signal: this.#stop.signal,
      onProgress: ({ rows }: { readonly rows: number }) => tell(`exporting, ${rows} rows so far`),
    };
    return exportToFile(plan, { path, isAppended: false, files: disk, processes }).catch(
      async (error: unknown) => {
        const isKept = (await disk.stat(`${path}.part.journal`)) !== undefined;
        const isResumable = isKept && filter === "";
        const next = isResumable ? `; go on with: ${commandOf(wish, basename(path))}` : "";
        throw new Error(`${wordsOf(error)}${next}`);
      },
    );
  }
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** What makes the same file, from where it was. */
function commandOf({ name, sinceMs, untilMs }: ExportWish, file: string): string {
  const bounds = [sinceMs && `--since ${sinceMs}`, untilMs && `--until ${untilMs}`];
  return ["monitor export", name, ...bounds.filter(Boolean), "-o", file].join(" ");
}

/** `trades-perp-1-20251121T131500Z.csv`: a second export never meets the first. */
function fileName(name: string, wallMs: number): string {
  const time = formatIsoMs(wallMs).replace(/[-:]|\.[0-9]+/g, "");
  return `${name.replace(/[^0-9A-Za-z]+/g, "-")}-${time}.csv`;
}
