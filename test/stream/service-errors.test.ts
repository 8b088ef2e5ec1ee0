import { describe, expect, test } from "vitest";
import { bboFrame, bookFrame, openStreamRig } from "../support/stream-rig.ts";

const book = "orderbook/perp/1";
const bbo = "bbo/perp/1";

/** What is not tried again within that time is not tried again. */
const MAX_WAIT_MS = 120_000;

/** A book that answers 503: the time until it is asked for again. */
function waitMs({ service, clock }: ReturnType<typeof openStreamRig>): number {
  service.last.takeCommands();
  service.last.error(503, book);
  const from = clock.now();
  const isAsked = () => service.last.takeCommands().includes(`subscribe ${book}`);
  while (!isAsked() && clock.now() - from < MAX_WAIT_MS) clock.advance(50);
  return clock.now() - from;
}

/** A book whose updates a test sends, first ones and others. */
function openBook() {
  const rig = openStreamRig([book]);
  let sequence = 0;
  const update = (isFirst = false) =>
    rig.service.last.send(bookFrame(isFirst ? null : `${sequence}`, `${++sequence}`));
  return { rig, clock: rig.clock, update };
}

describe("errors of the service", () => {
  test("404 and 400 refuse the channel; it is not tried again until somebody asks", () => {
    const { stream, service, clock, takeEvents, undo } = openStreamRig([book]);
    service.last.error(404, book);
    clock.advance(600_000);
    expect(service.last.takeCommands()).toEqual([`subscribe ${book}`]);
    expect(takeEvents()).toEqual([`subscribing ${book}`, `refused ${book} 404`]);
    undo();
    stream.subscribe(book);
    expect(service.last.takeCommands()).toEqual([`subscribe ${book}`]);
  });

  test("409 to a first subscribe is a confirmation", () => {
    const { service, takeEvents } = openStreamRig([book]);
    service.last.error(409, book);
    service.last.send(bookFrame("4", "5"));
    expect(takeEvents()).toEqual([`subscribing ${book}`, `confirmed ${book}`, `first ${book} 5`]);
  });

  test("409 after a resync means that no whole state will come: the subscription is ended again, then the connection", () => {
    const { stream, service, clock } = openStreamRig([book]);
    service.last.send(bookFrame(null, "10"));
    stream.resync(book, "in doubt");
    clock.advance(2000);
    service.last.error(409, book);
    expect(service.last.takeCommands()).toEqual([
      `subscribe ${book}`,
      `unsubscribe ${book}`,
      `subscribe ${book}`,
      `unsubscribe ${book}`,
    ]);
    service.last.unsubscribed(book);
    service.last.error(409, book);
    expect(service.peers[0]?.isOver).toBe(true);
  });

  test("503 is tried again, later each time, and other channels are left alone", () => {
    const rig = openStreamRig([book, bbo]);
    const { service, takeEvents } = rig;
    service.last.send(bboFrame);
    const waits = Array.from({ length: 8 }, () => waitMs(rig));
    expect(waits[0]).toBeGreaterThanOrEqual(500);
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_050);
    expect(waits[7]).toBeGreaterThanOrEqual(54_000);
    service.last.send(bookFrame(null, "1"));
    expect(takeEvents().slice(-2)).toEqual([`subscribing ${book}`, `first ${book} 1`]);
  });

  test("503 right behind each first update is tried again later each time, up to eight seconds, until the channel has been received for two", () => {
    const { rig, clock, update } = openBook();
    const waits = Array.from({ length: 8 }, () => {
      update(true);
      return waitMs(rig);
    });
    expect(waits[0]).toBeLessThanOrEqual(1050);
    expect(Math.min(...waits.slice(3))).toBeGreaterThanOrEqual(4000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(8050);
    update(true);
    for (let s = 0; s < 2; s++) {
      clock.advance(1000);
      update();
    }
    update(true);
    expect(waitMs(rig)).toBeLessThanOrEqual(1050);
  });

  test("503 for three seconds of every thirty is waited for no longer each time", () => {
    const { rig, clock, update } = openBook();
    update(true);
    /** Milliseconds until the channel is received again. */
    const outage = () => {
      let passedMs = 0;
      while (passedMs < 3000) passedMs += waitMs(rig);
      update(true);
      for (let ms = passedMs; ms < 30_000; ms += 1000) {
        clock.advance(1000);
        update();
      }
      return passedMs;
    };
    const outages = Array.from({ length: 20 }, outage);
    expect(Math.max(...outages)).toBeLessThanOrEqual(8000);
  });

  test("503 in mid-stream starts over: a subscription that still stands is ended first", () => {
    const { service, clock } = openStreamRig([book]);
    service.last.send(bookFrame(null, "10"));
    service.last.error(503, book);
    clock.advance(1000);
    service.last.error(409, book);
    expect(service.last.takeCommands()).toEqual([
      `subscribe ${book}`,
      `subscribe ${book}`,
      `unsubscribe ${book}`,
    ]);
  });

  test("without a channel mean the one open command, or else the connection", () => {
    const { service, takeEvents } = openStreamRig([book]);
    service.last.error(404);
    service.last.error(503);
    expect(takeEvents()).toEqual([
      `subscribing ${book}`,
      `refused ${book} 404`,
      "service-error 503",
    ]);
  });

  test("of unreadable messages are told with the channel where it can be known", () => {
    const { service, takeEvents } = openStreamRig([bbo]);
    service.last.send("<html>");
    service.last.send({ ...bboFrame, bbo: { bid: null } });
    expect(takeEvents()).toEqual([`subscribing ${bbo}`, "rejected undefined", `rejected ${bbo}`]);
  });
});
