// Where the service is, and what is known of it before anything is asked.

import type { Config } from "../config/config-file.ts";
import type { Listings } from "../config/settings.ts";
import type { AccountChoice } from "../select/account.ts";
import type { FillsOwner } from "../select/listing-rows.ts";
import type { EarlyStream } from "../stream/early-stream.ts";
import type { Recorder } from "../timeline/recorder.ts";

export interface Service extends Omit<Listings, "baseUrl"> {
  /** Address of the WebSocket; empty where only the listings are known. */
  readonly url: string;
  /** Root of the REST listings; undefined when it is not known. */
  readonly baseUrl?: string | undefined;
  /** Further names of what fields of its open records mean. */
  readonly fields?: Config["fields"];
  /** Further words of a status. */
  readonly words?: Config["words"];
  /** Whose fills can be listed; undefined when nobody has said. */
  readonly owner?: FillsOwner | undefined;
  /** An account that the service itself shows around: that of the simulated exchange. */
  readonly account?: AccountChoice | undefined;
  /** False where no second connection may compare what is held with snapshots. */
  readonly audit?: boolean | undefined;
  /** Requests a second that may be made in the background; 0 for none, undefined for as many as usual. */
  readonly restRate?: number | undefined;
  /** Has been opened already; without it a session opens its own. */
  readonly early?: EarlyStream | undefined;
  /** Writes down what goes over the wire; undefined when nothing is to be recorded. */
  readonly recorder?: Recorder | undefined;
}
