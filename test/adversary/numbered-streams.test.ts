// Streams numbered, split, repeated, thinned out and taken away in every way that the document allows: whatever a pane that
// says live or quiet holds is what the service has, unless something is missing that no frame has shown yet.
import { expect, test } from "vitest";
import { type Session as LiveSession, openSession } from "../../src/live/session.ts";
import { ACCOUNT_LISTS } from "../../src/state/account.ts";
import type { Slice } from "../../src/state/slices.ts";
import type { Store } from "../../src/state/store.ts";
import type { OpenSocket } from "../../src/stream/socket.ts";
import { createRandom } from "../../src/units/random.ts";
import type { ChannelKind } from "../../src/wire/channels.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { isSoak, runs, SEED } from "../support/soak.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";
import { type ComposedStream, composeStream, streamOf } from "./compose-stream.ts";
import { createRandom as createDraws, hash } from "./random.ts";
import type { ChannelTruth } from "./stream-channels.ts";
import type { StreamService } from "./stream-service.ts";
import { checkRows } from "./truth-check.ts";

const SEEDS = runs(5, 300);
/** Of each service. */
const SECONDS = isSoak ? 300 : 60;
const STEP_MS = 100;

/** The delivery of a composed service, its contents plain but for how they are split. */
function compose(seed: number): ComposedStream {
  const { delivery } = composeStream(seed).facts;
  const draws = createDraws(hash(seed, 900));
  const splits = () => ({ splits: draws.chance(0.5), splitsSnapshot: draws.chance(0.3) });
  // How soon a dead link is found, and which of the channels an error is about, are other subjects.
  const plain = { silentShare: 0, errorsNameChannel: true };
  return streamOf(
    { ...delivery, ...plain },
    {
      account: { ...splits(), rate: 1 },
      book: { ...splits(), rate: 2 },
      trades: { splits: draws.chance(0.5), isNewestFirst: draws.chance(0.5), rate: 2 },
      markets: { splitsSnapshot: draws.chance(0.3) },
    },
  );
}

/** The service behind sockets on which nothing arrives before `settle`. */
function wireOf(service: StreamService) {
  let arriving: (() => void)[] = [];
  const open: OpenSocket = (handlers) => {
    let isOver = false;
    let isAnswering = true;
    const arrives = (act: () => void) => arriving.push(() => isOver || act());
    arrives(() => handlers.onOpen());
    const client = service.open({
      send: (text) => arrives(() => handlers.onMessage(text)),
      close: (code) =>
        arrives(() => {
          isOver = true;
          handlers.onEnd({ code: "closed", detail: `${code}` });
        }),
      answerPings: (isOn) => {
        isAnswering = isOn;
      },
    });
    return {
      send: (text) => arrives(() => client.receive(text)),
      ping: () => arrives(() => isAnswering && client.ping() && handlers.onPong()),
      terminate: () => {
        isOver = true;
        client.end();
      },
    };
  };
  const settle = () => {
    while (arriving.length > 0) {
      const all = arriving;
      arriving = [];
      for (const act of all) act();
    }
  };
  return { open, settle };
}

type Rows = readonly object[];
const texts = (rows: Rows) => rows.map((row) => JSON.stringify(row));

interface Shown {
  readonly rows: readonly string[];
  /** By position: the row is marked. */
  readonly inQuestion?: readonly boolean[];
}

/** What is shown of a channel, as lists of records; nothing of a book that says itself that it is only assumed. */
function shown(store: Store, kind: ChannelKind, channel: string): Record<string, Shown> {
  if (kind === "orderbook") {
    const { data } = store.slice(kind, channel);
    const { bids, asks } = data.depth();
    return data.isOpen ? {} : { bids: { rows: texts(bids) }, asks: { rows: texts(asks) } };
  }
  if (kind === "trades") {
    return { trades: { rows: texts(store.slice(kind, channel).data.recent()) } };
  }
  if (kind === "markets")
    return { markets: { rows: texts(store.slice(kind, channel).data.records) } };
  const { lists } = store.slice("account", channel).data;
  const listed = ACCOUNT_LISTS.map((list) => {
    const { rows, inQuestion } = lists[list];
    return [list, { rows: texts(rows), inQuestion: rows.map((row) => inQuestion.has(row)) }];
  });
  return Object.fromEntries(listed);
}

/** What must be shown, and what may be. */
function truthOf(
  truth: ChannelTruth,
): Record<string, readonly [must: readonly string[], may: readonly string[]]> {
  if (truth.kind === "orderbook") {
    return { bids: [texts(truth.bids), []], asks: [texts(truth.asks), []] };
  }
  if (truth.kind === "trades") return { trades: [[], truth.trades] };
  if (truth.kind === "rows") return { markets: [truth.rows, []] };
  if (truth.kind !== "account") return {};
  const { orders, positions, balances, leverages } = truth.lists;
  return {
    orders: [orders, truth.zero],
    positions: [positions, truth.zero],
    balances: [balances, truth.zero],
    leverages: [leverages, truth.zero],
  };
}

/** A client of all channels; what it shows is compared each second. */
class Session {
  readonly findings: string[] = [];
  /** What happened, without updates and states of the link. */
  readonly events: StreamEvent[] = [];
  /** Moments at which a channel was live or quiet. */
  readonly #live = new Map<string, number>();
  readonly #service: StreamService;
  readonly #clock: VirtualClock;
  readonly #wire: ReturnType<typeof wireOf>;
  readonly #session: LiveSession;

  constructor({ service, channels }: ComposedStream) {
    this.#service = service;
    this.#clock = createVirtualClock(service.startMs);
    this.#wire = wireOf(service);
    this.#session = openSession({
      openSocket: this.#wire.open,
      isStrict: false,
      clock: this.#clock,
      random: createRandom(1),
      onEvent: (event) => {
        if (event.type !== "update" && event.type !== "link") this.events.push(event);
      },
    });
    for (const channel of channels) this.#session.stream.subscribe(channel);
  }

  play(): void {
    for (let second = 1; second <= SECONDS && this.findings.length === 0; second++) {
      for (let ms = 0; ms < 1000; ms += STEP_MS) {
        this.#clock.advance(STEP_MS);
        this.#service.advance(this.#clock.wall());
        this.#wire.settle();
      }
      for (const slice of this.#session.store.slices) this.#check(slice, second);
    }
    this.#session.close();
  }

  /** Share of the time in which a channel was live or quiet. */
  share(channel: string): number {
    return (this.#live.get(channel) ?? 0) / SECONDS;
  }

  #check(slice: Slice, second: number): void {
    const { channel, kind } = slice;
    const { store } = this.#session;
    const state = store.paneState(slice, this.#clock.now());
    if (state !== "live" && state !== "quiet") return;
    this.#live.set(channel, (this.#live.get(channel) ?? 0) + 1);
    if (!CHECKED.has(kind) || !this.#service.hasShownAll(channel)) return;
    const lists = shown(store, kind, channel);
    for (const [list, [must, may]] of Object.entries(truthOf(this.#service.truth(channel)))) {
      const here = lists[list];
      if (here === undefined) continue;
      const found = checkRows({ list, ...here, state }, must, may);
      const untrue = found.filter(({ isInQuestion }) => !isInQuestion);
      this.findings.push(
        ...untrue.map((each) => `${second} s: ${list} ${each.kind} ${each.record}`),
      );
    }
  }
}

const CHECKED: ReadonlySet<string> = new Set(["orderbook", "trades", "markets", "account"]);

/** True for a service on which nothing ends by itself and whose numbers can be understood. */
function isSteady({ facts: { delivery } }: ComposedStream): boolean {
  const { numbering, closeShare, takeAwayShare, lossShare, firstUnavailable, hello } = delivery;
  const faults = closeShare + takeAwayShare + lossShare + firstUnavailable;
  const isPlain =
    numbering !== "service" && hello === "at-once" && delivery.firstFrame === "at-once";
  const isLasting = delivery.lifeSeconds >= SECONDS;
  const limits = delivery.maxSubscriptions + delivery.commandsPerSecond;
  return isPlain && isLasting && faults + delivery.outageShare + limits === 0;
}

test(`${SEEDS} services: nothing that is live or quiet is untrue`, () => {
  const wrong: string[] = [];
  for (let seed = SEED; seed < SEED + SEEDS; seed++) {
    const composed = compose(seed);
    const session = new Session(composed);
    session.play();
    const { findings, events } = session;
    if (isSteady(composed)) {
      const shares = composed.channels.map((channel) => session.share(channel));
      expect(Math.min(...shares), `seed ${seed}: ${composed.describe}`).toBeGreaterThan(0.5);
    }
    if (findings.length === 0) continue;
    const last = events.slice(-6).map((event) => JSON.stringify(event));
    wrong.push(
      [`seed ${seed}: ${composed.describe}`, ...findings.slice(0, 4), ...last].join("\n  "),
    );
  }
  expect(wrong.slice(0, 12).join("\n"), `${wrong.length} of ${SEEDS}`).toBe("");
});
