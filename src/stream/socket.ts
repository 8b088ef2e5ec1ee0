// The socket as the stream sees it. The real one is in ws-socket.ts; tests bring one of their own.
import type { LinkFault } from "../wire/stream-event.ts";

/** What a socket calls. After `onEnd` nothing else is called. */
export interface SocketHandlers {
  onOpen(): void;
  onMessage(message: string): void;
  /** A message that is no text: counted, never read. */
  onBinary(length: number): void;
  onPong(): void;
  /** The socket has ended or could not be opened; exactly once. */
  onEnd(fault: LinkFault): void;
}

/** One connection, from its handshake to its end. */
export interface Socket {
  send(message: string): void;
  ping(): void;
  /** Ends the connection at once, without a closing handshake. `onEnd` still follows. */
  terminate(): void;
}

/** Starts a connection. */
export type OpenSocket = (handlers: SocketHandlers) => Socket;
