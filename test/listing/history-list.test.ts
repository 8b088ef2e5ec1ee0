import { describe, expect, test } from "vitest";
import { HistoryList } from "../../src/listing/history-list.ts";
import type { PageRequest } from "../../src/listing/paging/source.ts";
import { answered } from "../support/answered.ts";
import { instantClock } from "../support/instant-clock.ts";
import { below, fields, type Row, rowsDownFrom as rowsByPlace } from "./paging/rows.ts";

/** Two of each time. */
const rowsDownFrom = (newest: number): Row[] =>
  rowsByPlace(newest).map(({ id, ms }) => ({ id, ms: ms >> 1 }));

/** A list over a listing that the test changes; it is idle when `settle` resolves. */
function look(initial: readonly Row[], untilMs?: number, limit = 10) {
  const service = { rows: initial, fault: undefined as string | undefined, requests: 0 };
  const list: HistoryList<Row> = new HistoryList<Row>({
    source: {
      async get(request: PageRequest) {
        service.requests++;
        if (service.fault !== undefined) throw new Error(service.fault);
        return answered(below(service.rows, request));
      },
    },
    fields,
    limit,
    clock: instantClock,
    untilMs,
    onChange: () => {},
  });
  const settle = async () => {
    while (list.activity !== "nothing") await new Promise(setImmediate);
  };
  const older = async () => {
    list.loadOlder();
    await settle();
  };
  const newer = async () => {
    list.refresh();
    await settle();
  };
  return { service, list, older, newer };
}

describe("a listing that is looked through", () => {
  test("goes back page by page to its proven end", async () => {
    const { list, older } = look(rowsDownFrom(35));
    await older();
    expect(list.rows).toEqual(rowsDownFrom(35).slice(0, 10));
    expect(list.verdict).toBeUndefined();
    for (let i = 0; i < 9; i++) await older();
    expect(list.rows).toEqual(rowsDownFrom(35));
    expect(list.verdict).toMatchObject({ isComplete: true, reach: "end" });
  });

  test("takes in what is newer, once, however often it is asked", async () => {
    const { service, list, older, newer } = look(rowsDownFrom(35));
    await older();
    service.rows = rowsDownFrom(61);
    await newer();
    await newer();
    expect(list.rows).toEqual(rowsDownFrom(61).slice(0, 36));
    await older();
    expect(list.rows).toEqual(rowsDownFrom(61).slice(0, list.rows.length));
    expect(list.rows.length).toBeGreaterThan(36);
  });

  test("begins at a time", async () => {
    const { list, older } = look(rowsDownFrom(35), 10);
    await older();
    expect(list.rows[0]).toEqual({ id: "21", ms: 10 });
  });

  test("that began at a time does not reach beyond it when newer rows are asked for", async () => {
    const { service, list, older, newer } = look(rowsDownFrom(35), 10);
    await older();
    const held = list.rows;
    service.rows = rowsDownFrom(300);
    service.requests = 0;
    await newer();
    expect(list.rows).toEqual(held);
    expect(list.verdict).toBeUndefined();
    await older();
    expect(list.rows).toEqual(rowsDownFrom(21).slice(0, list.rows.length));
    expect(list.rows.length).toBeGreaterThan(held.length);
  });

  test("begins anew at the newest row when more rows are newer than it holds", async () => {
    const { service, list, older, newer } = look(rowsDownFrom(1500), undefined, 1000);
    await older();
    service.rows = rowsDownFrom(60_000);
    await newer();
    expect(list.rows).toEqual(rowsDownFrom(60_000).slice(0, 1000));
    expect([list.pages, list.verdict]).toEqual([1, undefined]);
    await older();
    expect(list.rows).toEqual(rowsDownFrom(60_000).slice(0, list.rows.length));
    expect(list.rows.length).toBeGreaterThan(1000);
  });

  test("that holds all it can keeps it while nothing is newer, and begins anew for one row", async () => {
    const { service, list, older, newer } = look(rowsDownFrom(60_000), undefined, 1000);
    while (!list.isFull) await older();
    const held = list.rows;
    await newer();
    expect(list.rows).toBe(held);
    service.rows = rowsDownFrom(60_001);
    await newer();
    expect(list.rows).toEqual(rowsDownFrom(60_001).slice(0, 1000));
    expect(list.isFull).toBe(false);
  });

  test("keeps its rows when the service fails, and goes on afterwards", async () => {
    const { service, list, older } = look(rowsDownFrom(35));
    await older();
    await older();
    const held = list.rows;
    service.fault = "gone";
    for (let i = 0; i < 3; i++) await older();
    expect(list.rows.slice(0, held.length)).toEqual(held);
    expect(list.error).toBe("gone");
    service.fault = undefined;
    for (let i = 0; i < 9; i++) await older();
    expect(list.rows).toEqual(rowsDownFrom(35));
    expect(list.error).toBeUndefined();
  });

  test("says so when its first row is not listed any more", async () => {
    const { service, list, older, newer } = look(rowsDownFrom(35));
    await older();
    service.rows = rowsDownFrom(40).filter(({ id }) => id !== "35");
    await newer();
    expect(list.verdict).toMatchObject({ isComplete: false, flag: "history-changed" });
    expect(list.rows).toEqual(rowsDownFrom(35).slice(0, 10));
  });

  test("asks a copy that lags behind again, and is not taken for another one", async () => {
    const { service, list, older, newer } = look(rowsDownFrom(35));
    await older();
    const listings = [30, 30, 61].map(rowsDownFrom);
    Object.defineProperty(service, "rows", {
      get: () => (listings.length > 1 ? listings.shift() : listings[0]),
    });
    await newer();
    expect(list.verdict).toBeUndefined();
    expect(list.rows).toEqual(rowsDownFrom(61).slice(0, 36));
  });

  test("that was another one for a time goes on once its first row is listed again", async () => {
    const { service, list, older, newer } = look(rowsDownFrom(35));
    await older();
    service.rows = rowsDownFrom(40).filter(({ id }) => id !== "35");
    await newer();
    expect(list.verdict).toMatchObject({ flag: "history-changed" });
    service.rows = rowsDownFrom(40);
    await newer();
    expect(list.verdict).toBeUndefined();
    expect(list.rows).toEqual(rowsDownFrom(40).slice(0, 15));
    for (let i = 0; i < 9; i++) await older();
    expect(list.rows).toEqual(rowsDownFrom(40));
  });

  test("asks for nothing twice at the same time", async () => {
    const { service, list, older } = look(rowsDownFrom(35));
    list.loadOlder();
    list.loadOlder();
    list.refresh();
    await older();
    expect(service.requests).toBe(1);
  });
});
