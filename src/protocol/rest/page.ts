// A page of a REST listing (sections 4.2 to 4.4): a JSON array of records, newest first.
import { isDeepText, parseJson } from "../json.ts";
import { type Rejection, reject } from "../rejection.ts";
import type { Schema } from "../schema.ts";

/** What became of one response body. */
export type Page<T> =
  | { readonly ok: true; readonly records: readonly T[]; readonly drifts: boolean }
  | { readonly ok: false; readonly rejection: Rejection };

export function decodePage<T>(
  schema: Schema<readonly T[]>,
  body: string,
  isStrict: boolean,
): Page<T> {
  if (isDeepText(body)) {
    return { ok: false, rejection: reject(body, "too-deep", "nested too deep") };
  }
  const value = parseJson(body);
  if (value === undefined) {
    return { ok: false, rejection: reject(body, "not-json", "the body is not JSON") };
  }
  const fit = schema.check(value, isStrict);
  if (fit.ok) return { ok: true, records: fit.value, drifts: fit.drifts };
  return { ok: false, rejection: reject(body, "wrong-shape", fit.detail, { path: fit.path }) };
}
