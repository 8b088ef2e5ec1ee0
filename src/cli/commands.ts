// Every command in one table: what it accepts and what it does. run.ts maps them to their code.
import type { Completes, OptionKey } from "./options.ts";

/** One command. `name` is empty for the one whose first argument is a market. */
export interface Command {
  readonly name: string;
  /** Arguments as shown in help. */
  readonly usage: string;
  readonly summary: string;
  /** Least and most arguments. */
  readonly arity: readonly [number, number];
  readonly options: readonly OptionKey[];
  readonly completes?: Completes;
  readonly examples?: readonly string[];
}

const everywhere: readonly OptionKey[] = ["noColor", "debug", "help"];
const addresses: readonly OptionKey[] = [
  "wsUrl",
  "baseUrl",
  "header",
  "profile",
  "config",
  "insecure",
];

/** Options of a command that connects to the service. */
function ofService(...own: readonly OptionKey[]): readonly OptionKey[] {
  return [...addresses, "log", ...own, ...everywhere];
}

/** Options for the addresses of the service, and those of most commands; help lists them last. */
export const ADDRESSES = addresses;
export const COMMON_OPTIONS: readonly OptionKey[] = ["log", ...everywhere];

const headless: readonly OptionKey[] = ["once", "for", "timeout", "json", "plain"];
/** Options of a screen without alerts: alerts make no sense in a recording of the past. */
const recorded: readonly OptionKey[] = ["fps", "stats", "theme", "timeZone"];
const screen: readonly OptionKey[] = ["alert", ...recorded];
const recording: readonly OptionKey[] = ["record", "redact"];
const dashboard: readonly OptionKey[] = [
  ...headless,
  "interval",
  "account",
  "mask",
  "depth",
  ...screen,
  ...recording,
];
const listing: readonly OptionKey[] = ["once", "json", "plain", "max", "since", "until"];
const simulation: readonly OptionKey[] = ["seed", "scenario", "history"];

/** Runs when the first argument is not the name of another command. */
export const MARKET = {
  name: "",
  usage: "<market>",
  summary: "live dashboard of one market: perp/1, spot/2, 1 (= perp/1), or a symbol",
  arity: [1, 1],
  completes: "market",
  options: ofService(...dashboard, "owner", "since"),
} as const satisfies Command;

const MARKET_LISTING = {
  usage: "<market>",
  arity: [1, 1],
  completes: "market",
  options: ofService(...listing, ...screen),
} as const;

const TABLE = [
  MARKET,
  {
    name: "demo",
    usage: "[market]",
    summary: "the same dashboard on the built-in simulated exchange; nothing to configure",
    arity: [0, 1],
    completes: "market",
    options: [...simulation, "log", ...dashboard, "since", "config", ...everywhere],
  },
  {
    name: "account",
    usage: "<address>... [subaccount_id]",
    summary:
      "live view of one subaccount; without an id, a table of all subaccounts of one or several addresses",
    arity: [0, Number.POSITIVE_INFINITY],
    options: ofService(...headless, "owner", "mask", ...screen, ...recording),
  },
  {
    name: "markets",
    usage: "",
    summary: "all markets with their figures: a live table on a terminal, otherwise printed once",
    arity: [0, 0],
    options: ofService(...headless, ...screen, ...recording),
  },
  {
    name: "watch",
    usage: "[market]...",
    summary: "alerts without a screen: one JSON line for each firing, until it is stopped",
    arity: [0, Number.POSITIVE_INFINITY],
    completes: "market",
    options: ofService(
      ...(["alert", "account", "events", "first", "for", "giveUp", "mask"] as const),
      ...(["redact", "metrics"] as const),
    ),
  },
  {
    name: "tail",
    usage: "<channel>...",
    summary: "every accepted update of the named channels, one frame per line",
    arity: [1, Number.POSITIVE_INFINITY],
    options: ofService("for", "events", ...recording),
  },
  {
    name: "record",
    usage: "<channel>... -o FILE",
    summary: "records everything received, sent and concluded to a new file",
    arity: [1, Number.POSITIVE_INFINITY],
    options: ofService("output", "for", "redact"),
  },
  {
    name: "replay",
    usage: "FILE [market]",
    summary:
      "a recording on the dashboard, with pause, seek and speed, or printed like the live run",
    arity: [1, 2],
    completes: "file",
    options: [
      "once",
      "for",
      "timeout",
      "json",
      "plain",
      "interval",
      "depth",
      "mask",
      "config",
      ...recorded,
      ...everywhere,
    ],
  },
  {
    name: "doctor",
    usage: "[market]",
    summary: "checks the service, the terminal and the settings, and reports what it found",
    arity: [0, 1],
    completes: "market",
    options: ofService("account", "timeout", "json"),
  },
  {
    ...MARKET_LISTING,
    name: "trades",
    summary: "trades of a market as listed, newest first, older ones as you scroll",
  },
  {
    ...MARKET_LISTING,
    name: "liquidations",
    summary: "liquidation events of a market, with their positions",
  },
  {
    name: "fills",
    usage: "<owner> <subaccount_id>",
    summary: "fills of a subaccount as listed: role, side, fee, and their sums",
    arity: [2, 2],
    options: ofService(...listing, "mask", ...screen),
  },
  {
    name: "export",
    usage: "trades <market> | liquidations <market> | fills <owner> <subaccount_id>",
    summary: "a listing to CSV or NDJSON, with proof that nothing is missing",
    arity: [2, 3],
    completes: ["trades", "liquidations", "fills"],
    examples: [
      "monitor export trades perp/1 -o trades.csv",
      "monitor export fills 0x… 0 -o fills.csv --since 2026-01-01T00:00:00Z",
      "monitor export trades perp/1 -o all.csv --oldest-first",
      "monitor export trades perp/1 -o all.csv --oldest-first --append",
    ],
    options: ofService(
      "output",
      "format",
      "since",
      "until",
      "max",
      "oldestFirst",
      "append",
      "manifest",
      "force",
      "allowUnproven",
      "pageSize",
    ),
  },
  {
    name: "statement",
    usage: "<owner> <subaccount_id>",
    summary:
      "bought, sold, realised, fees and volume by day and market, from proven fills; with --account, whether the fills add up to the positions held",
    arity: [2, 2],
    options: ofService(
      "month",
      "json",
      "format",
      "baseAsset",
      "quoteAsset",
      "account",
      "timeZone",
      "timeout",
    ),
  },
  {
    name: "mcp",
    usage: "",
    summary:
      "answers an assistant that speaks the Model Context Protocol on standard input and output; only reads",
    arity: [0, 0],
    options: ofService("mask", "timeout"),
  },
  {
    name: "simulate",
    usage: "",
    summary: "the simulated exchange alone, in the foreground",
    arity: [0, 0],
    options: ["port", ...simulation, ...everywhere],
  },
  {
    name: "config",
    usage: "path|print|check",
    summary: "where the config file is; a commented one with every key; the problems of yours",
    arity: [1, 1],
    completes: ["path", "print", "check"],
    options: ["config", ...everywhere],
  },
  {
    name: "completion",
    usage: "bash|zsh|fish",
    summary: "a script for your shell that completes commands, options, markets and profiles",
    arity: [1, Number.POSITIVE_INFINITY],
    completes: ["bash", "zsh", "fish"],
    options: ["config", ...everywhere],
  },
] as const satisfies readonly Command[];

/** The command line without options: `monitor export trades <market>`. */
export function formatUsage({ name, usage }: Pick<Command, "name" | "usage">): string {
  return ["monitor", name, usage].filter(Boolean).join(" ");
}

/** Every command, in the order of help and reference; names are unique. */
export const COMMANDS: readonly Command[] = TABLE;

export type CommandName = (typeof TABLE)[number]["name"];
