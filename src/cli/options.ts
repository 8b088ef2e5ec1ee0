// Every option in one table, the source of command line, environment, config file, help, reference and completion.
import { THEMES, type ThemeName } from "../screen/themes.ts";
import { isTimeZone, parseDuration, parseInstant } from "../units/time.ts";
import { INTERVALS } from "../wire/channels.ts";

const THEME_NAMES = ["auto", ...(Object.keys(THEMES) as ThemeName[])] as const;

/** What completion offers: a list of words, or names looked up on demand. */
export type Completes = readonly string[] | "market" | "profile" | "file";

interface OptionRow {
  readonly short?: string;
  readonly type: OptionType;
  readonly words?: readonly string[];
  readonly range?: readonly [number, number];
  /** Placeholder of the value in help. */
  readonly value?: string;
  readonly completes?: Completes;
  readonly isRepeatable?: boolean;
  /** Environment variable used if the option is absent. */
  readonly env?: string;
  /** Key of the config file used if both are absent. */
  readonly config?: ConfigKey;
  readonly summary: string;
}

/** `name` is what follows the two dashes. */
export interface Option extends OptionRow {
  readonly name: string;
}

export interface ConfigKey {
  readonly key: string;
  /** `service` keys are also allowed in profiles. */
  readonly section: "service" | "screen";
  /** A value as TOML: the default if there is one, otherwise an example. */
  readonly example: string;
  /** Where the option's summary does not fit. */
  readonly summary?: string;
}

const ROWS = {
  wsUrl: {
    type: "text",
    value: "URL",
    env: "MONITOR_WS_URL",
    summary: "WebSocket address of the service; without a path it gets /v1/ws",
    config: { key: "ws_url", section: "service", example: '"wss://exchange.example/v1/ws"' },
  },
  baseUrl: {
    type: "text",
    value: "URL",
    env: "MONITOR_BASE_URL",
    summary: "root of the REST listings, with whatever prefix the service has",
    config: { key: "base_url", section: "service", example: '"https://exchange.example/api/v1"' },
  },
  header: {
    type: "text",
    value: "'NAME: VALUE'",
    isRepeatable: true,
    env: "MONITOR_HEADERS",
    summary: "sent with the WebSocket handshake and each REST request; may be repeated",
    config: {
      key: "headers",
      section: "service",
      example: '{ "X-Api-Key" = "secret" }',
      summary:
        "headers of the WebSocket handshake and of each REST request; keep the file to yourself (chmod 600) when they hold a secret",
    },
  },
  profile: {
    type: "text",
    value: "NAME",
    completes: "profile",
    env: "MONITOR_PROFILE",
    summary: "a named set of addresses and headers from the config file",
  },
  config: {
    type: "file",
    env: "MONITOR_CONFIG",
    summary: "config file, instead of the one in the platform's config folder",
  },
  insecure: { type: "flag", summary: "allow ws: and http: to addresses that are not this machine" },
  once: { type: "flag", summary: "wait until all data has arrived, print it once and end" },
  for: { type: "duration", summary: "run that long (500ms, 5s, 2m), then print and end" },
  timeout: {
    type: "duration",
    summary:
      "how long to wait for data, or for the text of a named pipe (default 10s); how long doctor watches (default 12s)",
  },
  json: { type: "flag", summary: "print JSON in place of text" },
  plain: {
    type: "flag",
    summary:
      "print lines of words, draw nothing (also: the environment variable INK_SCREEN_READER=1)",
  },
  depth: {
    type: "count",
    range: [1, 999_999_999],
    value: "ROWS",
    summary: "rows of each side of the order book at most, on the screen and in text; JSON has all",
  },
  fps: {
    type: "count",
    range: [1, 60],
    summary:
      "frames a second at most, 1 to 60; default 60. Beside the order book, data change ten times a second",
    config: { key: "fps", section: "screen", example: "60" },
  },
  stats: {
    type: "flag",
    summary:
      "show what the program does and costs: updates, frames, CPU, loop lag, memory; perf in --json",
  },
  interval: {
    type: "word",
    words: INTERVALS,
    value: "PERIOD",
    summary: "candle period: 1m, 5m, 15m, 1h, 4h or 1d; default 1m",
    config: {
      key: "interval",
      section: "screen",
      example: '"1m"',
      summary: "candle period at the start: 1m, 5m, 15m, 1h, 4h or 1d",
    },
  },
  account: {
    type: "text",
    value: "ADDRESS[/ID]",
    isRepeatable: true,
    summary:
      "a subaccount beside the market, for watch to hold (may be repeated), for doctor to look at, for statement to compare with",
  },
  owner: {
    type: "text",
    value: "OWNER",
    summary:
      "owner (0x and 40 hex digits) of the watched account in the listings: for its fills and its statement",
  },
  mask: { type: "flag", summary: "hide addresses, sizes, balances and profit of accounts" },
  alert: {
    type: "text",
    value: "RULE",
    isRepeatable: true,
    completes: ["perp/1", "offline", "account/A/ID", "account/A/any"],
    summary: "fires when something happens, as in 'perp/1 last > 65000'; may be repeated",
  },
  theme: {
    type: "word",
    words: THEME_NAMES,
    value: "NAME",
    summary:
      "colours: auto (dark or light, as the terminal is; default), dark, light, high-contrast, terminal (its own sixteen), mono",
    config: {
      key: "theme",
      section: "screen",
      example: '"auto"',
    },
  },
  timeZone: {
    type: "zone",
    value: "ZONE",
    summary:
      "times on the screen (default local) or days of a statement (default UTC): local, UTC, or a name such as Europe/Berlin",
    config: {
      key: "time_zone",
      section: "screen",
      example: '"local"',
      summary: "times on the screen: local, UTC, or a name such as Europe/Berlin; key Z for UTC",
    },
  },
  events: { type: "flag", summary: "also print events of the connection and the channels" },
  metrics: {
    type: "address",
    summary: "serve metrics for Prometheus at /metrics; on this machine only, unless HOST is given",
  },
  first: { type: "flag", summary: "end after the first firing" },
  giveUp: {
    type: "duration",
    summary: "end with an error after this long without a connection",
  },
  port: { type: "port", summary: "port to listen on; 0, the default, takes a free one" },
  seed: { type: "count", summary: "the same seed and scenario give the same market; default 1" },
  scenario: {
    type: "text",
    value: "NAME|FILE",
    completes: "file",
    summary: "how the simulated exchange behaves; default steady",
  },
  history: {
    type: "count",
    summary: "at least so many trades before the start; default about 40,000 over a year",
  },
  log: { type: "file", summary: "append what happens to a file, one JSON object a line" },
  output: {
    short: "o",
    type: "file",
    summary: "the file to write; an export without it goes to standard output",
  },
  format: {
    type: "word",
    words: ["csv", "ndjson", "koinly"],
    value: "csv|ndjson|koinly",
    summary:
      "how rows are written; default by the file's ending, else csv; koinly: the fills of a statement as that imports them",
  },
  month: { type: "month", value: "YYYY-MM", summary: "only the days of this month" },
  baseAsset: {
    type: "text",
    value: "ASSET",
    summary:
      "with --format koinly: what is bought and sold, as in BTC; default by the symbol of the service",
  },
  quoteAsset: {
    type: "text",
    value: "ASSET",
    summary: "with --format koinly: what it is paid with, as in USDC; default as above",
  },
  max: {
    type: "count",
    summary: "at most this many trades, fills or liquidation events, from the newest",
  },
  since: {
    type: "time",
    summary:
      "only from this time on (ISO 8601, or a Unix time); of a live market: its order flow from that minute on",
  },
  until: { type: "time", summary: "only up to this time, inclusive" },
  pageSize: { type: "count", summary: "rows per request, 1 to 1000; default 1000" },
  oldestFirst: {
    type: "flag",
    summary: "write the oldest rows first, instead of the newest as the service lists them",
  },
  append: {
    type: "flag",
    summary: "append newer rows to a file that was written with --oldest-first",
  },
  manifest: {
    type: "file",
    summary: "write what was exported, its SHA-256 and how it was proven, as JSON",
  },
  force: {
    type: "flag",
    summary:
      "replace any file that -o and --manifest name, even one that this export did not write",
  },
  allowUnproven: {
    type: "flag",
    summary: "finish the file as far as it is proven; the exit code is 3 then, too",
  },
  record: {
    type: "file",
    summary: "write everything received, sent and concluded to a new file, for monitor replay",
  },
  redact: {
    type: "flag",
    summary: "replace addresses in the recording, each always by the same substitute",
  },
  noColor: { type: "flag", summary: "no colours (also: the environment variable NO_COLOR)" },
  debug: { type: "flag", summary: "print stack traces of errors; with --log, write details, too" },
  help: { short: "h", type: "flag", summary: "what the command does and takes" },
  version: { short: "V", type: "flag", summary: "print the version" },
} as const satisfies Record<string, OptionRow>;

export type OptionKey = keyof typeof ROWS;

interface TypeRow {
  /** Defaults of its options. */
  readonly value?: string;
  readonly completes?: Completes;
  /** What is expected, in words. */
  form(option: Pick<OptionRow, "words" | "range">): string;
  /** Undefined for text of another form. */
  read(text: string, option: Pick<OptionRow, "words" | "range">): unknown;
}

const LOOPBACK = "127.0.0.1";
const LISTEN_ADDRESS = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):)?([0-9]+)$/;

function readCount(text: string, least: number, most: number): number | undefined {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

const readPort = (text: string) => readCount(text, 0, 65_535);
const readText = (text: string) => (text === "" ? undefined : text);

/** Forms of values. */
const TYPES = {
  flag: { form: () => "it takes no value", read: () => true },
  text: { form: () => "text", read: readText },
  file: {
    ...{ value: "FILE", completes: "file" },
    form: () => "the path of a file",
    read: readText,
  },
  word: {
    form: ({ words = [] }) => `one of ${words.join(", ")}`,
    read: (text, { words = [] }) => words.find((word) => word === text),
  },
  duration: {
    value: "DURATION",
    form: () => "a number and a unit: 500ms, 5s, 2m, 1h",
    read: parseDuration,
  },
  time: {
    value: "TIME",
    form: () => "2025-11-21, 2025-11-21T10:00:00Z, or a Unix time in s, ms, µs or ns",
    read: parseInstant,
  },
  month: {
    form: () => "a month, as in 2026-05",
    read: (text) => (/^[0-9]{4}-(?:0[1-9]|1[0-2])$/.test(text) ? text : undefined),
  },
  zone: {
    form: () => "local, UTC, or a name such as Europe/Berlin",
    read: (text) => (text === "local" || isTimeZone(text) ? text : undefined),
  },
  count: {
    value: "N",
    form: ({ range: [least, most] = [0, 999_999_999] }) =>
      `a whole number from ${least} to ${most}`,
    read: (text, { range: [least, most] = [0, 999_999_999] }) => readCount(text, least, most),
  },
  port: { value: "N", form: () => "a whole number from 0 to 65535", read: readPort },
  address: {
    value: "[HOST:]PORT",
    form: () => "a port, 0 for any free one; before it, an address or a name of this machine",
    read(text) {
      const [, inBrackets, name, digits = ""] = LISTEN_ADDRESS.exec(text) ?? [];
      const port = readPort(digits);
      return port === undefined ? undefined : { host: inBrackets ?? name ?? LOOPBACK, port };
    },
  },
} as const satisfies Record<string, TypeRow>;

export type OptionType = keyof typeof TYPES;

/** @returns undefined for text of another form */
export function readOption(option: Option, text: string): unknown {
  return (TYPES[option.type] as TypeRow).read(text, option);
}

/** What its value can be. */
export function formOf(option: Option): string {
  return (TYPES[option.type] as TypeRow).form(option);
}

/** Command-line spelling of an option, known or not: `give-up` for `giveUp`. */
export function getFlag(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function defaultsOf(type: OptionType): Pick<Option, "value" | "completes"> {
  const { value, completes }: TypeRow = TYPES[type];
  return { ...(value && { value }), ...(completes && { completes }) };
}

export const OPTIONS = Object.fromEntries(
  Object.entries(ROWS).map(([key, row]) => [
    key,
    { name: getFlag(key), ...defaultsOf(row.type), ...row },
  ]),
) as { readonly [K in OptionKey]: Pick<Option, "name"> & (typeof ROWS)[K] };
