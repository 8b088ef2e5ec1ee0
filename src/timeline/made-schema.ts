// Schema of the state at the start of a recording: files come from outside.
import * as z from "zod";
import { digits, FACTS, scaleFacts } from "../state/facts-schema.ts";
import { CHANNEL_KINDS, type ChannelKind } from "../wire/channels.ts";

const SCHEMAS: { readonly [K in ChannelKind]?: z.ZodType } = FACTS;

const feed = z.looseObject({
  phase: z.enum(["waiting", "receiving", "suspect", "resync", "unavailable", "refused", "left"]),
  frames: z.number(),
  lastFrameAtMs: z.number().optional(),
  confirmedAtMs: z.number().optional(),
  sequence: digits.nullable().optional(),
  lagMs: z.number().optional(),
  gaps: z.number(),
  resyncs: z.number(),
  rejected: z.number(),
  late: z.number(),
  drifts: z.number(),
  reason: z.string().optional(),
});
/** State held when the recording began, in addition to its frames. */
export const madeSchema = z.union([
  ...CHANNEL_KINDS.map((kind) =>
    z.object({
      channel: z.string().regex(new RegExp(`^${kind}(?:/|$)`)),
      feed,
      facts: (SCHEMAS[kind] ?? z.never()).optional(),
    }),
  ),
  z.object({
    session: z.object({
      link: z.looseObject({ state: z.string(), reconnects: z.number() }).optional(),
      counts: z.looseObject({ rejected: z.number(), numbering: z.looseObject({}) }),
    }),
  }),
  z.object({ scale: scaleFacts }),
]);
