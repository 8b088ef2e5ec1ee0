// Bad input of any kind: one clear line that names it, one line of advice, the right exit code, no stack.
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "../support/listen.ts";
import { runMonitor, runMonitorSettled } from "../support/monitor-inside.ts";
import { runMonitor as runProcess } from "../support/monitor-process.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import { forbiddenIn } from "../support/terminal/allowed-bytes.ts";

/** Anything but line feeds that a terminal may obey. */
const hasControls = (text: string) =>
  forbiddenIn(Buffer.from(text.replaceAll("\n", ""))).length > 0;

const folder = folderOfFile();
let webServer: Server;
let port = 0;

beforeAll(async () => {
  webServer = createServer((request, response) => {
    response.writeHead(request.url === "/guarded" ? 401 : 200).end("<html>hello</html>");
  });
  port = await listen(webServer);
});

afterAll(() => {
  webServer.close();
});

const ws = "ws://127.0.0.1:1";

const cases: [args: string, code: number, message: string][] = [
  ["", 2, "A live, read-only monitor of one exchange."],
  ["--bogus", 2, "monitor: unknown option: --bogus"],
  ["perp/1 --onec", 2, "monitor: unknown option: --onec"],
  ["dmeo extra", 2, "monitor: unknown command: dmeo"],
  ["acount", 2, "monitor: unknown market: acount\ndid you mean monitor account?"],
  ["perp/1 perp/2", 2, "monitor: unknown command: perp/1"],
  ["demo perp/1 perp/2", 2, "monitor: unexpected argument: perp/2"],
  [`foo/1 --ws-url ${ws}`, 2, "monitor: not a market: foo/1"],
  [`perp/x --ws-url ${ws}`, 2, "monitor: not a market: perp/x"],
  ["perp/1", 2, "monitor: no address of the service is known"],
  ["perp/1 --ws-url", 2, "monitor: --ws-url needs a value"],
  ["perp/1 --ws-url nonsense", 2, "monitor: --ws-url is not such an address: nonsense"],
  ["perp/1 --ws-url http://127.0.0.1", 2, "monitor: --ws-url is not such an address"],
  ["perp/1 --ws-url ws://example.com", 2, "monitor: --ws-url: ws: to example.com is not encrypted"],
  ["perp/1 --ws-url ws://u:p@127.0.0.1", 2, "monitor: --ws-url holds a name or a password"],
  [`perp/1 --ws-url ${ws} --ws-url ${ws}`, 2, "monitor: --ws-url is given more than once"],
  [`perp/1 --ws-url ${ws} --base-url ftp://x`, 2, "monitor: --base-url is not such an address"],
  [`perp/1 --ws-url ${ws} --header secret-value`, 2, "monitor: --header is not of its form"],
  [`perp/1 --ws-url ${ws} --profile none`, 2, "monitor: no such profile: none"],
  [`perp/1 --ws-url ${ws} --config /no/such/file`, 2, "monitor: the config file cannot be read"],
  [`perp/1 --ws-url ${ws} --for 5`, 2, 'monitor: --for cannot be "5"'],
  [`perp/1 --ws-url ${ws} --interval 2m`, 2, 'monitor: --interval cannot be "2m"'],
  [`perp/1 --ws-url ${ws} --once --for 5s`, 2, "monitor: --once and --for exclude each other"],
  ["help exprot", 2, "monitor: unknown command: exprot"],
  [`perp/1 --ws-url ${ws} --theme nope`, 2, 'monitor: --theme cannot be "nope"'],
  [`perp/1 --ws-url ${ws} --once --time-zone Mars/X`, 2, 'monitor: --time-zone cannot be "Mars/X"'],
  [`perp/1 --ws-url ${ws} --port 1`, 2, "monitor: --port has no meaning with a market"],
  ["tail orderbook/perp", 2, "monitor: not a channel: orderbook/perp"],
  ["tail", 2, "monitor: tail needs an argument"],
  ["simulate --port 70000", 2, 'monitor: --port cannot be "70000"'],
  ["simulate --scenario none", 2, 'monitor: no scenario "none"'],
  ["demo --once --scenario none", 2, 'monitor: no scenario "none"'],
];

describe.concurrent("bad input", () => {
  test.each(cases)("monitor %s ends with %i", async (args, code, message) => {
    const finished = await runMonitor(args.split(" ").filter(Boolean));
    expect(finished.stderr.startsWith(message)).toBe(true);
    expect(finished).toMatchObject({ code, stdout: "" });
    expect(finished.stderr).not.toMatch(/\n\s+at /);
    expect(finished.stderr).not.toContain("secret-value");
  });

  test.each([
    ["", "the service answered HTTP 200 instead of a WebSocket", "check --ws-url"],
    ["/guarded", "the service answered HTTP 401 instead of a WebSocket", "--header"],
  ])("a service that speaks HTTP at %j is named at once", async (path, message, advice) => {
    const args = ["perp/1", "--once", "--ws-url", `ws://127.0.0.1:${port}${path}`];
    const { code, stdout, stderr } = await runMonitor(args);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
    expect(stderr).toContain(advice);
  });

  test("a port in use is named", async () => {
    const args = ["simulate", "--port", String(port), "--history", "0"];
    const { code, stderr } = await runProcess(args);
    expect(code).toBe(1);
    expect(stderr).toContain(`${port}`);
    expect(stderr).toContain("choose another --port");
  });

  test("control characters of an argument do not reach the terminal", async () => {
    const { stderr } = await runMonitor(["tail", "bbo/perp/\u001b[2J"]);
    expect(stderr).toContain("\\x1b[2J");
    expect(stderr).not.toContain("\u001b");
  });

  const attack = "\u001b]52;c;aGFjaw==\u0007";
  test.each([
    ["MONITOR_WS_URL", 2],
    ["MONITOR_BASE_URL", 2],
    ["MONITOR_PROFILE", 2],
    ["MONITOR_HEADERS", 2],
    ["HTTP_PROXY", 2],
  ])("%s is named, and its control characters do not reach the terminal", async (name, code) => {
    const far = { MONITOR_WS_URL: "ws://a.example" };
    const args = ["perp/1", "--once", "--insecure"];
    const finished = await runMonitor(args, { env: { ...far, [name]: attack } });
    expect(finished.stderr).toContain(name === "MONITOR_PROFILE" ? "profile" : name);
    expect(finished).toMatchObject({ code, stdout: "" });
    expect(finished.stderr).toMatch(/^monitor: .*\n.*\n$/);
    expect(hasControls(finished.stderr)).toBe(false);
  });

  test.each([
    ["a key", '"\\u001b]52;c;aGFjaw==\\u0007" = 1'],
    ["a value", 'ws_url = "\\u001b]52;c;aGFjaw==\\u0007"'],
    ["a profile's name", '[profiles."\\u001b]52;c;aGFjaw==\\u0007"]\nwsurl = "x"'],
    ["a market's name", '[markets."\\u001b]52;c;aGFjaw==\\u0007"]\ntick_size = "0.01"'],
    ["raw bytes", `ws_url = "${attack}"`],
  ])("control characters in %s of the config file do not reach the terminal", async (_, text) => {
    const config = join(folder, `${text.length}.toml`);
    writeFileSync(config, `${text}\n`);
    const finished = await runMonitor(["perp/1", "--once", "--config", config]);
    expect(finished).toMatchObject({ code: 2, stdout: "" });
    expect(finished.stderr).toMatch(/^monitor: /);
    expect(hasControls(finished.stderr)).toBe(false);
  });

  test("--debug adds the stack", async () => {
    const { stderr } = await runMonitor(["tail", "nonsense", "--debug"]);
    expect(stderr).toMatch(/\n\s+at /);
  });
});

test("a connection that is refused is named when the time is up", async () => {
  const args = ["perp/1", "--once", "--timeout", "3s", "--ws-url", ws];
  const { code, stderr } = await runMonitorSettled(args);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^monitor: not complete: bbo, .*candles \(no connection: nobody listens at 127\.0\.0\.1:\d+\)$/m,
  );
  expect(stderr.trimEnd().split("\n").length).toBe(1);
});
