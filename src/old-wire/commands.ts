// Client commands (section 4.1): the only two messages that this program sends.
import { parseJson } from "./json.ts";
import { type Rejection, reject } from "./rejection.ts";
import { createSchema } from "./schema.ts";
import type { Infer, Shape } from "./shape.ts";

const commandShape = (s: Shape) =>
  s.record({
    type: s.enumOf(["subscribe", "unsubscribe"]),
    channel: s.channelName,
  });
/** A client command; no other properties are allowed. */
export type Command = Infer<typeof commandShape>;

const command = createSchema(commandShape);

export function encodeCommand({ type, channel }: Command): string {
  return JSON.stringify({ type, channel });
}

/** Decodes a command strictly as documented: the service's side, for the simulator. */
export function decodeCommand(
  message: string,
): { ok: true; command: Command } | { ok: false; rejection: Rejection } {
  const value = parseJson(message);
  const checked = command.check(value);
  if (checked.ok && !checked.drifts) return { ok: true, command: checked.value };
  const [drift = { path: "", detail: "" }] = checked.ok ? command.drifts(checked.value) : [checked];
  const reason = value === undefined ? "not-json" : "wrong-shape";
  return { ok: false, rejection: reject(message, reason, drift.detail, { path: drift.path }) };
}
