// The socket interface used by the stream. The real one is in ws-socket.ts; tests provide their own.
import type { LinkFault } from "../wire/stream-event.ts";

/** Callbacks of a socket. Nothing is called after `onEnd`. */
export interface SocketHandlers {
  onOpen(): void;
  onMessage(message: string): void;
  /** A binary message that is not text: counted, never read. */
  onBinary(length: number): void;
  onPong(): void;
  /** The socket has ended or could not be opened; called exactly once. */
  onEnd(fault: LinkFault): void;
}

/** One connection, from its handshake to its end. */
export interface Socket {
  send(message: string): void;
  ping(): void;
  /** Ends the connection at once, without a closing handshake. `onEnd` still follows. */
  terminate(): void;
}

export type OpenSocket = (handlers: SocketHandlers) => Socket;
