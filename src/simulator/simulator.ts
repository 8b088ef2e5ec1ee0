// The simulated exchange: a real matching engine with simulated people, behind the same stream and REST
// listings as the service. It listens on the loopback address only.

import type { Clock } from "../units/clock.ts";
import { createRandom } from "../units/random.ts";
import type { MarketType } from "../wire/channels.ts";
import { WS_PATH } from "../wire/limits.ts";
import type { FaultName } from "./faults/fault-kinds.ts";
import { createRestFaults, createUpgradeFaults, type StageContext } from "./faults/fault-stage.ts";
import type { FeedContext } from "./feeds/feed.ts";
import { Publisher } from "./feeds/publisher.ts";
import { StreamScale, WallTime } from "./feeds/text.ts";
import { createLedger, type Ledger } from "./ledger/ledger.ts";
import { makePast, Pacemaker, type Present } from "./pace.ts";
import { createRouter } from "./rest/router.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { Connection } from "./server/connection.ts";
import { openServer } from "./server/server.ts";
import { createWorld, type World } from "./world.ts";

/** Where the simulated service is and what is there: the line that `monitor simulate` prints. */
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

/** What a simulator is made from. */
export interface SimulatorOptions {
  /** Any integer. The same seed and scenario make the same market. */
  readonly seed: number;
  /** From loadScenario. */
  readonly scenario: Scenario;
  /** Trades over all markets that were made before the start, at least; a minute of trading in any case. */
  readonly history: number;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Clock;
  /** Told each time that a fault strikes. */
  readonly onFault?: (kind: FaultName) => void;
}

/** A simulated exchange that listens, until `close`. */
export interface Simulator {
  readonly announcement: Announcement;
  /** The truth, for tests. */
  readonly ledger: Ledger;
  /** Cuts all connections, stops time and listening. */
  close(): Promise<void>;
}

/** Trades that are kept beyond the history: hours of a busy market, about 40 MB. */
const MAX_LIVE_TRADES = 1_000_000;
const ACTIVE_SUBACCOUNT = 0;

/**
 * Makes the past, starts to listen, and lets time pass with the clock.
 * @throws {SimulatorError} `port-in-use` or `listen-failed`
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { seed, scenario, history, clock, port } = options;
  const world = createWorld({ seed, scenario, maxTrades: history + MAX_LIVE_TRADES });
  const { simulation } = world;
  const present = makePast(simulation, history, clock);
  for (const market of simulation.exchange.markets) market.goLive(present.epochMs);
  const live = goLive(world, present, options);
  try {
    const server = await openServer({ port, ...live.handlers });
    return {
      announcement: announce(world, scenario, server.port),
      ledger: createLedger(live.context, world),
      async close() {
        live.stop();
        await server.close();
      },
    };
  } catch (error) {
    live.stop();
    throw error;
  }
}

function announce(
  { simulation, catalogue }: World,
  { readings }: Scenario,
  port: number,
): Announcement {
  const { address, owner } = catalogue.owner;
  return {
    ws_url: `ws://127.0.0.1:${port}${WS_PATH}`,
    base_url: `http://127.0.0.1:${port}${readings.rest_prefix}`,
    markets: simulation.exchange.markets.map(({ spec: { type, id } }) => ({ type, id })),
    account: { address, owner, subaccount_id: ACTIVE_SUBACCOUNT },
  };
}

/** Everything that runs while the simulator is live, apart from the server. */
function goLive(
  world: World,
  present: Present,
  { seed, scenario, clock, onFault }: SimulatorOptions,
) {
  const { simulation, catalogue, liquidator } = world;
  const time = new WallTime(present.epochMs);
  const { exchange } = simulation;
  const { readings, faults } = scenario;
  const scale = new StreamScale(readings);
  const context: FeedContext = { exchange, catalogue, readings, scale, time };
  const publisher = new Publisher(context);
  const connections = new Set<Connection>();
  const pacemaker = new Pacemaker({
    clock,
    simulation,
    present,
    turnMs: scenario.turn_ms,
    onBegin: () => {
      for (const connection of connections) connection.cork();
    },
    onEnd: () => {
      for (const connection of connections) connection.uncork();
    },
  });
  let streams = 0;
  /** Faults have luck of their own, for each connection: they never change the market. */
  const faultContext = (): StageContext => ({
    clock,
    readings,
    onStrike: (kind) => onFault?.(kind),
    random: createRandom(seed ^ Math.imul(++streams, 0x9e3779b1)),
    elapsedMs: () => pacemaker.elapsedMs,
  });
  return {
    context,
    handlers: {
      onRequest: createRouter(
        { exchange, time, liquidator, readings },
        createRestFaults(faults, faultContext()),
        clock,
      ),
      upgradeTrouble: createUpgradeFaults(faults, faultContext()),
      onConnection: (webSocket, socket) => {
        connections.add(
          new Connection({
            webSocket,
            socket,
            publisher,
            scenario,
            faults: faultContext(),
            timestampNs: () => time.ns(simulation.nowUs),
            onClose: (connection) => connections.delete(connection),
          }),
        );
      },
    } satisfies Pick<
      Parameters<typeof openServer>[0],
      "onRequest" | "onConnection" | "upgradeTrouble"
    >,
    stop() {
      pacemaker.stop();
      publisher.stop();
    },
  };
}
