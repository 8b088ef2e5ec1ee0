// The JSON forms that the program writes, by the names that `monitor schema` takes. Their schemas: print/json-schemas.ts.

export const JSON_FORMS = {
  live: "a market: --once, --for, a line a second, replay, each with --json",
  account: "an account: --once, --for, a line a second, replay, each with --json",
  trades: "monitor trades --json",
  fills: "monitor fills --json",
  liquidations: "monitor liquidations --json",
  tail: "a line of monitor tail: a frame of the service as received",
  events: "a line that monitor tail --events adds",
  "export-trades": "a line of monitor export trades --format ndjson",
  "export-fills": "a line of monitor export fills --format ndjson",
  "export-liquidations": "a line of monitor export liquidations --format ndjson",
  manifest: "the file of monitor export --manifest",
  doctor: "monitor doctor --json",
  recording: "a line of a recording, the first one too",
  alert: "what the exec of an alert reads on its standard input",
  log: "a line of the file that --log names",
  simulate: "the line of monitor simulate",
} as const;

export type JsonFormName = keyof typeof JSON_FORMS;
