// The fields of a REST record (2.4, 2.5) as one list, in the document's order: types, schemas, the quick reader of pages, and
// the columns of a CSV file with their cells all follow from it.
import * as z from "zod/mini";
import { decimal, integer, type Shape, text, unsignedDecimal } from "../shape.ts";

/** `unsigned` and `signed` are numeric text, which keeps its exact form. Allowed words of `text` are not shown. */
const SCHEMAS = { unsigned: unsignedDecimal, signed: decimal, text, integer, flag: z.boolean() };

/** What a field holds. */
export type Form = keyof typeof SCHEMAS;

/** Names and forms; a list of fields in the place of a form is an array of such records. */
export type FieldList = readonly (readonly [name: string, form: Form | FieldList])[];

/** A record with these fields. */
export type RecordOf<F extends FieldList> = {
  readonly [E in F[number] as E[0]]: E[1] extends FieldList
    ? readonly RecordOf<E[1]>[]
    : E[1] extends Form
      ? z.infer<(typeof SCHEMAS)[E[1]]>
      : never;
};

export function recordSchema<F extends FieldList>(
  shape: Shape,
  fields: F,
): z.ZodMiniType<RecordOf<F>> {
  const schemas = fields.map(([name, form]) => [
    name,
    typeof form === "string" ? SCHEMAS[form] : z.array(recordSchema(shape, form)),
  ]);
  return shape.record(Object.fromEntries(schemas)) as unknown as z.ZodMiniType<RecordOf<F>>;
}
