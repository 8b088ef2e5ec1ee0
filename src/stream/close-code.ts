// What a WebSocket's close code says, in the words of RFC 6455 (section 7.4.1) and its registry; never what the
// service meant.

/** Names of codes that a close frame can carry. */
const NAMES: Readonly<Record<number, string>> = {
  1000: "normal closure",
  1001: "going away",
  1002: "protocol error",
  1003: "unsupported data",
  1007: "invalid frame payload data",
  1008: "policy violation",
  1009: "message too big",
  1010: "mandatory extension",
  1011: "internal server error",
  1012: "service restart",
  1013: "try again later",
  1014: "bad gateway",
};

/** Codes that no frame carries: they say what was missing at the end. */
const ABSENCES: Readonly<Record<number, string>> = {
  1005: "closed by the service without a code (1005)",
  1006: "the connection ended without a close frame (1006)",
};

/**
 * How a connection ended, on one line but for what the service itself wrote: its reason is data, unchanged. A code without a
 * common name, such as those of 3000 to 4999, stands alone. The interface names none of them:
 * docs/adr/0008. Never throws.
 */
export function closingText(code: number, reason: string): string {
  const name = NAMES[code];
  const how =
    ABSENCES[code] ??
    `closed by the service with code ${code}${name === undefined ? "" : ` (${name})`}`;
  return reason === "" ? how : `${how}: ${reason}`;
}
