// A service and its settings, known before anything is requested.
import type { Listings } from "../config/settings.ts";
import type { AccountChoice } from "../select/account.ts";
import type { EarlyStream } from "../stream/early-stream.ts";
import type { Recorder } from "../timeline/recorder.ts";
import type { FillsOwner } from "../wire/rest/own-fill.ts";

export interface Service extends Omit<Listings, "baseUrl"> {
  /** Of the WebSocket; empty if only the listings are known. */
  readonly url: string;
  readonly baseUrl?: string | undefined;
  /** Whose fills can be listed. */
  readonly owner?: FillsOwner | undefined;
  /** The account shown on the simulated exchange. */
  readonly account?: AccountChoice | undefined;
  /** False: no second connection for audits. */
  readonly audit?: boolean | undefined;
  /** Background requests per second; 0 for none. */
  readonly restRate?: number | undefined;
  /** Already opened; without it a session opens its own. */
  readonly early?: EarlyStream | undefined;
  readonly recorder?: Recorder | undefined;
}
