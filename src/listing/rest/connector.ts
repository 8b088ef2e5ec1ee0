// How connections to a service are made: with a limit on the clock that everything else goes by.
import { Socket } from "node:net";
import { buildConnector } from "undici";
import type { Clock } from "../../units/clock.ts";

/** From the name of the host to the end of the TLS handshake. */
export const CONNECT_TIMEOUT_MS = 5000;

/**
 * Makes what connections are opened with. Never throws: what goes wrong comes to the callback of each connection.
 * @param late what a connection that is not made in time ends with
 */
export function createConnector(clock: Clock, late: Error): buildConnector.connector {
  // Certificates are checked whatever a variable of the environment says.
  const connect = buildConnector({ timeout: 0, rejectUnauthorized: true });
  return (options, callback) => {
    // The types leave out what it answers: the socket that is on its way.
    const socket: unknown = connect(options, (...outcome) => {
      cancel();
      callback(...outcome);
    });
    const cancel = clock.after(CONNECT_TIMEOUT_MS, () => {
      if (socket instanceof Socket) socket.destroy(late);
    });
  };
}
