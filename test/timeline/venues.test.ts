// A run against a service in each house style, with gaps of the connection, is replayed to the last byte; so are the runs that its
// memory of the last minutes holds.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openSession } from "../../src/live/session.ts";
import { marketJson, marketsJson } from "../../src/print/json.ts";
import type { Moment } from "../../src/state/moment.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { createHistory } from "../../src/timeline/history.ts";
import { openRecording } from "../../src/timeline/recording-file.ts";
import { createPast } from "../../src/timeline/timeline.ts";
import { Cursor } from "../../src/timeline/track.ts";
import { openRecordingWriter, writeLastMinutes } from "../../src/timeline/writer.ts";
import { createRandom } from "../../src/units/random.ts";
import { formatJson } from "../../src/wire/json.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { startVenue } from "../support/venues/service.ts";
import { STYLES } from "../support/venues/styles/all.ts";
import type { Style } from "../support/venues/styles/style.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const STEP_MS = 100;
const ABOUT = { version: "test", isRedacted: false };

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function start(style: Style) {
  watchLoopback();
  const service = await startVenue(style);
  const market = service.exchange.markets.find(({ base }) => base === "BTC");
  const name = market ? `${market.type}/${style.id(market)}` : "";
  const clock = createVirtualClock(service.startMs);
  const kinds = ["bbo", "orderbook", "trades", "market-stats"];
  const session = openSession({
    url: service.wsUrl,
    openSocket: createWsSocket({ url: service.wsUrl, headers: {}, clock, environment: {} }),
    ...{ clock, random: createRandom(1), learnedPath: undefined },
    channels: [
      ...kinds.map((kind) => `${kind}/${name}`),
      ...[`candles/${name}/1m`, "markets", service.accountChannel],
    ],
  });
  const { recorder } = session;
  ends.push(() => {
    session.close();
    return service.close();
  });
  const choice = {
    ...{ market: name, interval: "1m" },
    account: service.accountChannel.replace("account/", ""),
  };
  return {
    ...{ service, clock, session, recorder },
    present: (): Moment => ({
      ...{ store: session.store, nowMs: clock.now(), wallMs: clock.wall() },
    }),
    /** All that can be printed of a moment. */
    print: (moment: Moment) =>
      formatJson([marketJson(moment, choice), marketsJson(moment)], 1).split("\n"),
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        clock.advance(STEP_MS);
        await settleLoopback();
        service.advance(STEP_MS);
        await settleLoopback();
      }
    },
  };
}

function replayed(path: string) {
  const { track, isCut, close } = openRecording(path);
  const cursor = new Cursor(track);
  cursor.goTo(Number.POSITIVE_INFINITY);
  close();
  expect(isCut).toBe(false);
  return cursor.moment;
}

describe("a recording", () => {
  it.each(STYLES)("of a service like $name equals its run", async (style) => {
    const run = await start(style);
    const { clock, recorder, service, print } = run;
    const folder = folderOfTest();
    const whole = openRecordingWriter(join(folder, "whole"), recorder, clock, ABOUT);
    await run.pass(4000);
    const history = createHistory(recorder, 400_000);
    await run.pass(2000);
    const then = { atMs: clock.now(), lines: print(run.present()) };
    const later = openRecordingWriter(join(folder, "later"), recorder, clock, ABOUT);
    service.cut();
    await run.pass(6000);
    const now = print(run.present());
    recorder.print("page", clock.now(), clock.wall());
    await Promise.all([whole.close(), later.close()]);
    expect(print(replayed(join(folder, "whole")))).toEqual(now);
    expect(print(replayed(join(folder, "later")))).toEqual(now);
    writeLastMinutes(join(folder, "last"), history, clock.now() - 3000, ABOUT);
    expect(print(replayed(join(folder, "last")))).toEqual(now);
    const past = createPast(history, recorder.settle, then.atMs);
    expect(print(past.moment)).toEqual(then.lines);
    past.goTo(clock.now());
    expect(print(past.moment)).toEqual(now);
    past.goTo(then.atMs);
    expect(print(past.moment)).toEqual(then.lines);
    expect(readFileSync(join(folder, "whole"), "utf8")).toContain('"event":"disconnected"');
  });
});
