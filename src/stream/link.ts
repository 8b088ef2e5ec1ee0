// What is known about the connection; plain data, part of the store.

/** `connecting`: handshake; `open`: frames can flow; `waiting`: the next attempt is scheduled; `closed`: by us, for good. */
export type LinkState = "connecting" | "open" | "waiting" | "closed";

/** Why a connection ended, or could not be opened. */
export interface LinkFault {
  /** What trying again may not mend; stable. */
  readonly code?: "unauthorized" | "not-websocket" | "proxy";
  /** May hold text of the service. */
  readonly detail: string;
  /** Of a close frame. */
  readonly closeCode?: number | undefined;
  /** HTTP status of a refused handshake, or of the proxy. */
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** Times are monotonic milliseconds. */
export interface Link {
  state: LinkState;
  /** Connections opened after the first one. */
  reconnects: number;
  /** When anything was last received. */
  aliveAtMs: number | undefined;
  /** Of the last answered ping. */
  roundTripMs: number | undefined;
  retryAtMs: number | undefined;
  /** From hello; undefined until it came on this connection. */
  protocolVersion: number | undefined;
  fault: LinkFault | undefined;
  /** Our monotonic clock less the service's times, by the quickest frame of the newest connection that had one. */
  offsetMs: number | undefined;
  /** How much later than the quickest frame the newest one came; more than some seconds means a queue on the way. */
  lagMs: number;
  isLate: boolean;
}

export function createLink(): Link {
  return {
    state: "connecting",
    reconnects: 0,
    aliveAtMs: undefined,
    roundTripMs: undefined,
    retryAtMs: undefined,
    protocolVersion: undefined,
    fault: undefined,
    offsetMs: undefined,
    lagMs: 0,
    isLate: false,
  };
}
