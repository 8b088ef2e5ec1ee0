// Settings of a recording, as a test that does not care about them needs them.
import type { RecordingSettings } from "../../src/timeline/entry.ts";

export const SETTINGS: RecordingSettings = {
  program: "monitor test",
  command: "market",
  ws_url: "ws://127.0.0.1/v1/ws",
  base_url: null,
  headers: [],
  channels: [],
  interval: "1m",
  simulated: true,
  redacted: false,
  scales: {},
};
