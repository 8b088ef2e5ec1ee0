// The simulated exchange: a real matching engine with simulated traders, behind the same stream and REST listings as the
// service. It listens on the loopback address only.
import { createRandom } from "../units/random.ts";
import { US_PER_MS } from "../units/time.ts";
import { WS_PATH } from "../wire/limits.ts";
import { Connection } from "./connection.ts";
import { openFault } from "./faults.ts";
import { openServer } from "./server.ts";
import { createWorld, type WorldSetup } from "./world.ts";

/** `port`: 0 for any free one. */
type SimulatorOptions = WorldSetup & { readonly port: number };

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;
/** Addresses and contents of the simulated service: the line that `monitor simulate` prints. */
export type Announcement = Simulator["announcement"];

/** Time of trading after the past, as fast as possible, so that books, positions and mark prices fill. */
const WARM_UP_MS = 3000;
/** Shortest time between two turns. */
const TURN_MS = 4;
/** Limit of acts in a turn: after a pause, time catches up in several turns, and sockets are served in between. */
const MAX_STEPS = 2000;

/**
 * Creates the past up to now, starts listening, and advances simulated time with the clock, which determines only how far time
 * advances, never what happens.
 * @throws {MonitorError} `port-in-use` or `listen-failed`; the signal's reason
 */
export async function startSimulator(options: SimulatorOptions) {
  const { seed, scenario, clock, port } = options;
  // What this takes is made up for by the first turns.
  const startMs = clock.now();
  const wallMs = Math.floor(clock.wall());
  const world = await createWorld(options, (wallMs - WARM_UP_MS) * US_PER_MS);
  const { exchange, catalogue } = world;
  exchange.runUntil(wallMs * US_PER_MS);

  const connections = new Set<Connection>();
  exchange.onTransaction = (index) => {
    for (const each of connections) each.publish(index);
  };
  const liveMs = clock.now();
  let contexts = 0;
  /** With a random source of their own on each connection, so that they never change the market. */
  const openFaults = () => {
    const random = createRandom(seed ^ Math.imul(++contexts, 0x9e3779b1));
    return scenario.faults.map((each) => openFault(each, random, () => clock.now() - liveMs));
  };
  const ofHttp = openFaults();
  const server = await openServer({
    port,
    world,
    refuse: (what, path) =>
      ofHttp.find((fault) => fault.effect[what] && fault.strikes(path))?.effect[what],
    onConnection: (webSocket) => {
      const connection = new Connection({ webSocket, world, faults: openFaults(), clock });
      connections.add(connection);
      webSocket.on("close", () => connections.delete(connection));
    },
  });
  /** Runs what is due, then schedules the next turn for the next act. */
  const turn = () => {
    const dueUs = (wallMs + Math.floor(clock.now() - startMs)) * US_PER_MS;
    // The frames of a turn leave in few packets.
    for (const socket of server.sockets) socket.cork();
    const isDone = exchange.runUntil(dueUs, MAX_STEPS);
    for (const socket of server.sockets) socket.uncork();
    const waitMs = Math.ceil((exchange.nextUs - dueUs) / US_PER_MS);
    stop = isDone ? clock.after(Math.max(TURN_MS, waitMs), turn) : clock.soon(turn);
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
