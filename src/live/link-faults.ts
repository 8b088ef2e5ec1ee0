// Decides which connection faults end a command, with their messages.
import { ServiceError } from "../units/monitor-error.ts";
import { PROTOCOL_VERSION } from "../wire/limits.ts";
import type { Link, StreamEvent } from "../wire/stream-event.ts";

/** Faults of the first connection that retrying does not fix, with advice. */
const FINAL: Readonly<Record<string, string>> = {
  unauthorized: "credentials go with --header 'Name: value'",
  "not-websocket": "check --ws-url: the path of the interface is /v1/ws",
};

/** HTTP statuses that may be temporary. */
function isTransient(status: number | undefined): boolean {
  return status !== undefined && (status === 408 || status === 429 || status >= 500);
}

export function firstConnectionFault(link: Link, hasBeenOpen: boolean): ServiceError | undefined {
  const { fault, state } = link;
  if (hasBeenOpen || state !== "waiting" || fault === undefined) return undefined;
  const advice = FINAL[fault.code];
  if (advice === undefined || isTransient(fault.status)) return undefined;
  return new ServiceError(fault.code, `no connection: ${fault.detail}`, { advice });
}

/** @throws {ServiceError} when there was never a connection */
export function checkReached({ state, reconnects, aliveAtMs, fault }: Link): void {
  if (state === "open" || reconnects > 0 || aliveAtMs !== undefined) return;
  throw new ServiceError("unreachable", `no connection: ${fault?.detail ?? "no answer"}`, {
    advice: "check --ws-url",
  });
}

/** Undefined unless the service uses another version of the interface. */
export function versionNotice(event: StreamEvent): string | undefined {
  if (event.type !== "link") return undefined;
  const { protocolVersion } = event.link;
  if (protocolVersion === undefined || protocolVersion === PROTOCOL_VERSION) return undefined;
  return `the service speaks protocol version ${protocolVersion}, not ${PROTOCOL_VERSION}: its data may be misread`;
}
