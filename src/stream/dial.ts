// A connection that is dialled before anybody can take what it brings: its handshake goes on while the screen is loaded.
import type { OpenSocket, Socket, SocketHandlers } from "./socket.ts";

export interface Dialled {
  /** Answers the dialled connection to the first who asks, and what came meanwhile; opens others after that. */
  readonly openSocket: OpenSocket;
  /** Ends it where nobody has asked. */
  close(): void;
}

/** Starts a connection now. What it brings waits, in order, for the handlers of whoever opens a socket. */
export function dial(openSocket: OpenSocket): Dialled {
  const waiting: ((handlers: SocketHandlers) => void)[] = [];
  let taker: SocketHandlers | undefined;
  const pass = (call: (handlers: SocketHandlers) => void) => {
    if (taker === undefined) waiting.push(call);
    else call(taker);
  };
  const socket: Socket = openSocket({
    onOpen: () => pass((handlers) => handlers.onOpen()),
    onMessage: (message) => pass((handlers) => handlers.onMessage(message)),
    onBinary: (length) => pass((handlers) => handlers.onBinary(length)),
    onPong: () => pass((handlers) => handlers.onPong()),
    onEnd: (fault) => pass((handlers) => handlers.onEnd(fault)),
  });
  return {
    openSocket(handlers) {
      if (taker !== undefined) return openSocket(handlers);
      taker = handlers;
      // A socket calls nobody before whoever opens it has it.
      queueMicrotask(() => {
        for (const call of waiting.splice(0)) call(handlers);
      });
      return socket;
    },
    close() {
      if (taker === undefined) socket.terminate();
    },
  };
}
