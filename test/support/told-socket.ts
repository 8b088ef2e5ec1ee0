// The real socket against servers of a test: what it tells, and how it ends.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Server as TcpServer } from "node:net";
import type { Socket } from "../../src/stream/socket.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import type { LinkFault } from "../../src/wire/stream-event.ts";
import { realClock } from "./real-clock.ts";

const servers: (Server | TcpServer)[] = [];

/** Answers the address at which a server listens now. */
export async function listen(server: Server | TcpServer): Promise<string> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/ws`;
}

/** Ends every server that listens, with its connections. */
export function closeServers(): void {
  for (const server of servers.splice(0)) {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  }
}

/** What a socket told before it ended, in order, and why it ended. */
export interface Told {
  readonly told: readonly string[];
  readonly fault: LinkFault;
}

/** Opens a socket, writes down what it tells, and resolves when it has ended. */
export function open(url: string, onOpen: (socket: Socket) => void = () => {}): Promise<Told> {
  const told: string[] = [];
  return new Promise((resolve) => {
    const socket = createWsSocket({ url, headers: { "x-key": "secret" }, clock: realClock })({
      onOpen: () => {
        told.push("open");
        onOpen(socket);
      },
      onMessage: (message) => told.push(message),
      onBinary: (length) => told.push(`binary ${length}`),
      onPong: () => told.push("pong"),
      onEnd: (fault) => resolve({ told, fault }),
    });
  });
}
