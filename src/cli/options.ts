// Every option in one table, the source of command line, environment, config file, help, reference and completion.
import { THEMES, type ThemeName } from "../screen/themes.ts";
import { isTimeZone, parseDuration, parseInstant } from "../units/time.ts";
import { INTERVALS } from "../wire/channels.ts";

/** What completion offers: a list of words, or names looked up on demand. */
export type Completes = readonly string[] | "market" | "profile" | "file";

/** How the text of a value is read. */
interface Form<T> {
  /** Placeholder in help. */
  readonly value: string;
  /** What is expected, in words. */
  readonly says: string;
  /** Undefined for text of another form. */
  read(text: string): T | undefined;
  readonly completes?: Completes | undefined;
}

interface Row<T> {
  readonly summary: string;
  /** Undefined for a flag. */
  readonly form?: Form<unknown>;
  /** Undefined for text of another form. */
  read(values: readonly string[]): T | undefined;
  readonly short?: string;
  readonly isRepeatable?: boolean;
}

function flag(summary: string, short?: string): Row<boolean> {
  return { summary, read: () => true, ...(short && { short }) };
}

function option<T>(form: Form<T>, summary: string, short?: string): Row<T> {
  return { form, summary, read: ([value = ""]) => form.read(value), ...(short && { short }) };
}

function repeated(form: Form<string>, summary: string): Row<readonly string[]> {
  return { form, summary, read: (values) => values, isRepeatable: true };
}

function readCount(text: string, least: number, most: number): number | undefined {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

const count = (value = "N", least = 0, most = 999_999_999): Form<number> => ({
  value,
  says: `a whole number from ${least} to ${most}`,
  read: (text) => readCount(text, least, most),
});

const text = (value: string, completes?: Completes): Form<string> => ({
  value,
  says: "text",
  read: (given) => given || undefined,
  completes,
});

const word = <const W extends string>(completes: readonly W[]): Form<W> => ({
  value: completes.join("|"),
  says: `one of ${completes.join(", ")}`,
  read: (given) => completes.find((each) => each === given),
  completes,
});

const FILE: Form<string> = { ...text("FILE", "file"), says: "the path of a file" };
const PORTS = [0, 65_535] as const;
const DURATION: Form<number> = {
  value: "DURATION",
  says: "a number and a unit: 500ms, 5s, 2m, 1h",
  read: parseDuration,
};
const TIME: Form<number> = {
  value: "TIME",
  says: "2025-11-21, 2025-11-21T10:00:00Z, or a Unix time in s, ms, µs or ns",
  read: parseInstant,
};
const MONTH: Form<string> = {
  value: "YYYY-MM",
  says: "a month, as in 2026-05",
  read: (given) => (/^[0-9]{4}-(?:0[1-9]|1[0-2])$/.test(given) ? given : undefined),
};
const ZONE: Form<string> = {
  value: "ZONE",
  says: "local, UTC, or a name such as Europe/Berlin",
  read: (given) => (given === "local" || isTimeZone(given) ? given : undefined),
};

/** Where to listen; port 0 for any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

const LISTEN: Form<ListenAddress> = {
  value: "[HOST:]PORT",
  says: "a port, 0 for any free one; before it, an address or a name of this machine",
  read(given) {
    const form = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):)?([0-9]+)$/;
    const [, inBrackets, name, digits = ""] = form.exec(given) ?? [];
    const port = readCount(digits, ...PORTS);
    return port === undefined ? undefined : { host: inBrackets ?? name ?? "127.0.0.1", port };
  },
};

const THEME_NAMES = ["auto", ...(Object.keys(THEMES) as ThemeName[])] as const;
const ALERTS = ["perp/1", "offline", "account/A/ID", "account/A/any"];

const ROWS = {
  wsUrl: option(text("URL"), "WebSocket address; without a path it gets /v1/ws"),
  baseUrl: option(text("URL"), "root of the REST listings, with the service's prefix"),
  header: repeated(text("'NAME: VALUE'"), "sent with the handshake and each request; repeatable"),
  profile: option(text("NAME", "profile"), "a set of addresses and headers of the config file"),
  config: option(FILE, "config file, instead of the one in the platform's config folder"),
  insecure: flag("allow ws: and http: to addresses that are not this machine"),
  once: flag("wait until all data has arrived, print it once and end"),
  for: option(DURATION, "run that long (500ms, 5s, 2m), then print and end"),
  timeout: option(DURATION, "how long to wait for data (10s), or to watch with doctor (12s)"),
  json: flag("print JSON in place of text"),
  plain: flag("print lines of words, draw nothing (also: INK_SCREEN_READER=1)"),
  depth: option(count("ROWS", 1), "rows of each side of the book at most; JSON has all"),
  fps: option(count("N", 1, 60), "frames a second at most, 1 to 60; default 60"),
  stats: flag("show what the program costs: updates, CPU, memory; perf in --json"),
  interval: option(word(INTERVALS), "period of the candles; default 1m"),
  account: repeated(text("ADDRESS[/ID]"), "a subaccount beside the market; watch takes several"),
  owner: option(text("OWNER"), "owner of that account in the listings: 0x and 40 hex digits"),
  mask: flag("hide addresses, sizes, balances and profit of accounts"),
  alert: repeated(text("RULE", ALERTS), "fires when it holds: 'perp/1 last > 65000'; repeatable"),
  theme: option(word(THEME_NAMES), "colours; auto, the default, is as the terminal"),
  timeZone: option(ZONE, "of times on the screen (local), or of days of a statement (UTC)"),
  events: flag("also print events of the connection and the channels"),
  metrics: option(LISTEN, "serve metrics for Prometheus at /metrics; on this machine unless HOST"),
  first: flag("end after the first firing"),
  giveUp: option(DURATION, "end with an error after this long without a connection"),
  port: option(count("N", ...PORTS), "port to listen on; 0, the default, takes a free one"),
  seed: option(count(), "the same seed and scenario give the same market; default 1"),
  scenario: option(text("NAME|FILE", "file"), "how the exchange behaves; default steady"),
  history: option(count(), "at least so many trades before the start; default about 40,000"),
  log: option(FILE, "append what happens to a file, one JSON object a line"),
  output: option(FILE, "the file to write; an export without it goes to standard output", "o"),
  format: option(word(["csv", "ndjson", "koinly"]), "by default as the file ends, else csv"),
  month: option(MONTH, "only the days of this month"),
  baseAsset: option(text("ASSET"), "with koinly: what is bought and sold; default by the symbol"),
  quoteAsset: option(text("ASSET"), "with koinly: what it is paid with; default by the symbol"),
  max: option(count(), "at most this many rows or events, from the newest"),
  since: option(TIME, "only from this time on; of a live market: its order flow"),
  until: option(TIME, "only up to this time, inclusive"),
  pageSize: option(count("N", 1, 1000), "rows per request, 1 to 1000; default 1000"),
  oldestFirst: flag("write the oldest rows first, instead of the newest"),
  append: flag("append newer rows to a file that was written with --oldest-first"),
  manifest: option(FILE, "write what was exported, its SHA-256 and how it was proven, as JSON"),
  force: flag("replace any file that -o and --manifest name, even one that is not ours"),
  allowUnproven: flag("finish the file as far as it is proven; the exit code is 3 then, too"),
  record: option(FILE, "record everything received and sent to a new file, for monitor replay"),
  redact: flag("replace addresses in the recording, each always by the same substitute"),
  noColor: flag("no colours (also: the environment variable NO_COLOR)"),
  debug: flag("print stack traces of errors; with --log, write details, too"),
  help: flag("what the command does and takes", "h"),
  version: flag("print the version", "V"),
};

export type OptionKey = keyof typeof ROWS;

/** Environment variables, used where the option is absent. */
const ENVIRONMENT: Readonly<Partial<Record<OptionKey, string>>> = {
  wsUrl: "MONITOR_WS_URL",
  baseUrl: "MONITOR_BASE_URL",
  header: "MONITOR_HEADERS",
  profile: "MONITOR_PROFILE",
  config: "MONITOR_CONFIG",
};

/** `name` is what follows the two dashes. */
export type Option = Row<unknown> & { readonly name: string; readonly env: string | undefined };

/** The given options, checked. Durations and times are in milliseconds. */
export type Options = {
  readonly [K in OptionKey]?: (typeof ROWS)[K] extends Row<infer T> ? T : never;
};

/** Command-line spelling of an option, known or not: `give-up` for `giveUp`. */
export function getFlag(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const OPTION_KEYS = Object.keys(ROWS) as OptionKey[];

export const OPTIONS = Object.fromEntries(
  OPTION_KEYS.map((key) => [key, { name: getFlag(key), env: ENVIRONMENT[key], ...ROWS[key] }]),
) as Readonly<Record<OptionKey, Option>>;
