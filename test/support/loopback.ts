// Waits until everything that was sent over the loopback address in this process has arrived, whatever it is and
// whoever does not answer: it compares the bytes that each end wrote with those that the other end read.
import { channel } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** How often in a row nothing may be on its way before it is believed. */
const CALM_TURNS = 3;

/**
 * Far more than anything takes: a test that waits longer than this waits for what never comes. Some seconds, since the
 * kernel may hold back a connection whose window was full for a good part of one.
 */
const MAX_TURNS = 300_000;

const clients = new Set<Socket>();
const servers = new Map<number, Socket>();

/** Watches every socket that is opened from now on. Sockets that tests of before have left behind are forgotten. */
export function watchLoopback(): void {
  clients.clear();
  servers.clear();
  if (isWatching) return;
  isWatching = true;
  channel("net.client.socket").subscribe((message) => {
    const { socket } = message as { socket: Socket };
    clients.add(socket);
    socket.once("close", () => clients.delete(socket));
  });
  channel("net.server.socket").subscribe((message) => {
    const { socket } = message as { socket: Socket };
    const { remotePort } = socket;
    if (remotePort === undefined) return;
    servers.set(remotePort, socket);
    socket.once("close", () => {
      if (servers.get(remotePort) === socket) servers.delete(remotePort);
    });
  });
}
let isWatching = false;

/** Resolves when nothing is on its way any more. */
export async function settleLoopback(): Promise<void> {
  let turns = 0;
  for (let calm = 0; calm < CALM_TURNS; calm++) {
    if (isSomethingUnderWay()) calm = -1;
    if (++turns > MAX_TURNS) throw new Error(`never calm: ${JSON.stringify(describe())}`);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

function isSomethingUnderWay(): boolean {
  let paired = 0;
  for (const client of clients) {
    if (client.connecting || client.destroyed) return true;
    const server = servers.get(client.localPort ?? 0);
    if (server === undefined || server.destroyed) return true;
    paired++;
    if (client.bytesWritten !== server.bytesRead || server.bytesWritten !== client.bytesRead) {
      return true;
    }
  }
  return paired < servers.size;
}

function describe(): unknown {
  const facts = ({ connecting, destroyed, bytesRead, bytesWritten }: Socket) => ({
    connecting,
    destroyed,
    bytesRead,
    bytesWritten,
  });
  return {
    clients: [...clients].map((each) => [each.localPort, facts(each)]),
    servers: [...servers].map(([port, each]) => [port, facts(each)]),
  };
}
