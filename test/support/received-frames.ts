// The real socket against servers of a test: what is received, and how it ends.
import type { Server } from "node:http";
import type { Server as TcpServer } from "node:net";
import type { Socket } from "../../src/stream/socket.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import type { LinkFault } from "../../src/wire/stream-event.ts";
import { listen as listenOn } from "./listen.ts";

const servers: (Server | TcpServer)[] = [];

/** Answers the address at which a server listens now. */
export async function listen(server: Server | TcpServer): Promise<string> {
  servers.push(server);
  return `ws://127.0.0.1:${await listenOn(server)}/v1/ws`;
}

/** Ends every server that listens, with its connections. */
export function closeServers(): void {
  for (const server of servers.splice(0)) {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  }
}

/** What came before it ended, in order, and why it ended. */
export interface Received {
  readonly received: readonly string[];
  readonly fault: LinkFault;
}

/** Opens a socket, writes down what comes, and resolves when it has ended. */
export function open(url: string, onOpen: (socket: Socket) => void = () => {}): Promise<Received> {
  const received: string[] = [];
  return new Promise((resolve) => {
    const socket = createWsSocket({ url, headers: { "x-key": "secret" }, clock: systemClock })({
      onOpen: () => {
        received.push("open");
        onOpen(socket);
      },
      onMessage: (message) => received.push(message),
      onBinary: (length) => received.push(`binary ${length}`),
      onPong: () => received.push("pong"),
      onEnd: (fault) => resolve({ received, fault }),
    });
  });
}
