// What the program keeps between runs: found again, merged with what other runs have written, and harmless when it is broken.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readState, saveState } from "../../../src/cli/config/persisted-state.ts";
import { folderOfTest } from "../../support/temporary-folder.ts";

test("values are found by the next run, with those that another one has written meanwhile", () => {
  const path = join(folderOfTest(), "monitor", "state.json");
  saveState(path, { choices: { "chart.interval": "5m", "book.traded": true } });
  saveState(path, { recent: ["quit"] });
  expect(readState(path)).toMatchObject({
    choices: { "chart.interval": "5m", "book.traded": true },
    recent: ["quit"],
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each(["", "{", "[1]", '{"choices":5}', '{"choices":{"odd":[1]},"stars":[1]}'])(
  "a file that is %j counts as empty, and is replaced",
  (text) => {
    const path = join(folderOfTest(), "state.json");
    writeFileSync(path, text);
    expect(readState(path)).toMatchObject({ choices: {}, stars: [] });
    saveState(path, { recent: [] });
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ recent: [] });
  },
);
