// The simulated exchange: a real matching engine with simulated traders, behind the same stream and REST listings as the
// service. It listens on the loopback address only.
import { type Clock, pause } from "../units/clock.ts";
import { createRandom } from "../units/random.ts";
import { US_PER_MS } from "../units/time.ts";
import { WS_PATH } from "../wire/limits.ts";
import { Connection } from "./connection.ts";
import { LiveFault } from "./faults.ts";
import { Publisher } from "./publisher.ts";
import type { Scenario } from "./scenario.ts";
import { openServer } from "./server.ts";
import { createWorld } from "./world.ts";

export interface SimulatorOptions {
  /** Any integer. The same seed and scenario produce the same market. */
  readonly seed: number;
  readonly scenario: Scenario;
  /** The least number of past trades over all markets; undefined or less than some 40,000 in twenty markets: that many. */
  readonly history?: number | undefined;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Clock;
  /** Aborted when the exchange is no longer needed, maybe while it makes a long past. */
  readonly abandoned: AbortSignal;
}

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;
/** Addresses and contents of the simulated service: the line that `monitor simulate` prints. */
export type Announcement = Simulator["announcement"];

/** Time of trading after the past, as fast as possible, so that books, positions and mark prices fill. */
const WARM_UP_MS = 3000;
/** Shortest time between two turns. */
const TURN_MS = 4;
/** Limit of acts in a turn: after a pause, time catches up in several turns, and sockets are served in between. */
const MAX_STEPS = 2000;
/** Longest time between turns if nothing is due. */
const MAX_WAIT_MS = 1000;

/**
 * Creates the past up to now, starts listening, and advances simulated time with the clock, which determines only how far time
 * advances, never what happens.
 * @throws {MonitorError} `port-in-use` or `listen-failed`; the signal's reason
 */
export async function startSimulator(options: SimulatorOptions) {
  const { seed, scenario, history = 0, clock, port, abandoned } = options;
  // What this takes is made up for by the first turns.
  const startMs = clock.now();
  const wallMs = Math.floor(clock.wall());
  const startUs = (wallMs - WARM_UP_MS) * US_PER_MS;
  const rest = () => pause(clock, 0, abandoned);
  const world = await createWorld({ seed, scenario, startUs, history, rest });
  const { exchange, schedule, catalogue } = world;
  schedule.runUntil(wallMs * US_PER_MS);

  const publisher = new Publisher(world);
  const liveMs = clock.now();
  let contexts = 0;
  /** With a random source of their own on each connection, so that they never change the market. */
  const openFaults = () => {
    const random = createRandom(seed ^ Math.imul(++contexts, 0x9e3779b1));
    return scenario.faults.map((each) => new LiveFault(each, random, () => clock.now() - liveMs));
  };
  const ofHttp = openFaults();
  const server = await openServer({
    port,
    world,
    refuse: (what, path) =>
      ofHttp.find((fault) => fault.effect[what] && fault.strikes(path))?.effect[what],
    onConnection: (webSocket) => {
      new Connection({ webSocket, publisher, faults: openFaults(), clock });
    },
  });
  /** Runs what is due, then schedules the next turn for the next act. */
  const turn = () => {
    const dueUs = (wallMs + Math.floor(clock.now() - startMs)) * US_PER_MS;
    // The frames of a turn leave in few packets.
    for (const socket of server.sockets) socket.cork();
    const isDone = schedule.runUntil(dueUs, MAX_STEPS);
    for (const socket of server.sockets) socket.uncork();
    const waitMs = Math.ceil((schedule.nextUs - dueUs) / US_PER_MS);
    stop = isDone
      ? clock.after(Math.min(MAX_WAIT_MS, Math.max(TURN_MS, waitMs)), turn)
      : clock.soon(turn);
  };
  let stop = clock.after(TURN_MS, turn);
  const { address, owner } = catalogue.owner;
  return {
    announcement: {
      ws_url: `ws://127.0.0.1:${server.port}${WS_PATH}`,
      base_url: `http://127.0.0.1:${server.port}`,
      markets: exchange.markets.map(({ spec: { type, id } }) => ({ type, id })),
      /** The subaccount that quotes; `address` is for the stream, `owner` for REST. */
      account: { address, owner, subaccount_id: 0 },
    },
    world,
    async close() {
      stop();
      await server.close();
    },
  };
}
