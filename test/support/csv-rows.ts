// Rows of a CSV text as an independent reader sees them, and records as such rows.
import Papa from "papaparse";

type Row = Record<string, string>;

/** @throws {Error} when it is no CSV */
export function rowsOf(csv: string): Row[] {
  const { data, errors } = Papa.parse<Row>(csv, {
    header: true,
    skipEmptyLines: true,
    newline: "\r\n",
  });
  if (errors.length > 0) throw new Error(`no CSV: ${JSON.stringify(errors.slice(0, 3))}`);
  return data;
}

export const iso = (ms: unknown): string => new Date(ms as number).toISOString();

export const cells = (record: Readonly<Record<string, unknown>>): Row =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]));
