// Every command in one table: what it accepts. run.ts says where its code is.
import { nearest } from "../units/nearest.ts";
import type { OptionKey } from "./options.ts";

/** One command. `name` is empty for the one whose first argument is a market. */
export interface Command {
  readonly name: string;
  /** Arguments as shown in help, and checked: `[word]` may be left out, `word...` be repeated; ` | ` stands between forms. */
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly OptionKey[];
}

type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** Names of options, checked by the compiler. */
function keys<const S extends string>(
  words: Words<S> extends OptionKey ? S : never,
): readonly OptionKey[] {
  return words.split(" ") as OptionKey[];
}

/** Options for the addresses of the service, and those of most commands; help lists them last. */
export const ADDRESSES = keys("wsUrl baseUrl header profile config insecure");
export const COMMON_OPTIONS = keys("log noColor debug help");
const EVERYWHERE = keys("noColor debug help");

/** Options of a command that connects to the service. */
function ofService(...own: readonly (readonly OptionKey[])[]): readonly OptionKey[] {
  return [...ADDRESSES, ...own.flat(), ...COMMON_OPTIONS];
}

const HEADLESS = keys("once for timeout json plain");
/** Options of a screen without alerts: alerts make no sense in a recording of the past. */
const RECORDED = keys("fps stats theme timeZone");
const SCREEN = keys("alert fps stats theme timeZone record redact");
const DASHBOARD = [...HEADLESS, ...keys("interval account mask depth since"), ...SCREEN];
const LISTING = [...keys("once json plain max since until alert"), ...RECORDED];
const SIMULATION = keys("seed scenario history");

/** In the order of help and reference. */
const ROWS: Readonly<Record<string, Omit<Command, "name" | "usage"> & { usage?: string }>> = {
  "": {
    usage: "<market>",
    summary: "live dashboard of one market: perp/1, spot/2, 1 (= perp/1), or a symbol",
    options: ofService(DASHBOARD, keys("owner")),
  },
  demo: {
    usage: "[market]",
    summary: "the same dashboard on the built-in simulated exchange; nothing to configure",
    options: [...SIMULATION, ...DASHBOARD, "config", ...COMMON_OPTIONS],
  },
  account: {
    usage: "[address]... [subaccount_id]",
    summary: "one subaccount live; without an id all of one or several addresses",
    options: ofService(HEADLESS, keys("owner mask"), SCREEN),
  },
  markets: {
    summary: "all markets with their figures: live on a terminal, otherwise printed once",
    options: ofService(HEADLESS, SCREEN),
  },
  watch: {
    usage: "[market]...",
    summary: "alerts without a screen: one JSON line for each firing, until it is stopped",
    options: ofService(keys("alert account events first for giveUp mask redact metrics")),
  },
  tail: {
    usage: "<channel>...",
    summary: "every accepted update of the named channels, one frame per line",
    options: ofService(keys("for events record redact")),
  },
  record: {
    usage: "<channel>... -o FILE",
    summary: "records everything received, sent and concluded to a new file",
    options: ofService(keys("output for redact")),
  },
  replay: {
    usage: "FILE [market]",
    summary: "a recording on the dashboard, with pause and seek, or printed like the live run",
    options: [...HEADLESS, ...keys("interval depth mask config"), ...RECORDED, ...EVERYWHERE],
  },
  doctor: {
    usage: "[market]",
    summary: "checks the service, the terminal and the settings, and reports what it found",
    options: ofService(keys("account timeout json")),
  },
  trades: {
    usage: "<market>",
    summary: "trades of a market as listed, newest first, older ones as you scroll",
    options: ofService(LISTING),
  },
  liquidations: {
    usage: "<market>",
    summary: "liquidation events of a market, with their positions",
    options: ofService(LISTING),
  },
  fills: {
    usage: "<owner> <subaccount_id>",
    summary: "fills of a subaccount as listed: role, side, fee, and their sums",
    options: ofService(LISTING, keys("mask")),
  },
  export: {
    usage: "trades <market> | liquidations <market> | fills <owner> <subaccount_id>",
    summary: "a listing to CSV or NDJSON, with proof that nothing is missing",
    options: ofService(
      keys("output format since until max oldestFirst append"),
      keys("manifest force allowUnproven pageSize"),
    ),
  },
  statement: {
    usage: "<owner> <subaccount_id>",
    summary:
      "bought, sold, realised, fees by day and market, from proven fills; with --account, whether they add up to the positions held",
    options: ofService(keys("month json format baseAsset quoteAsset account timeZone timeout")),
  },
  mcp: {
    summary: "answers an assistant by the Model Context Protocol on standard input; only reads",
    options: ofService(keys("mask timeout")),
  },
  simulate: {
    summary: "the simulated exchange alone, in the foreground",
    options: ["port", ...SIMULATION, ...EVERYWHERE],
  },
  config: {
    usage: "path|print|check",
    summary: "where the config file is; a commented one with every key; the problems of yours",
    options: ["config", ...EVERYWHERE],
  },
  completion: {
    usage: "bash|zsh|fish [word]...",
    summary: "a script for your shell that completes commands, options and markets",
    options: ["config", ...EVERYWHERE],
  },
};

export const COMMANDS: readonly Command[] = Object.entries(ROWS).map(([name, row]) => ({
  ...{ name, usage: "" },
  ...row,
}));

/** Runs when the first argument is not the name of another command. */
export const MARKET = COMMANDS[0] as Command;

/** The command line without options: `monitor export trades <market>`. */
export function formatUsage({ name, usage }: Pick<Command, "name" | "usage">): string {
  return ["monitor", name, usage].filter(Boolean).join(" ");
}

/** Least and most arguments. */
export function arityOf({ usage }: Command): readonly [least: number, most: number] {
  const forms = usage.split(" | ").map((form) => form.replace(" -o FILE", "").match(/\S+/g) ?? []);
  const least = forms.map((words) => words.filter((word) => !word.startsWith("[")).length);
  const most = usage.includes("...")
    ? [Number.POSITIVE_INFINITY]
    : forms.map((words) => words.length);
  return [Math.min(...least), Math.max(...most)];
}

export function nearestCommand(word: string): string | undefined {
  return nearest(
    word,
    COMMANDS.flatMap(({ name }) => name || []),
  );
}
