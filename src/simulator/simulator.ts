// The simulated exchange: a real matching engine with simulated traders, behind the same stream and REST listings as the
// service. It listens on the loopback address only.
import type { Socket } from "node:net";
import type { Clock } from "../units/clock.ts";
import { createRandom } from "../units/random.ts";
import { US_PER_MS } from "../units/time.ts";
import type { MarketType } from "../wire/channels.ts";
import { WS_PATH } from "../wire/limits.ts";
import { Connection } from "./connection.ts";
import type { Schedule } from "./exchange/schedule.ts";
import { LiveFault } from "./faults.ts";
import { Publisher } from "./publisher.ts";
import type { Scenario } from "./scenario.ts";
import { openServer } from "./server.ts";
import { createWorld, type World } from "./world.ts";

/** Addresses and contents of the simulated service: the line that `monitor simulate` prints. */
export interface Announcement {
  readonly ws_url: string;
  readonly base_url: string;
  readonly markets: readonly { readonly type: MarketType; readonly id: number }[];
  /** The subaccount that quotes; `address` is for the stream, `owner` for REST. */
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
  /** The least number of past trades over all markets; undefined or less than some 40,000 in twenty markets: that many. */
  readonly history?: number | undefined;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Clock;
}

export interface Simulator {
  readonly announcement: Announcement;
  readonly world: World;
  close(): Promise<void>;
}

/** Time of trading after the past, as fast as possible, so that books, positions and mark prices fill. */
const WARM_UP_MS = 8000;

/**
 * Creates the past up to now, starts listening, and advances simulated time with the clock.
 * @throws {MonitorError} `port-in-use` or `listen-failed`
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { seed, scenario, history = 0, clock, port } = options;
  // What this takes is made up for by the first turns.
  const startMs = clock.now();
  const wallMs = Math.floor(clock.wall());
  const world = createWorld(seed, scenario, (wallMs - WARM_UP_MS) * US_PER_MS, history);
  const { exchange, schedule, catalogue } = world;
  schedule.runUntil(wallMs * US_PER_MS);

  const publisher = new Publisher(world);
  const sockets = new Set<Socket>();
  const nowUs = () => (wallMs + Math.floor(clock.now() - startMs)) * US_PER_MS;
  const stop = keepPace(clock, schedule, nowUs, sockets);
  const liveMs = clock.now();
  let contexts = 0;
  /** With a random source of their own on each connection, so that they never change the market. */
  const openFaults = () => {
    const random = createRandom(seed ^ Math.imul(++contexts, 0x9e3779b1));
    return scenario.faults.map((each) => new LiveFault(each, random, () => clock.now() - liveMs));
  };
  const ofHttp = openFaults();
  try {
    const server = await openServer({
      port,
      world,
      refuse: (what, path) =>
        ofHttp.find((fault) => fault.effect[what] && fault.strikes(path))?.effect[what],
      onConnection: (webSocket, socket) => {
        sockets.add(socket);
        webSocket.on("close", () => sockets.delete(socket));
        new Connection({ webSocket, publisher, faults: openFaults(), clock });
      },
    });
    const { address, owner } = catalogue.owner;
    return {
      announcement: {
        ws_url: `ws://127.0.0.1:${server.port}${WS_PATH}`,
        base_url: `http://127.0.0.1:${server.port}`,
        markets: exchange.markets.map(({ spec: { type, id } }) => ({ type, id })),
        account: { address, owner, subaccount_id: 0 },
      },
      world,
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

/** Shortest time between two turns. */
const TURN_MS = 4;
/** Limit of acts in a turn: after a pause, time catches up in several turns, and sockets are served in between. */
const MAX_STEPS = 2000;
/** Longest time between turns if nothing is due. */
const MAX_WAIT_MS = 1000;

/**
 * Keeps simulated time in step with the clock: each turn runs what is due, then schedules the next turn for the next act. The
 * clock determines only how far time advances, never what happens.
 * @param sockets corked during a turn, so that its frames leave in few packets
 * @returns its stop function
 */
function keepPace(
  clock: Clock,
  schedule: Schedule,
  nowUs: () => number,
  sockets: ReadonlySet<Socket>,
): () => void {
  const turn = () => {
    const dueUs = nowUs();
    for (const socket of sockets) socket.cork();
    const isDone = schedule.runUntil(dueUs, MAX_STEPS);
    for (const socket of sockets) socket.uncork();
    const waitMs = Math.ceil((schedule.nextUs - dueUs) / US_PER_MS);
    stop = isDone
      ? clock.after(Math.min(MAX_WAIT_MS, Math.max(TURN_MS, waitMs)), turn)
      : clock.soon(turn);
  };
  let stop = clock.after(TURN_MS, turn);
  return () => stop();
}
