// Faults of content: updates that say something else than they should, or nothing that can be read.
import * as z from "zod";
import type { Random } from "../../units/random.ts";
import { parseJson } from "../../wire/json.ts";
import { faultKind, type OutgoingFrame } from "./fault.ts";
import { createSpell, isWithin, when } from "./fault-timing.ts";
import { byLuck, changingText, withText } from "./frame-faults.ts";

type Fields = Record<string, unknown>;

/** The text of an update breaks off. */
export const truncateFrame = faultKind(
  z.strictObject({ kind: z.literal("truncate-frame"), ...byLuck }),
  {
    stream: (settings, context) =>
      changingText(settings, context, ({ text }) =>
        text.slice(0, Math.floor(text.length * context.random())),
      ),
  },
);

/** A required field of an update has a value of another type. */
export const wrongType = faultKind(z.strictObject({ kind: z.literal("wrong-type"), ...byLuck }), {
  stream: (settings, context) =>
    changingText(settings, context, (frame) =>
      changed(frame, (fields) => {
        const name = pick(context.random, requiredOf(fields));
        fields[name] = pick<unknown>(context.random, [17.5, true, { a: [] }, [null], "¿"]);
      }),
    ),
});

/** A required field of an update is missing. */
export const missingField = faultKind(
  z.strictObject({ kind: z.literal("missing-field"), ...byLuck }),
  {
    stream: (settings, context) =>
      changingText(settings, context, (frame) =>
        changed(frame, (fields) => {
          delete fields[pick(context.random, requiredOf(fields))];
        }),
      ),
  },
);

/** An update has a field that the document does not list, as after an upgrade of the service. */
export const extraField = faultKind(z.strictObject({ kind: z.literal("extra-field"), ...byLuck }), {
  stream: (settings, context) =>
    changingText(settings, context, (frame) =>
      changed(frame, (fields) => {
        fields[`x_${Math.floor(context.random() * 1000)}`] = { note: "\u001b[31mnew" };
      }),
    ),
});

/** All server times are so far off: ahead of the wall clock or, with a minus, behind it. */
export const clockSkew = faultKind(
  z.strictObject({
    kind: z.literal("clock-skew"),
    skew_ms: z.int().min(-86_400_000).max(86_400_000),
    when,
  }),
  {
    stream({ skew_ms, when: times }, context) {
      const skewNs = BigInt(skew_ms) * 1_000_000n;
      const isOn = createSpell(times, context);
      return {
        frames(frame) {
          if (!isOn()) return [frame];
          const text = frame.text.replace(
            /"timestamp_ns":"([0-9]+)"/,
            (_, ns: string) => `"timestamp_ns":"${BigInt(ns) + skewNs}"`,
          );
          return [withText(frame, text)];
        },
      };
    },
  },
);

/** The service calls itself a version that nobody knows. */
export const wrongVersion = faultKind(
  z.strictObject({
    kind: z.literal("wrong-version"),
    protocol_version: z.int().min(0).max(1000).default(2),
    when,
  }),
  {
    stream: ({ protocol_version, when: times }, context) => ({
      frames(frame) {
        if (frame.type !== "hello" || !isWithin(times, context.elapsedMs())) return [frame];
        context.strike();
        return [withText(frame, JSON.stringify({ ...JSON.parse(frame.text), protocol_version }))];
      },
    }),
  },
);

/** Undefined for what another fault has spoiled already. */
function changed({ text }: OutgoingFrame, change: (fields: Fields) => void): string | undefined {
  const fields = parseJson(text) as Fields | undefined;
  if (fields === undefined) return undefined;
  change(fields);
  return JSON.stringify(fields);
}

/** Fields without which no update of the channel is one; not those that every frame has by its type. */
function requiredOf(fields: Fields): readonly string[] {
  const isAccount = String(fields.channel).startsWith("account/");
  return Object.keys(fields).filter(
    (name) => name !== "type" && (!isAccount || /^timestamp_ns$|sequence$/.test(name)),
  );
}

function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}
