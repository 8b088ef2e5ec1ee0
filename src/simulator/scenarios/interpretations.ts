// What the interface document leaves open, as switches: how this simulated service interprets it. The
// defaults are the interpretations that the monitor takes for granted; the others are what a real service might do instead.
import * as z from "zod";

const MAX_EXTRA_DIGITS = 12;

/** The interpretations of a scenario, under the name that scenario files have for them (docs/readings.md). */
export const interpretations = z.strictObject({
  /** When hello is sent (6.1). */
  hello: z.enum(["at-once", "late", "never"]).default("at-once"),
  hello_delay_ms: z.int().min(1).max(3_600_000).default(5000),
  /**
   * Order book frames after the first: `delta`: levels that changed, with their new size, 0 for none;
   * `whole`: all levels; `delta-with-resets`: as delta, now and then a whole frame with a null previous_sequence.
   */
  book: z.enum(["delta", "whole", "delta-with-resets"]).default("delta"),
  /** Frames from one such whole frame to the next. */
  book_reset_every: z.int().min(2).max(1_000_000).default(100),
  /** Levels of each side that are published; null for all. */
  book_depth: z.int().min(1).max(10_000).nullable().default(null),
  /** Past trades in the first trades frame; with 0 the first frame comes with the first new trade. */
  trades_backlog: z.int().min(0).max(1000).default(50),
  /**
   * Sequences: `chained`: each frame names its transaction and that of the frame before; `first-null`:
   * as chained, but a first frame has neither; `null`: no frame ever has one.
   */
  sequences: z.enum(["chained", "first-null", "null"]).default("chained"),
  first_previous: z.enum(["null", "same"]).default("null"),
  /**
   * Account frames after the first: `changed-rows`: changed lists with their changed rows;
   * `changed-lists`: changed lists, all rows; `everything`: all lists, all rows. Fills and payments are
   * always new ones only.
   */
  account_lists: z.enum(["changed-rows", "changed-lists", "everything"]).default("changed-rows"),
  /** What `before` is compared with (4.2 to 4.4). */
  cursor: z.enum(["transaction", "id", "timestamp"]).default("transaction"),
  rest_prefix: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)*$/, "a path such as /v1, without a slash at its end")
    .default(""),
  /** Zeros added to every tick and lot on the stream, while tick and lot sizes shrink as much: large integers. */
  extra_tick_digits: z.int().min(0).max(MAX_EXTRA_DIGITS).default(0),
  extra_lot_digits: z.int().min(0).max(MAX_EXTRA_DIGITS).default(0),
  /** What happens to a client that sends nothing for keepalive_timeout_ms (8). */
  silence: z.enum(["ignore", "close"]).default("ignore"),
});

/** Checked, with their defaults. */
export type Interpretations = z.infer<typeof interpretations>;
