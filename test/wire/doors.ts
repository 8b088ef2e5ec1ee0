// The ways of a message into the program, and what the independent schema says of the same message.
import { decodeCommand } from "../../src/wire/commands.ts";
import { createDecoder } from "../../src/wire/decode.ts";
import type { Drift, Rejection } from "../../src/wire/rejection.ts";
import { conformsCommand, conformsServerFrame } from "../support/interface-schema.ts";

type Outcome =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly drifts: boolean;
      readonly named?: () => readonly Drift[];
    }
  | { readonly ok: false; readonly rejection: Rejection };

/** One way into the program, and what the document says of the same message. */
export interface Door {
  read(text: string): Outcome;
  conforms(value: unknown): string | undefined;
}

const decoder = createDecoder();

export const frames: Door = {
  read(text) {
    const decoded = decoder.decode(text);
    if (!decoded.ok) return decoded;
    const { received, drifts } = decoded;
    return { ok: true, value: received.frame, drifts, named: () => decoder.drifts(received) };
  },
  conforms: conformsServerFrame,
};

/** A service refuses a command with anything undocumented. */
export const commands: Door = {
  read(text) {
    const decoded = decodeCommand(text);
    return decoded.ok ? { ok: true, value: decoded.command, drifts: false } : decoded;
  },
  conforms: conformsCommand,
};
