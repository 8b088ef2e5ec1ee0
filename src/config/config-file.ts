// The config file: TOML text to checked settings. It is untrusted input, like everything from outside.
import { parse, TomlError } from "smol-toml";
import * as z from "zod";
import { UsageError } from "../units/monitor-error.ts";

const address = {
  ws_url: z.string().optional(),
  base_url: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
};

const size = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?$/, 'expected decimal text, such as "0.01"');

const config = z.strictObject({
  ...address,
  profiles: z.record(z.string(), z.strictObject(address)).optional(),
  /** Names for markets: BTC = "perp/1". */
  aliases: z.record(z.string(), z.string()).optional(),
  /** What is known of a market beforehand, by type and id: [markets."perp/1"]. */
  markets: z
    .record(
      z.string().regex(/^(?:perp|spot)\/[0-9]+$/),
      z.strictObject({ tick_size: size, lot_size: size }),
    )
    .optional(),
});

/** Settings of the config file, under the names that they have there. */
export type Config = z.infer<typeof config>;

/**
 * Reads the text of a config file.
 * @param name the file, for messages
 * @throws {UsageError} that names the place of the first fault
 */
export function parseConfig(text: string, name: string): Config {
  const fit = config.safeParse(parseToml(text, name));
  if (fit.success) return fit.data;
  const issue = fit.error.issues[0];
  const place = issue?.path.map(String).join(".") ?? "";
  throw new UsageError(
    `${name}: ${place === "" ? "" : `${place}: `}${issue?.message ?? "not a config file"}`,
    "see the reference of the config file in docs/",
  );
}

function parseToml(text: string, name: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const words = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    throw new UsageError(`${name}:${error.line}:${error.column}: ${words}`, "mend the file there");
  }
}
