// Every option of the command line in one table: parsing, help, the reference and completion read it.
import { SCREEN_OPTIONS } from "./screen-options.ts";

/** What the text after an option must be. `flag` takes none. */
export type OptionType = "flag" | "text" | "duration" | "time" | "count" | "port" | "file";

/** What completion offers: a list of words, or markets, profiles and files as they are found when asked. */
export type Completes = readonly string[] | "market" | "profile" | "file";

/** One option, as it is typed and as it is told of. */
export interface Option {
  /** Name after the two dashes. */
  readonly name: string;
  readonly short?: string;
  readonly type: OptionType;
  /** How help calls the value. */
  readonly value?: string;
  /** What the value can be, for completion: words, or what the shell looks up. */
  readonly completes?: Completes;
  readonly isRepeatable?: boolean;
  /** Environment variable that is read when the option is not given. */
  readonly env?: string;
  readonly summary: string;
}

/** Every option, by its name in the code: that of a value that was read. */
export const OPTIONS = {
  wsUrl: {
    name: "ws-url",
    type: "text",
    value: "URL",
    env: "MONITOR_WS_URL",
    summary: "WebSocket address of the service; without a path it gets /v1/ws",
  },
  baseUrl: {
    name: "base-url",
    type: "text",
    value: "URL",
    env: "MONITOR_BASE_URL",
    summary: "root of the REST listings, with whatever prefix the service has",
  },
  header: {
    name: "header",
    type: "text",
    value: "'NAME: VALUE'",
    isRepeatable: true,
    env: "MONITOR_HEADERS",
    summary: "sent with the WebSocket handshake and each REST request; may be repeated",
  },
  profile: {
    name: "profile",
    type: "text",
    value: "NAME",
    completes: "profile",
    env: "MONITOR_PROFILE",
    summary: "a named set of addresses and headers from the config file",
  },
  config: {
    name: "config",
    type: "file",
    value: "FILE",
    completes: "file",
    env: "MONITOR_CONFIG",
    summary: "config file, instead of the one in the platform's config folder",
  },
  restRate: {
    name: "rest-rate",
    type: "text",
    value: "N",
    env: "MONITOR_REST_RATE",
    summary:
      "requests a second to the REST listings in the background, 0 to 100; default 2, 0 for none",
  },
  insecure: {
    name: "insecure",
    type: "flag",
    summary: "allow ws: and http: to addresses that are not this machine",
  },
  once: {
    name: "once",
    type: "flag",
    summary: "wait until all data has come, print it once and end",
  },
  for: {
    name: "for",
    type: "duration",
    value: "DURATION",
    summary: "run that long (500ms, 5s, 2m), then print and end",
  },
  timeout: {
    name: "timeout",
    type: "duration",
    value: "DURATION",
    summary:
      "how long --once waits for data, or a named pipe for its text (default 10s); how long doctor watches (default 12s)",
  },
  json: {
    name: "json",
    type: "flag",
    summary: "print one JSON object instead of text (with --once or --for)",
  },
  plain: {
    name: "plain",
    type: "flag",
    summary:
      "print lines of words, draw nothing (also: the environment variable INK_SCREEN_READER=1)",
  },
  strict: {
    name: "strict",
    type: "flag",
    summary: "refuse messages with anything that the interface does not list",
  },
  ...SCREEN_OPTIONS,
  events: {
    name: "events",
    type: "flag",
    summary: "print what happens to the connection and the channels, too",
  },
  port: {
    name: "port",
    type: "port",
    value: "N",
    summary: "port to listen on; 0, the default, takes a free one",
  },
  seed: {
    name: "seed",
    type: "count",
    value: "N",
    summary: "the same seed and scenario give the same market; default 1",
  },
  scenario: {
    name: "scenario",
    type: "text",
    value: "NAME|FILE",
    completes: "file",
    summary: "how the simulated exchange behaves; default steady",
  },
  history: {
    name: "history",
    type: "count",
    value: "N",
    summary: "trades that were made before the start; default 10000",
  },
  log: {
    name: "log",
    type: "file",
    value: "FILE",
    completes: "file",
    summary: "append what happens to a file, one JSON object a line",
  },
  logLevel: {
    name: "log-level",
    type: "text",
    value: "LEVEL",
    completes: ["debug", "info", "warn", "error"],
    summary: "how much of it: debug, info (default), warn or error",
  },
  output: {
    name: "output",
    short: "o",
    type: "file",
    value: "FILE",
    completes: "file",
    summary: "the file to write",
  },
  format: {
    name: "format",
    type: "text",
    value: "csv|ndjson",
    completes: ["csv", "ndjson"],
    summary: "how rows are written; default by the file's ending, else csv",
  },
  max: {
    name: "max",
    type: "count",
    value: "N",
    summary: "at most so many trades, fills or liquidation events, from the newest",
  },
  since: {
    name: "since",
    type: "time",
    value: "TIME",
    summary: "only what is of this time or later (ISO 8601, or Unix milliseconds)",
  },
  until: {
    name: "until",
    type: "time",
    value: "TIME",
    summary: "only what is of this time or earlier",
  },
  pageSize: {
    name: "page-size",
    type: "count",
    value: "N",
    summary: "rows to ask for at once, 1 to 1000; default 1000",
  },
  probes: {
    name: "probes",
    type: "count",
    value: "N",
    summary:
      "requests at most that look far below the last row before it is the oldest; default 80",
  },
  oldestFirst: {
    name: "oldest-first",
    type: "flag",
    summary: "write the oldest rows first, instead of the newest as the service lists them",
  },
  append: {
    name: "append",
    type: "flag",
    summary: "add what is newer to a file that was written with --oldest-first",
  },
  verify: {
    name: "verify",
    type: "flag",
    summary:
      "read everything a second time by other cursors and with another page size, and compare",
  },
  manifest: {
    name: "manifest",
    type: "file",
    value: "FILE",
    completes: "file",
    summary: "write what was exported, its SHA-256 and how it was proven, as JSON",
  },
  force: {
    name: "force",
    type: "flag",
    summary: "replace whatever file -o and --manifest name, also what this export has not made",
  },
  cursorField: {
    name: "cursor-field",
    type: "text",
    value: "NAME|search",
    completes: ["trade_id", "liquidation_id", "timestamp_ms", "search"],
    summary: "the only field that may propose cursors, or none; default: found out",
  },
  rawCells: {
    name: "raw-cells",
    type: "flag",
    summary: "write text cells of a CSV file as they are, even what a spreadsheet would run",
  },
  record: {
    name: "record",
    type: "file",
    value: "FILE",
    completes: "file",
    summary: "write all that is received, sent and concluded to a new file, for monitor replay",
  },
  redact: {
    name: "redact",
    type: "flag",
    summary: "replace addresses in the recording, each by one and the same stand-in",
  },
  speed: {
    name: "speed",
    type: "text",
    value: "N",
    summary: "how fast a recording is played on the dashboard: 0.1 to 1000; default 1",
  },
  noColor: {
    name: "no-color",
    type: "flag",
    summary: "no colours (also: the environment variable NO_COLOR)",
  },
  debug: { name: "debug", type: "flag", summary: "print stack traces of errors" },
  help: { name: "help", short: "h", type: "flag", summary: "what the command does and takes" },
  version: { name: "version", short: "V", type: "flag", summary: "print the version" },
} as const satisfies Record<string, Option>;

/** Name of an option in the code. */
export type OptionKey = keyof typeof OPTIONS;
