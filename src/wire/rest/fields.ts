// The fields of a REST record (2.4, 2.5) as one list, in the document's order: types, schemas, the fast page reader, and the
// CSV columns with their cells follow from it. Schemas are separate, because the text readers are loaded with the screen, whose
// first frame must not wait for zod.

/** Value of each form. `unsigned` and `signed` are numeric text, kept exact; the possible `text` values are not documented. */
export interface FormValues {
  unsigned: string;
  signed: string;
  text: string;
  integer: number;
  flag: boolean;
}
export type Form = keyof FormValues;

/** Names and forms; a nested list in place of a form is an array of such records. */
export type FieldList = readonly (readonly [name: string, form: Form | FieldList])[];

export type RecordOf<F extends FieldList> = {
  readonly [E in F[number] as E[0]]: E[1] extends FieldList
    ? readonly RecordOf<E[1]>[]
    : E[1] extends Form
      ? FormValues[E[1]]
      : never;
};
