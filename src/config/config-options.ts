// Every key of the config file in one table: the check, the commented file and the reference read it.
import * as z from "zod";
import { parseId } from "../units/uint.ts";

/** One key: what its value must be, what it is for, and a value as it could stand in the file. */
export interface ConfigOption<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** A sentence without a full stop. */
  readonly summary: string;
  /** TOML text of a value: the default where there is one, else an example. */
  readonly example: string;
}

function option<S extends z.ZodType>(schema: S, summary: string, example: string): ConfigOption<S> {
  return { schema, summary, example };
}

const text = z.string().min(1);
const words = z.array(text).min(1).max(100);
const names = z.array(text).min(1).max(20);
const size = z
  .string()
  .regex(
    /^(?=.*[1-9])(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?$/,
    'expected decimal text above zero, such as "0.01"',
  );

const key = text.max(20);
const keys = z.union([key, z.array(key).max(8)], {
  error: 'expected a key, such as "i", or a list of at most eight',
});

const ADDRESS_OPTIONS = {
  ws_url: option(
    z.string(),
    "WebSocket address of the service; without a path it gets /v1/ws",
    '"wss://exchange.example/v1/ws"',
  ),
  base_url: option(
    z.string(),
    "root of the REST listings, with whatever prefix the service has",
    '"https://exchange.example/api/v1"',
  ),
  headers: option(
    z.record(z.string(), z.string()),
    "headers of the WebSocket handshake and of each REST request; keep the file to yourself (chmod 600) when they hold a secret",
    '{ "X-Api-Key" = "…" }',
  ),
  rest_rate: option(
    z.number().min(0).max(100),
    "requests a second to the REST listings in the background, for the chart's past, scales and missed trades; 0 for none",
    "2",
  ),
  audit: option(
    z.boolean(),
    "compare account, markets and unwatched books with snapshots on a second connection, now and then",
    "true",
  ),
};

const MARKET_NAME = /^(perp|spot)\/([0-9]+)$/;
const MARKET_FORM = 'expected a market, such as "perp/1"';

/** A market by type and id; undefined for other text. */
function marketName(text: string): string | undefined {
  const [, type, digits = ""] = MARKET_NAME.exec(text) ?? [];
  const id = parseId(digits);
  return id === undefined ? undefined : `${type}/${id}`;
}

/** One market has one name: zeros before its id are taken away. */
const market = z
  .string()
  .refine((text) => marketName(text) !== undefined, MARKET_FORM)
  .transform((text) => marketName(text) ?? text);

const SCREEN_OPTIONS = {
  theme: option(
    text,
    "colours: terminal (your terminal's own sixteen), dark, light, high-contrast, mono, or one of your own",
    '"terminal"',
  ),
  palette: option(
    z.enum(["usual", "deuteranopia", "protanopia", "tritanopia"]),
    "colours of buy and sell: usual (green and red), deuteranopia, protanopia, tritanopia",
    '"usual"',
  ),
  red_up: option(z.boolean(), "red for rising and green for falling, as in East Asia", "false"),
  watchlist: option(
    z.array(market),
    "markets that are watched from the start, by type and id",
    '["perp/1", "spot/1"]',
  ),
  ascii: option(z.boolean(), "draw with ASCII only, for poor fonts", "false"),
  mouse: option(
    z.boolean(),
    "listen to the mouse; the terminal's own selection then needs Shift",
    "true",
  ),
  notify: option(
    z.array(z.enum(["bell", "notification"])).max(2),
    "what an alert does besides being shown: bell, notification (OSC 9 and OSC 777)",
    '["bell", "notification"]',
  ),
  interval: option(
    z.enum(["1m", "5m", "15m", "1h", "4h", "1d"]),
    "candle period at the start: 1m, 5m, 15m, 1h, 4h or 1d",
    '"1m"',
  ),
};

const MARKET_OPTIONS = {
  tick_size: option(size, "quote currency in one tick of the price", '"0.01"'),
  lot_size: option(size, "base currency in one lot of the size", '"0.0001"'),
};

const STATUS_OPTIONS = {
  ended: option(words, "statuses of what is over", '["zapped", "user_pulled"]'),
  standing: option(words, "statuses of what stands", '["done_for_day"]'),
};

const THEME_OPTIONS = {
  base: option(text, "theme that lends every look that is not named here", '"dark"'),
  looks: option(
    z.record(z.string(), z.string()),
    "looks by name, as in: bold #ffaa00 on #202020",
    '{ bid = "bold #00ff87", selection = "black on #ffaf00" }',
  ),
};

const ALERT_OPTIONS = {
  when: option(text, "the rule, as --alert takes it", '"perp/1 last > 65000 every 10m"'),
  exec: option(
    words,
    "program to start when it fires, and its arguments; no shell, the event as JSON on its stdin",
    '["notify-send", "monitor"]',
  ),
};

/** A table of the config file with the keys that it may hold. */
export interface ConfigSection {
  /** Heading as it stands in the file; empty for the keys before every heading. */
  readonly heading: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, ConfigOption>>;
  /** True when the user chooses the names of the keys. */
  readonly isOpen?: boolean;
}

/** The sections in the order of the file. */
export const CONFIG_SECTIONS: readonly ConfigSection[] = [
  { heading: "", summary: "Where the service is", options: ADDRESS_OPTIONS },
  { heading: "", summary: "The screen", options: SCREEN_OPTIONS },
  {
    heading: "[profiles.test]",
    summary: "Other sets of addresses by name, chosen with --profile",
    options: ADDRESS_OPTIONS,
  },
  {
    heading: "[aliases]",
    summary: "Names of your own for markets",
    options: { BTC: option(text, "monitor BTC is then monitor perp/1", '"perp/1"') },
    isOpen: true,
  },
  {
    heading: "[fields]",
    summary:
      "Further names of what fields of accounts and markets mean; a dot leads into a nested object",
    options: { equity: option(names, "where the account's worth stands", '["net.nav"]') },
    isOpen: true,
  },
  {
    heading: "[words]",
    summary: "Further words of a status, in any spelling",
    options: STATUS_OPTIONS,
  },
  {
    heading: '[markets."perp/1"]',
    summary: "What is known of a market beforehand, by type and id",
    options: MARKET_OPTIONS,
  },
  {
    heading: "[keys]",
    summary: "Other keys for an action; docs/keys.md lists actions and their default keys",
    options: {
      interval: option(
        keys,
        "one key, or several in a list; an empty list takes the action's keys away",
        '["i", "I"]',
      ),
    },
    isOpen: true,
  },
  {
    heading: "[themes.mine]",
    summary: "Themes of your own, chosen with theme",
    options: THEME_OPTIONS,
  },
  {
    heading: "[[alerts]]",
    summary: "Alerts that are always set; one such table for each",
    options: ALERT_OPTIONS,
  },
];

/** Keys as an object of optional values, which refuses every other key. */
function table<T extends Readonly<Record<string, ConfigOption>>>(options: T) {
  const shape = Object.fromEntries(
    Object.entries(options).map(([name, { schema }]) => [name, schema.optional()]),
  );
  return z.strictObject(shape as { [K in keyof T]: z.ZodOptional<T[K]["schema"]> });
}

/** The form of the whole file. */
export const CONFIG = z.strictObject({
  ...table(ADDRESS_OPTIONS).shape,
  ...table(SCREEN_OPTIONS).shape,
  profiles: z.record(z.string(), table(ADDRESS_OPTIONS)).optional(),
  aliases: z.record(z.string(), text).optional(),
  fields: z.record(z.string(), names).optional(),
  words: table(STATUS_OPTIONS).optional(),
  markets: z.record(market, table(MARKET_OPTIONS).required()).optional(),
  keys: z.record(z.string(), keys).optional(),
  themes: z.record(z.string(), table(THEME_OPTIONS)).optional(),
  alerts: z
    .array(table(ALERT_OPTIONS).required({ when: true }))
    .max(200)
    .optional(),
});
