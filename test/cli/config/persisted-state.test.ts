// What the program keeps between runs: found again, merged with what other runs have written, and harmless when it is broken.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPersistedState, readChoices } from "../../../src/cli/config/persisted-state.ts";
import { folderOfTest } from "../../support/temporary-folder.ts";

test("values are found by the next run, with those that another one has written meanwhile", () => {
  const path = join(folderOfTest(), "monitor", "state.json");
  const [one, other] = [createPersistedState(path), createPersistedState(path)];
  one.set("choices", { "chart.interval": "5m", "book.traded": true, odd: [1] });
  one.save();
  other.set("recent", ["quit"]);
  other.save();
  const next = createPersistedState(path);
  expect(readChoices(next)).toEqual({ "chart.interval": "5m", "book.traded": true });
  expect(next.get("recent")).toEqual(["quit"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each(["", "{", "[1]", '{"choices":5}'])(
  "a file that is %j counts as empty, and is replaced",
  (text) => {
    const path = join(folderOfTest(), "state.json");
    writeFileSync(path, text);
    const state = createPersistedState(path);
    expect(readChoices(state)).toEqual({});
    state.set("recent", []);
    state.save();
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ recent: [] });
  },
);
