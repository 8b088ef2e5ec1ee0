// Client commands (section 4.1): the only two messages that this program ever sends.
import * as z from "zod/mini";
import { parseJson } from "./json.ts";
import { type Rejection, reject } from "./rejection.ts";
import { createSchema } from "./schema.ts";
import { channelName } from "./shape.ts";

/** What a client can ask for. */
export type CommandType = "subscribe" | "unsubscribe";

/** One command; it has no other properties. */
export interface Command {
  readonly type: CommandType;
  /** Channel name of any kind. */
  readonly channel: string;
}

const command = createSchema<Command>(() =>
  z.strictObject({ type: z.enum(["subscribe", "unsubscribe"]), channel: channelName }),
);

/** The text of a command, ready to be sent. Never throws. */
export function encodeCommand({ type, channel }: Command): string {
  return JSON.stringify({ type, channel });
}

/** Reads a command as strictly as the document describes it: the service's side of the stream. Never throws. */
export function decodeCommand(
  message: string,
): { ok: true; command: Command } | { ok: false; rejection: Rejection } {
  const value = parseJson(message);
  const fit = command.check(value, true);
  if (fit.ok) return { ok: true, command: fit.value };
  const reason = value === undefined ? "not-json" : "wrong-shape";
  return { ok: false, rejection: reject(message, reason, fit.detail, { path: fit.path }) };
}
