// Checks of the config file beyond its schema, contributed by the other folders; they run on settings that already fit the schema.
import { alertRule } from "../alerts/alert-run.ts";
import type { Config, ConfigFault, ConfigRule } from "../config/config-file.ts";
import { parseBaseUrl, parseHeaders, parseWsUrl } from "../config/settings.ts";
import { UsageError } from "../units/monitor-error.ts";
import { themeRule, zoneRule } from "./preferences.ts";

type Addresses = Pick<Config, "ws_url" | "base_url" | "headers">;

/** Their form only: whether an unencrypted address is allowed also depends on options. */
const addressRule: ConfigRule = (config) => [
  ...addressFaults(config, []),
  ...Object.entries(config.profiles ?? {}).flatMap(([name, profile]) =>
    addressFaults(profile, ["profiles", name]),
  ),
];

function addressFaults(
  { ws_url, base_url, headers = {} }: Addresses,
  path: readonly string[],
): readonly ConfigFault[] {
  const fault = (key: readonly string[], parse: () => unknown): readonly ConfigFault[] => {
    try {
      parse();
      return [];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { message, advice } = error;
      // The parser names the option.
      const text = message.replace(/^--[a-z-]+ (?:is )?/, "");
      const expected = advice?.replace("--header 'Name: value'", 'Name = "value"');
      return [{ path: [...path, ...key], message: [text, expected].filter(Boolean).join("; ") }];
    }
  };
  return [
    ...(ws_url === undefined ? [] : fault(["ws_url"], () => parseWsUrl(ws_url, true))),
    ...(base_url === undefined ? [] : fault(["base_url"], () => parseBaseUrl(base_url, true))),
    ...Object.entries(headers).flatMap(([name, value]) =>
      fault(["headers", name], () => parseHeaders([`${name}: ${value}`])),
    ),
  ];
}

export const CONFIG_RULES: readonly ConfigRule[] = [themeRule, zoneRule, addressRule, alertRule];
