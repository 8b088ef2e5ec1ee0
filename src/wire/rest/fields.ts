// The fields of a REST record (2.4, 2.5) as one list, in the document's order: types, schemas, the quick reader of pages, and
// the columns of a CSV file with their cells all follow from it. Schemas are apart: readers of text are loaded with a screen,
// whose first frame waits for none.

/** What a field of each form holds. `unsigned` and `signed` are numeric text, which keeps its exact form; words are not shown. */
export interface FormValues {
  unsigned: string;
  signed: string;
  text: string;
  integer: number;
  flag: boolean;
}
export type Form = keyof FormValues;

/** Names and forms; a list of fields in the place of a form is an array of such records. */
export type FieldList = readonly (readonly [name: string, form: Form | FieldList])[];

export type RecordOf<F extends FieldList> = {
  readonly [E in F[number] as E[0]]: E[1] extends FieldList
    ? readonly RecordOf<E[1]>[]
    : E[1] extends Form
      ? FormValues[E[1]]
      : never;
};
