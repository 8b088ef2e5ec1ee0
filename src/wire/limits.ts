// The numbers of the interface: limits (section 8), version (section 9), error codes (section 7); and limits of our own.

/** protocol_version in hello that this program was written for (6.1, 9). */
export const PROTOCOL_VERSION = 1;
/** The client sends a frame at least this often (4.1, 8). */
export const KEEPALIVE_TIMEOUT_MS = 120_000;
/** REST page size by default, and its maximum (4.2 to 4.4, 8). */
export const DEFAULT_PAGE_LIMIT = 100;
export const MAX_PAGE_LIMIT = 1000;
/** Path of the WebSocket, with the major version in it (4.1, 9). */
export const WS_PATH = "/v1/ws";

/** Error codes of the stream (7). Other codes may occur; they are kept as numbers. */
export const ERROR_CODES = {
  invalid: 400,
  unknownResource: 404,
  duplicateSubscription: 409,
  streamUnavailable: 503,
} as const;

/** Maximum characters of a decimal; longer ones are rejected. */
export const MAX_DECIMAL_LENGTH = 60;
