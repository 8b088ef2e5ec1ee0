// Every key of the config file in one table, the source of the check, the template and the reference.
import * as z from "zod";
import { parseRule } from "../../alerts/rule.ts";
import { POINTS, type Point, VALUES } from "../../dialect/dialect.ts";
import { MEANINGS } from "../../dialect/names.ts";
import { OPTIONS, type OptionKey, type Options } from "../options.ts";

/** One key: the schema of its value, its purpose, and a value as TOML: the default if there is one, otherwise an example. */
export interface ConfigKey<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly summary: string;
  readonly example: string;
}

function key<S extends z.ZodType>(schema: S, summary: string, example: string): ConfigKey<S> {
  return { schema, summary, example };
}

/** A key with the form and the meaning of an option. */
function option<K extends OptionKey>(name: K, example: string) {
  const { form, summary, read } = OPTIONS[name];
  const source = example.startsWith('"') ? z.string() : z.number();
  const schema = z.pipe(
    source,
    z.transform((given: string | number, context) => {
      const value = read([`${given}`]);
      if (value === undefined)
        context.issues.push({ code: "custom", input: given, message: `expected ${form?.says}` });
      return value as NonNullable<Options[K]>;
    }),
  );
  return key(schema, summary, example);
}

const text = z.string().min(1);
const words = z.array(text).min(1).max(100);
const market = z
  .string()
  .regex(/^(?:perp|spot)\/(?:0|[1-9][0-9]{0,9})$/, 'expected a market, such as "perp/1"');
const size = z
  .string()
  .regex(
    /^(?=.*[1-9])(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?$/,
    'expected decimal text above zero, such as "0.01"',
  );

/** Symbols are known when the service has said them: any word may be one. */
const rule = z.string().check((context) => {
  const parsed = parseRule(context.value, { market: "perp/1", findMarket: () => "perp/1" });
  if ("fault" in parsed)
    context.issues.push({ code: "custom", input: context.value, message: parsed.fault });
});

const point = (name: Point) => z.enum(VALUES[name]);
const points = (prefix: "lists." | "cursor.") => {
  const names = POINTS.filter((name) => name.startsWith(prefix));
  const members = names.map((name) => [name.slice(prefix.length), point(name).optional()]);
  return z.strictObject(Object.fromEntries(members));
};

const SERVICE = {
  ws_url: option("wsUrl", '"wss://exchange.example/v1/ws"'),
  base_url: option("baseUrl", '"https://exchange.example/api/v1"'),
  headers: key(
    z.record(z.string(), z.string()),
    "headers of the handshake and each request; chmod 600 the file when they are secret",
    '{ "X-Api-Key" = "secret" }',
  ),
  rest_rate: key(z.number().min(0).max(100), "background requests a second; 0 for none", "2"),
};

const SCREEN = {
  fps: option("fps", "60"),
  interval: option("interval", '"1m"'),
  theme: option("theme", '"auto"'),
  time_zone: option("timeZone", '"local"'),
  colours: key(z.enum(["usual", "colour-blind"]), "colours of buy and sell", '"usual"'),
  rising: key(z.enum(["green", "red"]), "colour of a rise; red, as in East Asia", '"green"'),
  ascii: key(z.boolean(), "draw with ASCII only, for poor fonts", "false"),
  mouse: key(z.boolean(), "use the mouse; to select text then needs Shift", "true"),
  numbers: key(z.enum(["grouped", "plain"]), "thousands with commas or without", '"grouped"'),
  notify: key(
    z.array(z.enum(["bell", "notification", "link"])).max(3),
    "what an alert does besides being shown; link: the bell when the connection is lost or back",
    '["bell", "notification"]',
  ),
};

const MARKET = {
  tick_size: key(size, "quote currency in one tick of the price", '"0.01"'),
  lot_size: key(size, "base currency in one lot of the size", '"0.0001"'),
};

const DIALECT = {
  book: key(point("book"), "later frames of a book: changes, or whole snapshots", '"changes"'),
  chain: key(point("chain"), "previous_sequence names the frame before, or none", '"channel"'),
  nullPrevious: key(point("nullPrevious"), "what a null there means in mid-stream", '"nothing"'),
  spacing: key(point("spacing"), "milliseconds between two commands", '"0"'),
  lists: key(points("lists."), "later frames of a list", `{ orders = "changes" }`),
  cursor: key(points("cursor."), "what `before` counts", `{ trades = "trade_id" }`),
  names: key(
    z.partialRecord(z.enum([...MEANINGS, "ends"]), words),
    "names of fields by meaning, before the usual ones; ends: words of a status that end a row",
    `{ orderSize = ["qty_open"], ends = ["PULLED"] }`,
  ),
};

const ALERT = {
  when: key(rule, "the rule, as --alert takes it", '"perp/1 last > 65000 every 10m"'),
  exec: key(words, "program to start; the event is on its stdin", '["notify-send", "monitor"]'),
  record: key(text, "folder for recordings: two minutes before, one after", '"incidents"'),
};

export interface ConfigSection {
  /** Heading as written in the file; empty for the top-level keys. */
  readonly heading: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, ConfigKey>>;
}

export const CONFIG_SECTIONS: readonly ConfigSection[] = [
  { heading: "", summary: "Where the service is", options: SERVICE },
  { heading: "", summary: "The screen", options: SCREEN },
  {
    heading: "[profiles.test]",
    summary: "Other sets of addresses by name, chosen with --profile",
    options: SERVICE,
  },
  {
    heading: "[aliases]",
    summary: "Names of your own for markets",
    options: { BTC: key(text, "monitor BTC is then monitor perp/1", '"perp/1"') },
  },
  {
    heading: "[accounts]",
    summary: "Names of your own for addresses of the stream and their subaccounts",
    options: {
      desk: key(
        text,
        "monitor account desk is then that of this address; without a word, all of them",
        '"TZPVufw9kodsCtzFQcJN3PXJ2oFSmRhrMo7CVj8y6sL3"',
      ),
    },
  },
  {
    heading: '[markets."perp/1"]',
    summary: "What is known of a market beforehand, by type and id",
    options: MARKET,
  },
  {
    heading: "[dialect]",
    summary: "How the service fills what its interface leaves open, as monitor doctor shows it",
    options: DIALECT,
  },
  {
    heading: "[[alerts]]",
    summary: "Alerts that are always set; one such table for each",
    options: ALERT,
  },
];

function table<T extends Readonly<Record<string, ConfigKey>>>(options: T) {
  const shape = Object.fromEntries(
    Object.entries(options).map(([name, { schema }]) => [name, schema.optional()]),
  );
  return z.strictObject(shape as { [K in keyof T]: z.ZodOptional<T[K]["schema"]> });
}

export const CONFIG = z.strictObject({
  ...table(SERVICE).shape,
  ...table(SCREEN).shape,
  profiles: z.record(z.string(), table(SERVICE)).optional(),
  aliases: z.record(z.string(), text).optional(),
  accounts: z.record(z.string(), text).optional(),
  markets: z.record(market, table(MARKET).required()).optional(),
  dialect: table(DIALECT).optional(),
  alerts: z
    .array(table(ALERT).required({ when: true }))
    .max(200)
    .optional(),
});

export type Config = z.infer<typeof CONFIG>;
