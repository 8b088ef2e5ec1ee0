// Which faults of the connection end a command, and how they are worded.

import { ServiceError } from "../units/monitor-error.ts";
import { PROTOCOL_VERSION } from "../wire/limits.ts";
import type { Link, StreamEvent } from "../wire/stream-event.ts";

/** Faults that trying again does not mend, when the very first connection meets them, and what to do. */
const FINAL: Readonly<Record<string, string>> = {
  unauthorized: "credentials go with --header 'Name: value'",
  "not-websocket": "check --ws-url: the path of the interface is /v1/ws",
};

/** Handshake answers that may well change: too many requests, and faults of the service itself. */
function isPassing(status: number | undefined): boolean {
  return status !== undefined && (status === 408 || status === 429 || status >= 500);
}

/** The error to end with when a link that has never been open cannot be expected to open. */
export function firstConnectionFault(link: Link, hasBeenOpen: boolean): ServiceError | undefined {
  const { fault, state } = link;
  if (hasBeenOpen || state !== "waiting" || fault === undefined) return undefined;
  const advice = FINAL[fault.code];
  if (advice === undefined || isPassing(fault.status)) return undefined;
  return new ServiceError(fault.code, `no connection: ${fault.detail}`, { advice });
}

/** @throws {ServiceError} when there has been no connection all the time */
export function checkReached({ state, reconnects, aliveAtMs, fault }: Link): void {
  if (state === "open" || reconnects > 0 || aliveAtMs !== undefined) return;
  throw new ServiceError("unreachable", `no connection: ${fault?.detail ?? "no answer"}`, {
    advice: "check --ws-url",
  });
}

/** A line for the user when the service speaks another version of the interface; undefined otherwise. */
export function versionNotice(event: StreamEvent): string | undefined {
  if (event.type !== "link") return undefined;
  const { protocolVersion } = event.link;
  if (protocolVersion === undefined || protocolVersion === PROTOCOL_VERSION) return undefined;
  return `the service speaks protocol version ${protocolVersion}, not ${PROTOCOL_VERSION}: its data may be misread`;
}
