// The simulated exchange: a real matching engine with simulated traders, behind the same stream and REST listings as the
// service. It listens on the loopback address only.
import type { Socket } from "node:net";
import type { Clock } from "../units/clock.ts";
import { createRandom } from "../units/random.ts";
import { US_PER_MS } from "../units/time.ts";
import type { MarketType } from "../wire/channels.ts";
import { WS_PATH } from "../wire/limits.ts";
import type { Simulation } from "./exchange/schedule.ts";
import { type FaultContext, refuseRequest, refuseUpgrade } from "./faults/fault.ts";
import { createFeedContext, type FeedContext } from "./feeds/feed.ts";
import { Publisher } from "./feeds/publisher.ts";
import { type Present, simulateRecentPast } from "./past.ts";
import { createRouter } from "./rest/router.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { Connection } from "./server/connection.ts";
import { openServer } from "./server/server.ts";
import { createWorld } from "./world.ts";

/** Addresses and contents of the simulated service: the line that `monitor simulate` prints. */
export interface Announcement {
  readonly ws_url: string;
  readonly base_url: string;
  readonly markets: readonly { readonly type: MarketType; readonly id: number }[];
  /** The active subaccount; `address` is for the stream, `owner` for REST. */
  readonly account: {
    readonly address: string;
    readonly owner: string;
    readonly subaccount_id: number;
  };
}

export interface SimulatorOptions {
  /** Any integer. The same seed and scenario produce the same market. */
  readonly seed: number;
  readonly scenario: Scenario;
  /**
   * Minimum of past trades over all markets, and at least a minute of trading. Undefined: about 12,000 in three markets over
   * 120 days, thinning with age.
   */
  readonly history?: number | undefined;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Clock;
}

export interface Simulator {
  readonly announcement: Announcement;
  readonly context: FeedContext;
  close(): Promise<void>;
}

/** Limit of stored trades beyond the history: two hours of an ordinary market. */
const MAX_LIVE_TRADES = 200_000;
/** Recent trades if old trading already gives every chart a past: some minutes. */
const RECENT_TRADES = 5000;
const ACTIVE_SUBACCOUNT = 0;

/**
 * Creates the past, starts listening, and advances simulated time with the clock.
 * @throws {MonitorError} `port-in-use` or `listen-failed`
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { seed, scenario, history, clock, port } = options;
  const { readings, faults } = scenario;
  const recent = history ?? RECENT_TRADES;
  const world = createWorld(seed, scenario, recent + MAX_LIVE_TRADES, history === undefined);
  const { simulation, catalogue } = world;
  const { exchange } = simulation;
  const present = simulateRecentPast(world, recent, clock);

  const context = createFeedContext(world, readings, present.epochMs);
  const publisher = new Publisher(context);
  const sockets = new Set<Socket>();
  const stopTime = keepPace(clock, simulation, present, scenario.turn_ms, sockets);
  let contexts = 0;
  /** Faults have a random source of their own on each connection, so that they never change the market. */
  const faultContext = (): FaultContext => ({
    clock,
    random: createRandom(seed ^ Math.imul(++contexts, 0x9e3779b1)),
    elapsedMs: () => clock.now() - present.monotonicMs,
  });
  const ofRequests = faultContext();
  const ofUpgrades = faultContext();
  const stop = () => {
    stopTime();
    publisher.stop();
  };
  try {
    const server = await openServer(
      port,
      createRouter(context, (path) => refuseRequest(faults, ofRequests, path)),
      () => refuseUpgrade(faults, ofUpgrades),
      (webSocket, socket) => {
        sockets.add(socket);
        webSocket.on("close", () => sockets.delete(socket));
        const timestampNs = () => context.time.ns(simulation.nowUs);
        new Connection({ webSocket, publisher, faults, context: faultContext(), timestampNs });
      },
    );
    const { address, owner } = catalogue.owner;
    return {
      announcement: {
        ws_url: `ws://127.0.0.1:${server.port}${WS_PATH}`,
        base_url: `http://127.0.0.1:${server.port}${readings.rest_prefix}`,
        markets: exchange.markets.map(({ spec: { type, id } }) => ({ type, id })),
        account: { address, owner, subaccount_id: ACTIVE_SUBACCOUNT },
      },
      context,
      async close() {
        stop();
        await server.close();
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
}

/** Limit of acts in a turn: after a pause, time catches up in several turns, and sockets are served in between. */
const MAX_STEPS = 20_000;
/** Longest time between turns if nothing is due. */
const MAX_WAIT_MS = 1000;

/**
 * Keeps simulated time in step with the clock: each turn runs what is due, then schedules the next turn for the next act. The
 * clock determines only how far time advances, never what happens.
 * @param turnMs shortest time between two turns
 * @param sockets corked during a turn, so that its frames leave in few packets
 * @returns its stop function
 */
function keepPace(
  clock: Clock,
  simulation: Simulation,
  { monotonicMs, simulatedUs }: Present,
  turnMs: number,
  sockets: ReadonlySet<Socket>,
): () => void {
  const turn = () => {
    const dueUs = simulatedUs + Math.floor((clock.now() - monotonicMs) * US_PER_MS);
    for (const socket of sockets) socket.cork();
    const isDone = simulation.runUntil(dueUs, MAX_STEPS);
    for (const socket of sockets) socket.uncork();
    const waitMs = Math.ceil((simulation.nextUs - dueUs) / US_PER_MS);
    stop = isDone
      ? clock.after(Math.min(MAX_WAIT_MS, Math.max(turnMs, waitMs)), turn)
      : clock.soon(turn);
  };
  let stop = clock.after(turnMs, turn);
  return () => stop();
}
