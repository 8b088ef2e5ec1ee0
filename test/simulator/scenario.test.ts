import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BUILT_IN } from "../../src/simulator/built-in.ts";
import { checkScenario, loadScenario } from "../../src/simulator/scenario.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { scenarioOf } from "./rig.ts";

test("there are eight built-in scenarios, and one that names no markets has those of steady", () => {
  const { markets } = scenarioOf("steady");
  expect(Object.keys(BUILT_IN).map((name) => scenarioOf(name))).toHaveLength(8);
  expect(checkScenario({}, "mine").markets).toEqual(markets);
});

test.each([
  [[], "Invalid input: expected object"],
  [{ speed: 3 }, 'Unrecognized key: "speed"'],
  [{ faults: [{ kind: "earthquake" }] }, "faults[0].kind: "],
  [{ faults: [{ kind: "gap", probability: 2 }] }, "faults[0].probability: "],
  [{ markets: [] }, "markets: "],
  [{ markets: ["perp/1", "perp/99"] }, "markets[1]: "],
  [{ activity: 0 }, "activity: "],
])("a scenario with %j is refused in one line: %s", (fields, words) => {
  const check = () => checkScenario(fields, "f.json");
  expect(check).toThrow(expect.objectContaining({ code: "bad-scenario" }));
  expect(check).toThrow(`scenario f.json: ${words}`);
  expect(check).not.toThrow("\n");
});

test("a scenario file is named by its path and has the form of a scenario", async () => {
  const file = join(folderOfTest(), "mine.json");
  writeFileSync(file, '{"markets":["spot/2"]}');
  expect((await loadScenario(file)).markets).toHaveLength(1);
  writeFileSync(file, "{");
  await expect(loadScenario(file)).rejects.toThrow(`scenario ${file}: not JSON`);
  await expect(loadScenario("./no.json")).rejects.toMatchObject({ code: "no-scenario" });
});

test("a name that nobody knows is answered with the names that there are", async () => {
  const names = Object.keys(BUILT_IN).join(", ");
  await expect(loadScenario("stormy")).rejects.toThrow(
    `no scenario "stormy": one of ${names}, or the path of a JSON file`,
  );
});
