// What the exam of the REST listings shows.
import type { Asked, RestExam } from "./examine-rest.ts";
import { count, type Finding, findingsOf, ms, type Verdict } from "./finding.ts";

const rest = findingsOf("rest");

/** @param exam undefined when the address of the listings is not known. Never throws. */
export function restFindings(exam: RestExam | undefined): readonly Finding[] {
  if (exam === undefined) return [rest("address", "unknown", "not looked at: no --base-url")];
  const { trades, liquidations, fills, missing, tooMany } = exam;
  const found = [prefixFinding(exam), listingFinding("trades", trades)];
  if (trades.records === undefined) return found;
  return [
    ...found,
    orderFinding(trades.records),
    cursorFinding(exam),
    listingFinding("liquidations", liquidations),
    listingFinding("fills", fills),
    statusFinding("missing", "a market that does not exist", missing),
    statusFinding("limit", "a page larger than allowed", tooMany),
  ];
}

function prefixFinding({ prefix, trades: { status, records } }: RestExam): Finding {
  if (prefix !== undefined) {
    return rest(
      "prefix",
      "fail",
      `nothing at --base-url, but under it at ${prefix}: add that to it`,
    );
  }
  if (records !== undefined) return rest("prefix", "ok", "the listings are where --base-url says");
  return status === 404
    ? rest(
        "prefix",
        "fail",
        "404, also under /v1: --base-url leads to no listings, or the market has none",
      )
    : rest("prefix", "unknown", "no page came");
}

function listingFinding(name: string, asked: Asked<unknown> | undefined): Finding {
  if (asked === undefined)
    return rest(name, "unknown", "not looked at: no owner's address in the trades");
  const { records, problem, drifts, tookMs } = asked;
  if (records === undefined) return rest(name, "fail", problem ?? "no page came");
  const fact = `${count(records.length, "record")} in ${ms(tookMs)}`;
  return drifts
    ? rest(name, "warn", `${fact}, with more than is described`)
    : rest(name, "ok", `${fact}, all as described`);
}

function orderFinding(records: readonly { readonly timestamp_ms: number }[]): Finding {
  const wrong = records.filter(
    (each, i) => i > 0 && each.timestamp_ms > (records[i - 1]?.timestamp_ms ?? 0),
  );
  if (records.length < 2)
    return rest("order", "unknown", `${count(records.length, "record")}: too few to tell`);
  return wrong.length === 0
    ? rest("order", "ok", `newest first, by timestamp_ms of ${records.length} records`)
    : rest(
        "order",
        "fail",
        `${wrong.length} of ${records.length} records are newer than the one before`,
      );
}

function cursorFinding({ cursor }: RestExam): Finding {
  if (cursor.length === 0)
    return rest("cursor", "unknown", "no record stands alone in its time and transaction");
  const fitting = cursor.filter(({ fits }) => fits).map(({ field }) => field);
  if (fitting.length > 0) return rest("cursor", "ok", `before goes by ${fitting.join(", or by ")}`);
  const tried = cursor.map(({ field, seen }) => `${field} brings ${seen}`).join(", ");
  return rest(
    "cursor",
    "warn",
    `no field of the records is the cursor (${tried}): export searches`,
  );
}

function statusFinding(name: string, what: string, asked: Asked<unknown> | undefined): Finding {
  const status = asked?.status;
  if (status === undefined)
    return rest(name, "unknown", `${what}: ${asked?.problem ?? "not looked at"}`);
  const page = asked?.records === undefined ? "" : `, ${count(asked.records.length, "record")}`;
  const verdict: Verdict = status < 500 ? "ok" : "warn";
  return rest(name, verdict, `${what}: status ${status}${page}`);
}
