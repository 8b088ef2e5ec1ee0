import { expect, test } from "vitest";
import { Log } from "../../../src/simulator/ledger/log.ts";

test("a log numbers its rows, forgets a tenth of the oldest at once, and finds the newest that match", () => {
  const log = new Log(7000, 100);
  for (let i = 0; i < 211; i++) log.add({ index: 50 + (i >> 1), timeUs: i });
  const ids = log.rows.map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: 101 }, (_, i) => 7110 + i));
  expect(log.since(154).map(({ timeUs }) => timeUs)).toEqual([208, 209, 210]);
  expect(log.since(0)).toEqual(log.rows);
  const isEven = ({ timeUs }: { timeUs: number }) => timeUs % 2 === 0;
  expect(log.newest(2, isEven).map(({ timeUs }) => timeUs)).toEqual([210, 208]);
  expect(log.newest(9, isEven, 3).map(({ timeUs }) => timeUs)).toEqual([112, 110]);
});
