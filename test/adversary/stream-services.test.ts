// What the composed streams themselves promise. That their frames lead to their truth is what `accounts`, `books`,
// `order-flow-of-services` and `numbered-streams` hold: the client, which knows nothing, is compared with it there.
import { expect, test } from "vitest";
import { conformsServerFrame } from "../support/interface-schema.ts";
import { runs } from "../support/soak.ts";
import { type ComposedStream, composeStream, streamOf } from "./compose-stream.ts";
import type { ChannelTruth } from "./stream-channels.ts";
import { checkRows, parseExact } from "./truth-check.ts";

const SEEDS = runs(25, 1200);

type Frame = Record<string, unknown> & { type: string; channel?: string };
type Row = Record<string, unknown>;

/** One client that subscribes to everything and stays. */
function watch({ service, channels }: ComposedStream, minutes: number) {
  const session = { frames: [] as Frame[], texts: [] as string[] };
  const client = service.open({
    send: (text) => {
      session.texts.push(text);
      session.frames.push(parseExact(text) as Frame);
    },
    close: () => undefined,
  });
  for (const channel of channels) client.receive(JSON.stringify({ type: "subscribe", channel }));
  for (let step = 1; step <= minutes * 4; step++) service.advance(service.startMs + step * 15_000);
  return session;
}

test("every frame of a composed stream obeys sections 6 and 7", () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    for (const text of watch(composeStream(seed), 4).texts) {
      expect(conformsServerFrame(JSON.parse(text)), `seed ${seed}: ${text}`).toBeUndefined();
    }
  }
});

function foldCatalogue(frames: Frame[], list: string, isWhole: boolean): string[] {
  const held = new Map<unknown, Row>();
  for (const frame of frames) {
    if (isWhole) held.clear();
    for (const row of frame[list] as Row[]) held.set(row.delegate ?? row.subaccount_id, row);
  }
  return [...held.values()].map((row) => JSON.stringify(row));
}

test("a client that knows the service's ways folds its catalogue of subaccounts to the truth", () => {
  for (const scheme of ["rows", "list"] as const) {
    const composed = streamOf({ seed: 4 }, { catalogue: { scheme, rate: 2 } });
    const frames = watch(composed, 3).frames.filter((frame) => frame.type === "update");
    expect({
      kind: "catalogue",
      subaccounts: foldCatalogue(frames, "subaccounts", scheme === "list"),
      delegations: foldCatalogue(frames, "delegations", scheme === "list"),
    }).toEqual(composed.service.truth(composed.channels[0] ?? ""));
  }
});

test("a channel that fails says 503, sends nothing meanwhile, and goes on with a whole state", () => {
  const delivery = { outageShare: 1, seed: 3 } as const;
  const { frames } = watch(streamOf(delivery, { account: { rate: 5 } }), 10);
  const at = frames.findIndex((frame) => frame.type === "error");
  expect(frames[at]).toMatchObject({ code: 503 });
  const next = frames[at + 1];
  expect(next).toMatchObject({ type: "update", previous_sequence: null });
  const ns = (frame: Frame | undefined): bigint => BigInt(String(frame?.timestamp_ns));
  expect(ns(next) - ns(frames[at])).toBeGreaterThan(3_900_000_000n);
});

test("what a service leaves out is shown by its numbers with the next frame", () => {
  const composed = streamOf({ lossShare: 0.2, seed: 1 }, { trades: { rate: 5 } });
  const { frames } = watch(composed, 2);
  const updates = frames.filter((frame) => frame.type === "update");
  const gaps = updates.filter(
    (frame, i) => i > 0 && frame.previous_sequence !== updates[i - 1]?.sequence,
  );
  const truth = composed.service.truth("trades/perp/1") as ChannelTruth & { kind: "trades" };
  expect(gaps.length).toBeGreaterThan(20);
  expect(truth.trades.length).toBeGreaterThan(updates.length);
});

test("a connection without a frame of the client is closed after the keepalive, where that is enforced", () => {
  const { service } = streamOf({ enforcesKeepalive: true }, { trades: {} });
  let code = 0;
  const client = service.open({
    send: () => undefined,
    close: (reason) => {
      code = reason;
    },
  });
  service.advance(service.startMs + 100_000);
  client.ping();
  service.advance(service.startMs + 219_000);
  expect(code).toBe(0);
  service.advance(service.startMs + 221_000);
  expect(code).toBe(1008);
});

/** Names of the options that differ over the seeds. */
function variedOptions(seeds: number): { varied: Set<string>; all: Set<string> } {
  const values = new Map<string, Set<string>>();
  for (let seed = 0; seed < seeds; seed++) {
    const { delivery, account, rate: _, ...rest } = composeStream(seed).facts;
    for (const options of [delivery, account, account?.style, ...Object.values(rest)]) {
      for (const [name, value] of Object.entries(options ?? {})) {
        const seen = values.get(name) ?? new Set();
        values.set(name, seen.add(JSON.stringify(value)));
      }
    }
  }
  const varied = [...values].filter(([, seen]) => seen.size > 1).map(([name]) => name);
  return { varied: new Set(varied), all: new Set(values.keys()) };
}

test("every oddity of a stream is composed by some seed", () => {
  const { varied, all } = variedOptions(runs(600, 2000));
  const same = [...all].filter((name) => !varied.has(name));
  expect(same.sort()).toEqual(["enforcesKeepalive", "intervalMs", "startMs"]);
});

test("the same seed makes the same frames, and what happens does not depend on who is connected", () => {
  for (let seed = 0; seed < runs(15, 60); seed++) {
    const [one, two, alone] = [composeStream(seed), composeStream(seed), composeStream(seed)];
    expect(watch(one, 2).texts).toEqual(watch(two, 2).texts);
    alone.service.advance(alone.service.startMs + 120_000);
    for (const channel of alone.channels) {
      expect(alone.service.truth(channel), `seed ${seed}`).toEqual(one.service.truth(channel));
    }
  }
});

test("a second subscribe is 409, another name 404, a malformed one 400", () => {
  const { service } = streamOf({}, { trades: {} });
  const codes: unknown[] = [];
  const client = service.open({
    send: (text) => codes.push((parseExact(text) as Frame).code),
    close: () => undefined,
  });
  codes.length = 0;
  const channels = ["trades/perp/1", "trades/perp/1", "trades/perp/9", "trades/perp/x"];
  for (const channel of channels) client.receive(JSON.stringify({ type: "subscribe", channel }));
  client.receive("no JSON");
  expect(codes).toEqual([undefined, 409, 404, 400, 400]);
});

test("the checker names what is wrong, doubled and missing, and nothing of a pane that claims nothing", () => {
  const rows = ['{"a":1,"b":2}', '{"b":2,"a":1}', '{"a":3}'];
  const findings = checkRows({ list: "orders", rows, state: "live" }, ['{"a":1,"b":2}', '{"a":4}']);
  expect(findings.map(({ kind }) => kind)).toEqual(["doubled", "wrong", "missing"]);
  expect(checkRows({ list: "orders", rows, state: "resync" }, [])).toEqual([]);
});

test("of equal rows shown once too often, the checker takes the marked one for the extra one", () => {
  const rows = ['{"a":1}', '{"a":1}'];
  const extra = (...inQuestion: boolean[]) =>
    checkRows({ list: "orders", rows, state: "live", inQuestion }, ['{"a":1}']);
  expect(extra(true, false).map(({ isInQuestion }) => isInQuestion)).toEqual([true]);
  expect(extra(false, true).map(({ isInQuestion }) => isInQuestion)).toEqual([true]);
  expect(extra(false, false).map(({ isInQuestion }) => isInQuestion)).toEqual([false]);
});

test("two records are two whose numbers differ beyond what a double holds", () => {
  const rows = ['{"id":9007199254740993}', '{"id":9007199254740992}'];
  const shown = { list: "orders", rows: [rows[0] ?? "", rows[0] ?? ""], state: "quiet" };
  expect(checkRows(shown, rows).map(({ kind }) => kind)).toEqual(["doubled", "missing"]);
});
