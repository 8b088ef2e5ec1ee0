// The service and what is known of it before anything is requested.
import type { Config } from "../config/config-file.ts";
import type { Listings } from "../config/settings.ts";
import type { AccountChoice } from "../select/account.ts";
import type { FillsOwner } from "../select/listing-rows.ts";
import type { EarlyStream } from "../stream/early-stream.ts";
import type { Recorder } from "../timeline/recorder.ts";

export interface Service extends Omit<Listings, "baseUrl"> {
  /** Of the WebSocket; empty where only the listings are known. */
  readonly url: string;
  readonly baseUrl?: string | undefined;
  /** Further names of fields of open records. */
  readonly fields?: Config["fields"];
  /** Further words of a status. */
  readonly words?: Config["words"];
  /** Whose fills can be listed. */
  readonly owner?: FillsOwner | undefined;
  /** The account that the simulated exchange shows. */
  readonly account?: AccountChoice | undefined;
  /** False: no second connection for audits. */
  readonly audit?: boolean | undefined;
  /** Background requests a second; 0 for none. */
  readonly restRate?: number | undefined;
  /** Opened already; without it a session opens its own. */
  readonly early?: EarlyStream | undefined;
  readonly recorder?: Recorder | undefined;
}
