import { describe, expect, test } from "vitest";
import { type Feed, newFeed } from "../../src/state/feed.ts";
import { paneAgeMs, paneStateAt } from "../../src/state/pane-state.ts";
import type { Link } from "../../src/wire/stream-event.ts";

const open: Link = {
  state: "open",
  reconnects: 0,
  aliveAtMs: 0,
  roundTripMs: 3,
  retryAtMs: undefined,
  protocolVersion: 1,
  fault: undefined,
};
const received: Feed = { ...newFeed, phase: "receiving", frames: 5, lastFrameAtMs: 1000 };

const at = (
  nowMs: number,
  feed: Partial<Feed> = {},
  link: Partial<Link> = {},
  isInconsistent = false,
) =>
  paneStateAt(
    { feed: { ...received, ...feed }, link: { ...open, ...link }, isInconsistent },
    nowMs,
  );

describe("the word that a pane says of its data", () => {
  test("is live while frames come, and quiet when the link lives but the channel says nothing", () => {
    expect(at(1000)).toBe("live");
    expect(at(2000)).toBe("live");
    expect(at(2001, {}, { aliveAtMs: 2000 })).toBe("quiet");
    const link = { aliveAtMs: 3_595_000 };
    expect(at(3_600_000, { confirmedAtMs: 3_400_000 }, link)).toBe("quiet");
  });

  test("is stale when nothing has said for too long that the silent channel stands", () => {
    const link = { aliveAtMs: 3_595_000 };
    expect(at(3_600_000, {}, link)).toBe("stale");
    expect(at(3_600_000, { confirmedAtMs: 3_200_000 }, link)).toBe("stale");
    expect(at(340_000, {}, { aliveAtMs: 335_000 })).toBe("quiet");
  });

  test("is never live when what is shown is older than a second, by its age and by how late it came", () => {
    expect(at(1400, { lagMs: 600 })).toBe("live");
    expect(at(1401, { lagMs: 600 })).toBe("quiet");
    expect(at(1000, { lagMs: 1001 })).toBe("stale");
  });

  test("is quiet again when a late frame is followed by a silence in which later ones would have come", () => {
    const silent = (ms: number, lagMs: number) =>
      at(1000 + ms, { lagMs }, { aliveAtMs: ms - (ms % 10_000) });
    expect(silent(12_000, 1500)).toBe("stale");
    expect(silent(12_001, 1500)).toBe("quiet");
    expect(silent(60_000, 60_000)).toBe("stale");
    expect(silent(60_001, 60_000)).toBe("quiet");
  });

  test("is stale while what comes is late, however often it comes", () => {
    expect(at(1000, {}, { isLate: true })).toBe("stale");
  });

  test("is stale when the link has given no sign of life for longer than a ping takes", () => {
    expect(at(13_001)).toBe("stale");
    expect(at(20_000, {}, { aliveAtMs: 8000 })).toBe("quiet");
  });

  test("is off when nobody subscribes to the channel any more, whatever the link", () => {
    expect(at(1000, { phase: "left" })).toBe("off");
    expect(at(1000, { phase: "left" }, { state: "waiting" })).toBe("off");
  });

  test("is waiting before the first frame", () => {
    expect(at(500, newFeed)).toBe("waiting");
  });

  test("is resync while what is shown is being replaced, or contradicts itself", () => {
    expect(at(1000, { phase: "resync" })).toBe("resync");
    expect(at(1000, {}, {}, true)).toBe("resync");
  });

  test("is offline without a connection or while the stream is unavailable, and keeps the age of its data", () => {
    for (const state of ["connecting", "waiting", "closed"] as const) {
      expect(at(5000, {}, { state })).toBe("offline");
    }
    expect(at(5000, { phase: "unavailable" })).toBe("offline");
    expect(paneAgeMs(received, 5000)).toBe(4000);
  });

  test("is refused once the service has said no, whatever the link does", () => {
    expect(at(5000, { phase: "refused" }, { state: "waiting" })).toBe("refused");
  });

  test("is offline before anything was told of the link", () => {
    expect(paneStateAt({ feed: newFeed, link: undefined, isInconsistent: false }, 0)).toBe(
      "offline",
    );
  });
});
