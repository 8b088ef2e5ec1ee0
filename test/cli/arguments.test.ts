import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/arguments.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { helpText } from "../../src/cli/help.ts";
import { OPTIONS } from "../../src/cli/options.ts";
import { MonitorError } from "../../src/units/monitor-error.ts";
import { nearest } from "../../src/units/nearest.ts";

const parse = (line: string) => {
  const { command, args, options } = parseArguments(line.split(" ").filter(Boolean));
  return { command: command?.name, args, options };
};

const fault = (line: string) => {
  try {
    parse(line);
  } catch (error) {
    if (error instanceof MonitorError) return `${error.message} | ${error.advice}`;
    throw error;
  }
  return "no fault";
};

describe("command line", () => {
  test("takes the first word for a command, or for a market", () => {
    expect(parse("demo")).toMatchObject({ command: "demo", args: [] });
    expect(parse("demo spot/1")).toMatchObject({ command: "demo", args: ["spot/1"] });
    expect(parse("perp/1")).toMatchObject({ command: "", args: ["perp/1"] });
    expect(parse("tail bbo/perp/1 markets")).toMatchObject({ args: ["bbo/perp/1", "markets"] });
    expect(parse("")).toMatchObject({ command: undefined, args: [] });
  });

  test("keeps numbers as the text that they are", () => {
    expect(parse("007").args).toEqual(["007"]);
    expect(parse("12345678901234567890").args).toEqual(["12345678901234567890"]);
  });

  test("reads options anywhere, with a space or an equals sign", () => {
    const expected = { once: true, timeout: 2000, wsUrl: "ws://x" };
    expect(parse("--once 1 --timeout 2s --ws-url ws://x").options).toEqual(expected);
    expect(parse("1 --timeout=2s --ws-url=ws://x --once").options).toEqual(expected);
  });

  test("reads durations, counts and ports", () => {
    expect(parse("1 --for 1.5s").options).toEqual({ for: 1500 });
    expect(parse("simulate --port 0 --seed 11 --history 1000000").options).toEqual({
      port: 0,
      seed: 11,
      history: 1_000_000,
    });
  });

  test("collects what may be repeated, and refuses what may not", () => {
    const headers = parseArguments(["1", "--header", "a: 1", "--header", "b: 2, 3"]).options.header;
    expect(headers).toEqual(["a: 1", "b: 2, 3"]);
    expect(fault("1 --for 1s --for 2s")).toMatch(/^--for is given more than once/);
  });

  test("knows --no-color, -h and -V", () => {
    expect(parse("1 --no-color").options).toEqual({ noColor: true });
    expect(parse("-h").options).toEqual({ help: true });
    expect(parse("-V").options).toEqual({ version: true });
  });

  test("takes --no-json for its absence", () => {
    expect(parse("1 --no-json --once=false").options).toEqual({});
    expect(fault("1 --no-such")).toMatch(/^unknown option: --such/);
  });

  test("names what is wrong, and what was probably meant", () => {
    expect(fault("1 --onec")).toBe("unknown option: --onec | did you mean --once?");
    expect(fault("1 --colour")).toBe("unknown option: --colour | see monitor --help");
    expect(fault("dmo 1")).toBe("unknown command: dmo | did you mean monitor demo?");
    expect(fault("demo --ws-url ws://x")).toBe(
      "--ws-url has no meaning with demo | see monitor demo --help",
    );
    expect(fault("1 --port 1")).toBe("--port has no meaning with a market | see monitor --help");
    expect(fault("1 --for")).toContain("--for needs a value");
    expect(fault("export trades 1 -o")).toContain("--output needs a value");
    expect(fault("1 --for --once")).toContain("--for needs a value");
    expect(fault("1 --for soon")).toContain('--for cannot be "soon"');
    expect(fault("simulate --seed 1e5")).toContain('--seed cannot be "1e5"');
    expect(fault("tail")).toContain("tail needs an argument |");
    expect(fault("statement 0x12")).toContain("statement needs an argument after 0x12 |");
  });

  test("asks for no argument when it is asked for help", () => {
    expect(parse("tail --help").options).toEqual({ help: true });
  });

  test("takes help for a word that people try", () => {
    expect(parse("help")).toMatchObject({ command: undefined, options: { help: true } });
    expect(parse("help tail")).toMatchObject({
      command: "tail",
      options: { help: true },
    });
    expect(parse("help perp/1")).toMatchObject({ command: "", options: { help: true } });
  });

  test("has no help for a command that does not exist, and names the nearest", () => {
    expect(fault("help nope")).toBe("unknown command: nope | see monitor --help");
    expect(fault("help exprot")).toBe("unknown command: exprot | did you mean monitor export?");
  });
});

const inOneLine = (text: string) => text.replace(/\s+/g, " ");

describe("help", () => {
  test("names every command and its summary", () => {
    const text = helpText(undefined);
    for (const { name, summary } of COMMANDS) {
      expect(text).toContain(`monitor ${name}`.trimEnd());
      expect(inOneLine(text)).toContain(summary);
    }
  });

  test("has no line that is wider than the narrowest terminal that people use", () => {
    const lines = [undefined, ...COMMANDS].flatMap((command) => helpText(command).split("\n"));
    const wide = lines.filter((line) => line.length > 80);
    // A usage is not broken: it is there to be copied.
    expect(wide.every((line) => / export trades <market> \|/.test(line))).toBe(true);
  });

  test("of a command names each of its options, what it does and where else it can be given", () => {
    for (const command of COMMANDS) {
      const text = helpText(command);
      for (const key of command.options) {
        expect(text).toContain(`--${OPTIONS[key].name}`);
        expect(inOneLine(text)).toContain(OPTIONS[key].summary);
      }
    }
    expect(helpText(COMMANDS[0])).toContain("[MONITOR_WS_URL]");
  });
});

describe("the nearest known word", () => {
  test("is found for small mistakes only", () => {
    const words = ["demo", "tail", "simulate"];
    expect(nearest("dmeo", words)).toBe("demo");
    expect(nearest("simluate", words)).toBe("simulate");
    expect(nearest("taill", words)).toBe("tail");
    expect(nearest("export", words)).toBeUndefined();
  });
});
