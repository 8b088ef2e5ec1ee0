// What the user has chosen of panes, book and chart, from one run to the next.
import { expect, test } from "vitest";
import { getPersistedChoices } from "../../src/commands/screen/persisted-choices.ts";
import type { PersistedState } from "../../src/config/persisted-state.ts";

test("panes, layouts, book and chart are in the next run what they were left as", () => {
  const held = new Map<string, unknown>();
  const persisted = {
    get: (name: string) => held.get(name),
    // It is JSON in between.
    set: (name: string, value: unknown) => held.set(name, JSON.parse(JSON.stringify(value))),
  } as unknown as PersistedState;
  const before = getPersistedChoices(persisted);
  const chart = {
    study: "cvd",
    isVwapShown: true,
    isProfileShown: true,
    isFootprint: true,
  } as const;
  const book = { groupings: { "perp/1": 10n }, depth: "size", extras: ["traded"] } as const;
  before.onChart?.(chart);
  before.onBook?.(book);
  expect(getPersistedChoices(persisted)).toMatchObject({ chart, book });
});

test("where nothing persists, a choice is none of the next run's", () => {
  const choices = getPersistedChoices(undefined);
  choices.onChart?.({ study: "cvd", isVwapShown: true, isProfileShown: true, isFootprint: true });
  expect(getPersistedChoices(undefined).chart).toMatchObject({
    study: "volume",
    isVwapShown: false,
  });
});
