// monitor schema [NAME]: the JSON Schema of an output form; without a name, the list of forms.

import { JSON_FORMS, type JsonFormName } from "../args/commands.ts";
import { type Context, EXIT } from "../args/context.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatNearest } from "../units/nearest.ts";

/** @throws {UsageError} on an unknown form */
export async function run({ args: [name], stdout }: Context): Promise<number> {
  const names = Object.keys(JSON_FORMS) as JsonFormName[];
  if (name === undefined) {
    const width = Math.max(...names.map(({ length }) => length));
    for (const each of names) stdout.write(`${each.padEnd(width)}  ${JSON_FORMS[each]}\n`);
    return EXIT.done;
  }
  const form = names.find((each) => each === name);
  if (form === undefined) {
    throw new UsageError(`no such schema: ${name}`, formatNearest(name, names));
  }
  const { jsonSchema } = await import("../print/json-schemas.ts");
  stdout.write(`${JSON.stringify(jsonSchema(form), null, 2)}\n`);
  return EXIT.done;
}
