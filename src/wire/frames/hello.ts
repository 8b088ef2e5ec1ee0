// hello: what the service says of itself (section 6.1). When it is sent is not shown.
import * as z from "zod/mini";
import { KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../limits.ts";
import type { Shape } from "../shape.ts";

/** What the service says first: its version and the limit of silence, in milliseconds. */
export interface HelloFrame {
  readonly type: "hello";
  /** 1 for this interface; another number is kept and shown. */
  readonly protocol_version: number;
  /** Longest time between two frames of the client, in milliseconds: 120000, or what a newer service says. */
  readonly keepalive_timeout_ms: number;
}

/** Its schema (6.1), as strict as the shape says. Never throws. */
export function helloFrame(shape: Shape): z.ZodMiniType<HelloFrame> {
  return shape.record({
    type: z.literal("hello"),
    protocol_version: shape.number([PROTOCOL_VERSION]),
    keepalive_timeout_ms: shape.number([KEEPALIVE_TIMEOUT_MS]),
  });
}
