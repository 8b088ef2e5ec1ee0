// The socket as the connection needs it. The real one is in `ws-socket.ts`.
import type { LinkFault } from "./link.ts";

/** Nothing is called after `onEnd`. */
export interface SocketHandlers {
  onOpen(): void;
  onMessage(message: string): void;
  /** A binary message that is no text. */
  onBinary(length: number): void;
  onPong(): void;
  /** The socket has ended or could not be opened; called once. */
  onEnd(fault: LinkFault): void;
}

/** One connection, from its handshake to its end. */
export interface Socket {
  send(message: string): void;
  ping(): void;
  /** While held, nothing is read: what comes waits in the network. */
  hold(isHeld: boolean): void;
  /** Ends it at once, without a closing handshake; `onEnd` may follow. */
  terminate(): void;
}

export type OpenSocket = (handlers: SocketHandlers) => Socket;
