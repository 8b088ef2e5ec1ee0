// Every key of the config file in one table, the source of the check, the template and the reference.
import * as z from "zod";
import { parseRule } from "../../alerts/rule.ts";
import { LISTINGS, LISTS, type Point, VALUES } from "../../dialect/dialect.ts";
import { MEANINGS } from "../../dialect/names.ts";
import type { ValueOf } from "../context.ts";
import { formOf, OPTIONS, type Option, type OptionKey, readOption } from "../options.ts";

/** One key: the schema of its value, its purpose, and an example. */
export interface ConfigOption<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** A sentence without a full stop. */
  readonly summary: string;
  /** A value as TOML: the default if there is one, otherwise an example. */
  readonly example: string;
}

function option<S extends z.ZodType>(schema: S, summary: string, example: string): ConfigOption<S> {
  return { schema, summary, example };
}

const text = z.string().min(1);
const words = z.array(text).min(1).max(100);
const size = z
  .string()
  .regex(
    /^(?=.*[1-9])(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?$/,
    'expected decimal text above zero, such as "0.01"',
  );

const market = z
  .string()
  .regex(/^(?:perp|spot)\/(?:0|[1-9][0-9]{0,9})$/, 'expected a market, such as "perp/1"');

type Row<S> = Extract<(typeof OPTIONS)[OptionKey], { config: { section: S } }>;
type ValueIn<O> = O extends { isRepeatable: true } ? Readonly<Record<string, string>> : ValueOf<O>;
type OptionKeys<S> = { [O in Row<S> as O["config"]["key"]]: ConfigOption<z.ZodType<ValueIn<O>>> };

function optionKeys<S extends "service" | "screen">(section: S): OptionKeys<S> {
  const rows = Object.values<Option>(OPTIONS).flatMap((each) => {
    const { config, summary } = each;
    if (config?.section !== section) return [];
    return [[config.key, option(valueSchema(each), config.summary ?? summary, config.example)]];
  });
  return Object.fromEntries(rows);
}

function valueSchema(row: Option): z.ZodType {
  if (row.name === "header") return z.record(z.string(), z.string());
  const source: z.ZodType<string | number> = row.type === "count" ? z.number() : z.string();
  return source.transform((given, context) => {
    const value = readOption(row, `${given}`);
    if (value === undefined)
      context.issues.push({ code: "custom", input: given, message: `expected ${formOf(row)}` });
    return value;
  });
}

const SERVICE_KEYS = {
  ...optionKeys("service"),
  rest_rate: option(
    z.number().min(0).max(100),
    "requests a second to the REST listings in the background, for the chart's past, scales, missed trades and newer rows of listings; 0 for none",
    "2",
  ),
};

const SCREEN_KEYS = {
  ...optionKeys("screen"),
  colours: option(
    z.enum(["usual", "colour-blind"]),
    "colours of buy and sell: green and red (usual), or such as the colour-blind can tell apart",
    '"usual"',
  ),
  rising: option(
    z.enum(["green", "red"]),
    "colour of a rise; red, as in East Asia, makes green that of a fall",
    '"green"',
  ),
  ascii: option(z.boolean(), "draw with ASCII only, for poor fonts", "false"),
  mouse: option(
    z.boolean(),
    "use the mouse; the terminal's own selection then needs Shift",
    "true",
  ),
  numbers: option(
    z.enum(["grouped", "plain"]),
    "thousands with commas (grouped) or without (plain)",
    '"grouped"',
  ),
  notify: option(
    z.array(z.enum(["bell", "notification", "link"])).max(3),
    "what an alert does besides being shown: bell, notification; link: the bell when the connection is lost or back",
    '["bell", "notification"]',
  ),
};

const MARKET_KEYS = {
  tick_size: option(size, "quote currency in one tick of the price", '"0.01"'),
  lot_size: option(size, "base currency in one lot of the size", '"0.0001"'),
};

/** Symbols are known when the service has said them: any word may be one. */
const rule = z.string().check((context) => {
  const parsedRule = parseRule(context.value, { market: "perp/1", findMarket: () => "perp/1" });
  if ("fault" in parsedRule)
    context.issues.push({ code: "custom", input: context.value, message: parsedRule.fault });
});

const ALERT_KEYS = {
  when: option(rule, "the rule, as --alert takes it", '"perp/1 last > 65000 every 10m"'),
  exec: option(
    words,
    "program to start when it fires, and its arguments; no shell, the event as JSON on its stdin",
    '["notify-send", "monitor"]',
  ),
  record: option(
    text,
    "folder for a recording of the two minutes before it fires and one after, for monitor replay: at most 20 files and 1 GB",
    '"incidents"',
  ),
};

const pointValue = (point: Point) => z.enum(VALUES[point]);
const pointValues = (prefix: "lists" | "cursor", names: readonly string[]) =>
  z.strictObject(
    Object.fromEntries(
      names.map((name) => [name, pointValue(`${prefix}.${name}` as Point).optional()]),
    ),
  );
const MEANING_NAMES = [...MEANINGS, "ends"] as const;

const DIALECT_KEYS = {
  book: option(
    pointValue("book"),
    "frames of a book after the first: changes, or whole snapshots",
    '"changes"',
  ),
  chain: option(
    pointValue("chain"),
    "previous_sequence names the frame before on its channel, or the numbers show no gaps (none)",
    '"channel"',
  ),
  nullPrevious: option(
    pointValue("nullPrevious"),
    "a null previous_sequence in mid-stream says nothing, or makes the frame a snapshot",
    '"nothing"',
  ),
  spacing: option(pointValue("spacing"), "milliseconds between two commands", '"0"'),
  lists: option(
    pointValues("lists", LISTS),
    "later frames of a list: the rows that changed, or the whole list",
    `{ orders = "changes" }`,
  ),
  cursor: option(
    pointValues("cursor", LISTINGS),
    "what `before` of a listing counts: a field of its records, or search",
    `{ trades = "trade_id" }`,
  ),
  names: option(
    z.partialRecord(z.enum(MEANING_NAMES), words),
    "names of fields of the service by meaning, tried before the usual ones; ends: words of a status that end a row",
    `{ orderSize = ["qty_open"], ends = ["PULLED"] }`,
  ),
};

export interface ConfigSection {
  /** Heading as written in the file; empty for the top-level keys. */
  readonly heading: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, ConfigOption>>;
  /** True if the user chooses the names of the keys. */
  readonly isOpen?: boolean;
}

export const CONFIG_SECTIONS: readonly ConfigSection[] = [
  { heading: "", summary: "Where the service is", options: SERVICE_KEYS },
  { heading: "", summary: "The screen", options: SCREEN_KEYS },
  {
    heading: "[profiles.test]",
    summary: "Other sets of addresses by name, chosen with --profile",
    options: SERVICE_KEYS,
  },
  {
    heading: "[aliases]",
    summary: "Names of your own for markets",
    options: {
      BTC: option(
        text,
        "monitor BTC is then monitor perp/1; symbols can be meant, too",
        '"perp/1"',
      ),
    },
    isOpen: true,
  },
  {
    heading: "[accounts]",
    summary: "Names of your own for addresses of the stream and their subaccounts",
    options: {
      desk: option(
        text,
        "monitor account desk is then monitor account with this address; without a word, all of them",
        '"TZPVufw9kodsCtzFQcJN3PXJ2oFSmRhrMo7CVj8y6sL3"',
      ),
    },
    isOpen: true,
  },
  {
    heading: '[markets."perp/1"]',
    summary: "What is known of a market beforehand, by type and id",
    options: MARKET_KEYS,
  },
  {
    heading: "[dialect]",
    summary:
      "How the service fills what its interface leaves open; monitor doctor shows what was learned",
    options: DIALECT_KEYS,
  },
  {
    heading: "[[alerts]]",
    summary: "Alerts that are always set; one such table for each",
    options: ALERT_KEYS,
  },
];

function table<T extends Readonly<Record<string, ConfigOption>>>(options: T) {
  const shape = Object.fromEntries(
    Object.entries(options).map(([name, { schema }]) => [name, schema.optional()]),
  );
  return z.strictObject(shape as { [K in keyof T]: z.ZodOptional<T[K]["schema"]> });
}

export const CONFIG = z.strictObject({
  ...table(SERVICE_KEYS).shape,
  ...table(SCREEN_KEYS).shape,
  profiles: z.record(z.string(), table(SERVICE_KEYS)).optional(),
  aliases: z.record(z.string(), text).optional(),
  accounts: z.record(z.string(), text).optional(),
  markets: z.record(market, table(MARKET_KEYS).required()).optional(),
  dialect: table(DIALECT_KEYS).optional(),
  alerts: z
    .array(table(ALERT_KEYS).required({ when: true }))
    .max(200)
    .optional(),
});

export type Config = z.infer<typeof CONFIG>;
