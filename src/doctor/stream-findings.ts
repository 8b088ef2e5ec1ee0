// What the exam of the stream shows: connection, hello, ping, clock, channels and the answers to three questions.
import { ERROR_CODES, KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../wire/limits.ts";
import type { StreamExam } from "./examine-stream.ts";
import { count, type Finding, findingsOf, ms, type Verdict } from "./finding.ts";
import type { ChannelNotes } from "./wire-notes.ts";

const stream = findingsOf("stream");
const channel = findingsOf("channel");
/** More than this, and lag or a wrong clock is to be expected. */
const MAX_SKEW_MS = 2000;

/** Never throws. */
export function streamFindings(exam: StreamExam): readonly Finding[] {
  const upgrade = upgradeFinding(exam);
  if (exam.notes.openedAtMs === undefined) return [upgrade];
  return [
    upgrade,
    helloFinding(exam),
    versionFinding(exam),
    keepaliveFinding(exam),
    pingFinding(exam),
    clockFinding(exam),
    ...[...exam.notes.channels.values()].map(channelFinding),
    ...answerFindings(exam),
  ];
}

function upgradeFinding({ notes, link }: StreamExam): Finding {
  const { openedAtMs, startedAtMs = 0 } = notes;
  if (openedAtMs === undefined) {
    return stream("upgrade", "fail", link.fault?.detail ?? "no answer to the handshake");
  }
  return stream("upgrade", "ok", `WebSocket after ${ms(openedAtMs - startedAtMs)}`);
}

function helloFinding({ notes }: StreamExam): Finding {
  const { helloAtMs, openedAtMs = 0, firstCommandAtMs } = notes;
  if (helloAtMs === undefined) return stream("hello", "warn", "did not come while it was watched");
  const after = ms(helloAtMs - openedAtMs);
  const isFirst = firstCommandAtMs === undefined || helloAtMs <= firstCommandAtMs;
  return isFirst
    ? stream("hello", "ok", `${after} after the connection, before any command`)
    : stream("hello", "warn", `${after} after the connection, later than the first command`);
}

function versionFinding({ link: { protocolVersion } }: StreamExam): Finding {
  if (protocolVersion === undefined) return stream("version", "unknown", "no hello");
  const isOurs = protocolVersion === PROTOCOL_VERSION;
  const fact = isOurs
    ? `${protocolVersion}`
    : `${protocolVersion}, not ${PROTOCOL_VERSION}: data may be misread`;
  return stream("version", isOurs ? "ok" : "warn", fact);
}

function keepaliveFinding({ notes: { keepaliveTimeoutMs } }: StreamExam): Finding {
  if (keepaliveTimeoutMs === undefined) return stream("keepalive", "unknown", "no hello");
  const isOurs = keepaliveTimeoutMs === KEEPALIVE_TIMEOUT_MS;
  return stream(
    "keepalive",
    isOurs ? "ok" : "warn",
    `a frame every ${keepaliveTimeoutMs} ms at least`,
  );
}

function pingFinding({ link: { roundTripMs } }: StreamExam): Finding {
  if (roundTripMs === undefined) return stream("ping", "fail", "no pong came");
  return stream("ping", "ok", `round trip ${ms(roundTripMs)}`);
}

function clockFinding({ link: { skewMs } }: StreamExam): Finding {
  if (skewMs === undefined) return stream("clock", "unknown", "no stamp to compare with");
  const fact = `our clock less the service's stamps: ${Math.round(skewMs)} ms`;
  return stream("clock", Math.abs(skewMs) <= MAX_SKEW_MS ? "ok" : "warn", fact);
}

function channelFinding(notes: ChannelNotes): Finding {
  const { kind, frames, refusal, firstAtMs = 0, askedAtMs = 0, rejected, rejection } = notes;
  if (refusal !== undefined) return channel(kind, "warn", `refused, ${refusal}`);
  if (rejected > 0) {
    const { path = "", detail = "" } = rejection ?? {};
    const fact = `${count(rejected, "frame")} of another form, first: ${path}: ${detail}`;
    return channel(kind, "fail", fact);
  }
  if (frames === 0) return channel(kind, "unknown", "no frame came while it was watched");
  const heard = `first frame after ${ms(firstAtMs - askedAtMs)}, ${count(frames, "frame")}`;
  if (notes.drifts === 0) return channel(kind, "ok", `${heard}, all as described`);
  const { path = "", detail = "" } = notes.drift ?? {};
  const example =
    notes.drift === undefined ? "" : `, first: ${path === "" ? "" : `${path}: `}${detail}`;
  return channel(kind, "warn", `${heard}, ${notes.drifts} with more than is described${example}`);
}

function answerFindings({ link, duplicate, missing, unsubscribed }: StreamExam): Finding[] {
  if (link.state !== "open") return [];
  const { duplicateSubscription, unknownResource } = ERROR_CODES;
  const worded = (answer: typeof duplicate) =>
    answer === undefined
      ? "nothing answered"
      : answer.type === "error"
        ? `error ${answer.code}: ${answer.message}`
        : answer.type;
  const verdict = (code: number | undefined, expected: number): Verdict =>
    code === expected ? "ok" : "warn";
  return [
    stream(
      "duplicate",
      verdict(duplicate?.code, duplicateSubscription),
      `a second subscribe: ${worded(duplicate)}`,
    ),
    stream(
      "missing",
      verdict(missing?.code, unknownResource),
      `a market that does not exist: ${worded(missing)}`,
    ),
    stream(
      "unsubscribe",
      unsubscribed?.type === "unsubscribed" ? "ok" : "warn",
      `an unsubscribe: ${worded(unsubscribed)}`,
    ),
  ];
}
