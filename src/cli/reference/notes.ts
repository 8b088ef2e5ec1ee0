// What the reference says beside the tables of commands, options and keys.

/** Exit codes and what they mean. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "done, or left by the user"],
  ["1", "the service, the network or a file failed"],
  ["2", "wrong use: the message names the option or the key and its form"],
  ["3", "an export or a check ended, but is not proven complete"],
  ["130, 143", "after SIGINT or SIGTERM, when the command had not finished"],
];

/** Files that are read and written. */
export const FILES: readonly (readonly [file: string, meaning: string])[] = [
  [
    "config.toml",
    "in the platform's config folder (monitor config path says where); monitor config print writes one with every key",
  ],
];
