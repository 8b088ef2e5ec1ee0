// The scenarios that come with the program: one JSON file each, of the form that a user's own has.
import busy from "./busy.json" with { type: "json" };
import contradicted from "./contradicted.json" with { type: "json" };
import crossed from "./crossed.json" with { type: "json" };
import drift from "./drift.json" with { type: "json" };
import drops from "./drops.json" with { type: "json" };
import errors from "./errors.json" with { type: "json" };
import gaps from "./gaps.json" with { type: "json" };
import garbage from "./garbage.json" with { type: "json" };
import giant from "./giant.json" with { type: "json" };
import halfOpen from "./half-open.json" with { type: "json" };
import lateHello from "./late-hello.json" with { type: "json" };
import noPong from "./no-pong.json" with { type: "json" };
import refused from "./refused.json" with { type: "json" };
import repeats from "./repeats.json" with { type: "json" };
import restTrouble from "./rest-trouble.json" with { type: "json" };
import skewed from "./skewed.json" with { type: "json" };
import slow from "./slow.json" with { type: "json" };
import steady from "./steady.json" with { type: "json" };
import storm from "./storm.json" with { type: "json" };
import unavailable from "./unavailable.json" with { type: "json" };
import wholeBooks from "./whole-books.json" with { type: "json" };
import wrongVersion from "./wrong-version.json" with { type: "json" };

/** By name, in the order of docs/scenarios.md. */
export const BUILT_IN = {
  steady,
  busy,
  gaps,
  drops,
  unavailable,
  "half-open": halfOpen,
  "no-pong": noPong,
  "late-hello": lateHello,
  "wrong-version": wrongVersion,
  refused,
  errors,
  repeats,
  crossed,
  contradicted,
  "whole-books": wholeBooks,
  garbage,
  drift,
  giant,
  slow,
  skewed,
  "rest-trouble": restTrouble,
  storm,
} as const satisfies Readonly<Record<string, unknown>>;
