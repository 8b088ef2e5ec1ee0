// How this simulated service interprets what the interface document leaves open. The defaults are the interpretations that the
// monitor assumes; the others are what a real service might do instead.
import * as z from "zod";

const MAX_EXTRA_DIGITS = 12;

/** The interpretations of a scenario, by their names in scenario files (docs/readings.md). */
export const interpretations = z.strictObject({
  /** When hello is sent (interface 6.1). */
  hello: z.enum(["at-once", "late", "never"]).default("at-once"),
  hello_delay_ms: z.int().min(1).max(3_600_000).default(5000),
  /**
   * Order book frames after the first: `delta`: changed levels with their new size, 0 for removed ones; `whole`: all levels;
   * `delta-with-resets`: as delta, with occasional snapshots that have a null previous_sequence.
   */
  book: z.enum(["delta", "whole", "delta-with-resets"]).default("delta"),
  /** Frames from one such snapshot to the next. */
  book_reset_every: z.int().min(2).max(1_000_000).default(100),
  /** Published levels of each side; null for all. */
  book_depth: z.int().min(1).max(10_000).nullable().default(null),
  /** Past trades in the first trades frame; with 0, the first frame is sent with the first new trade. */
  trades_backlog: z.int().min(0).max(1000).default(50),
  /**
   * Sequences: `chained`: each frame names its transaction and that of the previous frame; `first-null`: as chained, but a first
   * frame has neither; `null`: no frame has either.
   */
  sequences: z.enum(["chained", "first-null", "null"]).default("chained"),
  first_previous: z.enum(["null", "same"]).default("null"),
  /**
   * Account frames after the first: `changed-rows`: the changed rows of changed lists; `changed-lists`: changed lists with all
   * rows; `everything`: all lists with all rows. Fills and payments are always new ones only.
   */
  account_lists: z.enum(["changed-rows", "changed-lists", "everything"]).default("changed-rows"),
  /** What `before` is compared with (interface 4.2 to 4.4). */
  cursor: z.enum(["transaction", "id", "timestamp"]).default("transaction"),
  rest_prefix: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)*$/, "a path such as /v1, without a slash at its end")
    .default(""),
  /** Zeros appended to every tick and lot on the stream, with tick and lot sizes divided accordingly: large integers. */
  extra_tick_digits: z.int().min(0).max(MAX_EXTRA_DIGITS).default(0),
  extra_lot_digits: z.int().min(0).max(MAX_EXTRA_DIGITS).default(0),
  /** Treatment of a client that sends nothing for keepalive_timeout_ms (interface 8). */
  silence: z.enum(["ignore", "close"]).default("ignore"),
});

/** Checked, with defaults applied. */
export type Interpretations = z.infer<typeof interpretations>;
