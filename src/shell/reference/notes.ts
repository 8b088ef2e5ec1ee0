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

/** Codes of errors, what has happened, and what helps; `http-` is followed by the status. */
export const ERRORS: readonly (readonly [code: string, meaning: string, advice: string])[] = [
  [
    "usage",
    "a word, an option or a key of the config file is not of its form",
    "the second line says which form it has",
  ],
  ["unreachable", "no connection, or no whole answer in time", "check the address and the network"],
  ["unauthorized", "the service wants to know who asks (401, 403)", "--header 'Name: value'"],
  [
    "not-websocket",
    "the address answers, but not with a WebSocket",
    "check --ws-url: the path of the interface is /v1/ws",
  ],
  [
    "no-markets",
    "a symbol cannot be looked up, because the list of markets did not come",
    "name the market by type and id",
  ],
  [
    "list-cut",
    "a symbol is not among the markets that are held, and the service lists more",
    "name the market by type and id",
  ],
  [
    "market-renamed",
    "the id of the market was given to another symbol while it was shown",
    "start again with the symbol",
  ],
  [
    "certificate",
    "the certificate of the service is not valid",
    "NODE_EXTRA_CA_CERTS names a private authority",
  ],
  ["tls", "the other side does not speak TLS as expected", "check --base-url: https: or http:"],
  [
    "redirect",
    "the address leads to another one; redirects are not followed",
    "give the right address",
  ],
  [
    "http-",
    "a REST request was answered by an error that lasts",
    "the first line of what the service said is shown",
  ],
  [
    "not-json",
    "a page for people, or something else than a listing, was answered",
    "check --base-url: it needs the service's prefix",
  ],
  ["bad-page", "a listing does not fit the interface", "monitor doctor says more"],
  [
    "foreign-row",
    "a listing holds rows of another market, market type or subaccount than was asked for",
    "the service is at fault: nothing of the listing is shown or written",
  ],
  [
    "bad-encoding",
    "an answer is no UTF-8, or encoded in a way that was not asked for",
    "report it to the service",
  ],
  [
    "cut-body",
    "answers end before their end, again and again",
    "try again later; an export goes on from where it was",
  ],
  ["too-large", "an answer is larger than any page of the interface", "check --base-url"],
  [
    "file",
    "the file of an export cannot be written",
    "make room or choose another file; the same command goes on",
  ],
  ["recording", "a recording cannot be written, or read as one", "the line or the reason is named"],
  ["no-scenario", "there is no scenario of that name", "the names are listed"],
  ["bad-scenario", "a file of a scenario is not of its form", "the place is named"],
  ["port-in-use", "another program listens on that port", "another --port, or 0 for a free one"],
  ["listen-failed", "the simulated exchange cannot listen", "another --port"],
];
