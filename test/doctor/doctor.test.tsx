// The doctor at services in the styles of real exchanges: what it finds, and how each is read.
import { render } from "ink-testing-library";
import { afterEach, describe, expect, it } from "vitest";
import type { Check } from "../../src/doctor/check.ts";
import { checkListings, PREFIX } from "../../src/doctor/listings.ts";
import { DoctorProgress } from "../../src/doctor/progress.tsx";
import { reportJson, reportText } from "../../src/doctor/report.ts";
import { checkStream } from "../../src/doctor/stream.ts";
import { RestClient } from "../../src/listing/rest-client.ts";
import { openSession } from "../../src/live/session.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { createRandom } from "../../src/units/random.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";
import { type Switches, startVenue, type VenueService } from "../support/venues/service.ts";
import { drift } from "../support/venues/styles/drift.ts";
import { hyperliquid } from "../support/venues/styles/hyperliquid.ts";
import { lighter } from "../support/venues/styles/lighter.ts";
import type { Style } from "../support/venues/styles/style.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const STEP_MS = 100;

/** Lets time pass for the service and the program until the work is done. */
async function passUntil<T>(service: VenueService, clock: VirtualClock, work: Promise<T>) {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    clock.advance(STEP_MS);
    await settleLoopback();
    service.advance(STEP_MS, false);
    await settleLoopback();
  }
  return work;
}

async function examine(style: Style, switches: Switches = {}, timeoutMs = 12_000) {
  watchLoopback();
  const service = await startVenue(style, switches);
  ends.push(() => service.close());
  const clock = createVirtualClock(service.startMs);
  const [market] = service.exchange.markets;
  if (market === undefined) throw new Error("no market");
  const name = `${market.type}/${style.id(market)}`;
  const watched = checkStream({
    clock,
    channels: [
      `bbo/${name}`,
      `orderbook/${name}`,
      `trades/${name}`,
      "markets",
      service.accountChannel,
    ],
    timeoutMs,
    signal: new AbortController().signal,
    open: (listeners) =>
      openSession({
        ...listeners,
        url: service.wsUrl,
        openSocket: createWsSocket({ url: service.wsUrl, headers: {}, clock, environment: {} }),
        clock,
        random: createRandom(1),
        learnedPath: undefined,
      }),
  });
  const { checks, store } = await passUntil(service, clock, watched);
  return {
    service,
    clock,
    market: { type: market.type, id: `${style.id(market)}` },
    checks,
    store,
  };
}

const seen = (checks: readonly Check[]) =>
  Object.fromEntries(checks.map(({ id, verdict, fact }) => [id, `${verdict} ${fact}`]));

describe("the doctor", () => {
  for (const style of [lighter, hyperliquid, drift])
    it(`finds the stream of ${style.name} well, its records under known names`, async () => {
      const { checks } = await examine(style);
      const found = seen(checks);
      expect(found["stream.connection"]).toMatch(/^ok open after/);
      expect(found["stream.hello"]).toBe("ok protocol version 1");
      expect(found["channel.account"]).toMatch(/^ok (live|quiet), first frame after .* frames?$/);
      expect(found["names.orders"]).toMatch(/^ok/);
      expect(found["names.positions"]).toMatch(/^ok/);
      expect(checks.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    });

  it("names what a service does beside the document", async () => {
    const { checks } = await examine(lighter, { hello: "never" });
    expect(seen(checks)["stream.hello"]).toMatch(/^warn no hello/);
  });

  it("says in one screen how the service is read, and prints no address", async () => {
    const { checks, store, service } = await examine(drift);
    const text = reportText({ checks, store, tookMs: 3200 }, 100);
    expect(text).toMatch(/^book {2,}(changes|snapshots) {2,}(assumed|learned)/m);
    expect(text).toMatch(/; 3\.2 s$/);
    expect(text.split("\n").length).toBeLessThan(50);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    const [, address = ""] = service.accountChannel.split("/");
    const json = reportJson({ checks, store, tookMs: 3200 });
    expect(text + json).not.toContain(address);
    expect(JSON.parse(json).dialect.book).toMatchObject({ value: store.dialect.book.value });
  });

  it("fails a service that is not there, and looks no further", async () => {
    const clock = createVirtualClock();
    const watched = checkStream({
      clock,
      channels: ["bbo/perp/1"],
      timeoutMs: 500,
      signal: new AbortController().signal,
      open: (listeners) =>
        openSession({
          ...listeners,
          url: "ws://127.0.0.1:1/v1/ws",
          openSocket: ({ onEnd }) => {
            clock.soon(() => onEnd({ detail: "connection refused" }));
            return { send: () => {}, ping: () => {}, hold: () => {}, terminate: () => {} };
          },
          clock,
          random: createRandom(1),
          learnedPath: undefined,
        }),
    });
    clock.advance(1000);
    const { checks } = await watched;
    expect(seen(checks)).toEqual({ "stream.connection": "fail connection refused" });
  });

  it("finds the listings, their order and their cursor", async () => {
    const { service, clock, market } = await examine(lighter);
    const learned: string[] = [];
    const client = restClient(service.baseUrl, clock);
    const checks = await passUntil(
      service,
      clock,
      checkListings({
        ...{ client, below: restClient(service.baseUrl + PREFIX, clock), market, clock },
        signal: new AbortController().signal,
        onCursor: (cursor) => learned.push(cursor),
      }),
    );
    const found = seen(checks);
    expect(found["rest.trades"]).toMatch(/^ok \d+ records in/);
    expect(found["rest.order"]).toMatch(/^ok newest first/);
    expect(found["rest.fills"]).toMatch(/^unknown .*404/);
    expect(found["rest.cursor"]).toMatch(/^ok before counts trade_id/);
    expect(learned).toEqual(["trade_id"]);
  });
});

function restClient(baseUrl: string, clock: VirtualClock): RestClient {
  const client = new RestClient({ baseUrl, headers: {}, clock, random: createRandom(1) });
  ends.push(() => client.close());
  return client;
}

it("shows what it has looked at in a table of plain Ink", () => {
  const { lastFrame } = render(
    <DoctorProgress
      parts={[
        { name: "network", checks: [{ id: "network.ws.name", verdict: "ok", fact: "" }] },
        { name: "stream", checks: undefined },
      ]}
    />,
  );
  expect(lastFrame()).toMatch(/network +│ 1 +│ 0 +│ 0/);
  expect(lastFrame()).toMatch(/stream +│ …/);
});
