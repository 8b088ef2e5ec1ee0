// Exports that are killed at random moments, again and again: each ends with the bytes of an unbroken one, and
// leaves nothing else behind. `npm run soak` kills two hundred.
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { createRandom } from "../../src/units/random.ts";
import { endAt, exportRig, monitor } from "../support/export-rig.ts";
import { runs, SEED } from "../support/soak.ts";

const KILLS = runs(2, 200);
const PAGE = 100;

const rig = exportRig();

test("an export that is killed at random moments ends with the bytes of an unbroken one", async () => {
  const random = createRandom(SEED);
  const service = await rig.start({ transactions: 1500, cursor: "transaction", delayMs: 1 });
  await monitor(`trades 1 -o ${rig.fileOf("whole.csv")}`, service);
  const whole = rig.read("whole.csv");
  let kills = 0;
  for (let run = 0; kills < KILLS; run++) {
    const order = run % 2 === 0 ? "" : " --oldest-first";
    const wanted = order === "" ? whole : turned(whole);
    const words = `trades 1 -o ${rig.fileOf("t.csv")} --page-size ${PAGE}${order}`;
    for (let isKilled = true; isKilled; ) {
      const at = service.requests.length + 1 + Math.floor(random() * 250);
      const { signal, code, stderr } = await endAt(service, at, words, "SIGKILL");
      isKilled = signal !== null;
      if (isKilled) kills++;
      else expect(code, stderr).toBe(0);
    }
    expect(rig.read("t.csv") === wanted, `seed ${SEED}, export ${run}`).toBe(true);
    expect(readdirSync(rig.folder).sort()).toEqual(["t.csv", "whole.csv"]);
  }
});

/** The rows of a CSV text the other way round. */
function turned(csv: string): string {
  const [header = "", ...rows] = csv.trimEnd().split("\r\n");
  return `${[header, ...rows.reverse()].join("\r\n")}\r\n`;
}
