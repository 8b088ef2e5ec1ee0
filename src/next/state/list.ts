// A list of records whose rows come and go.
import type { OpenRecord } from "../wire/frames.ts";

export interface List {
  /** By key, in the order in which they came. */
  rows: Map<string, OpenRecord>;
}
