// The terminal is given back whatever happens: once, whole, and before anybody is notified.
import { beforeEach, describe, expect, test } from "vitest";
import { Session, type SessionEnd } from "../../../src/terminal/session/session.ts";
import { FakeProcess } from "../../support/terminal/fake-process.ts";
import { FakeStdin, FakeStdout, systemError } from "../../support/terminal/fake-streams.ts";

const ENTER = "^[?1049h^[?25l^[?2004h^[m";
const ENTER_WITH_MOUSE = "^[?1049h^[?25l^[?2004h^[?1002h^[?1006h^[m";
const RESTORE = "^[?2026l^[m^[?1006l^[?1002l^[?2004l^[?25h^[m^[H^[2J^[?1049l";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

let process: FakeProcess;
let stdin: FakeStdin;
let stdout: FakeStdout;
/** What happened, in order: writes (ESC as ^), raw modes, calls back. */
let events: string[];
let ends: SessionEnd[];
let writeError: Error | undefined;

beforeEach(() => {
  process = new FakeProcess();
  stdin = new FakeStdin();
  stdout = new FakeStdout(80, 24);
  events = [];
  ends = [];
  writeError = undefined;
});

function createSession({ mouse = false, hasTitle = false } = {}): Session {
  return new Session({
    process,
    stdin: {
      on: (event, listener) => stdin.on(event, listener),
      off: (event, listener) => stdin.off(event, listener),
      setRawMode: (isRaw) => events.push(isRaw ? "raw" : "cooked"),
    },
    stdout,
    writeSync: (text) => {
      events.push(text.replaceAll("\u001b", "^"));
      if (writeError !== undefined) throw writeError;
    },
    mouse,
    hasTitle,
    onLeave: () => events.push("leave"),
    onReturn: () => events.push("return"),
    onEnd: (end) => {
      events.push("end");
      ends.push(end);
    },
  });
}

function enteredSession(): Session {
  const session = createSession();
  session.enter();
  events.splice(0);
  return session;
}

const RESTORED = ["leave", RESTORE, "cooked", "end"];

describe("a session", () => {
  test("keeps the title of the window on the terminal's stack, and gives it back", () => {
    const session = createSession({ hasTitle: true });
    session.enter();
    expect(events[1]).toContain("^[22;2t");
    session.close();
    expect(events.join()).toContain("^]2;\u0007^[23;2t^[m^[H^[2J^[?1049l");
  });

  test("registers what restores the terminal before it takes it", () => {
    const session = createSession();
    stdin.on("newListener", () => {});
    const listening: string[] = [];
    process.on("newListener", (event: string) =>
      listening.push(`${event} before ${events.length}`),
    );
    session.enter();
    expect(listening).toContain("SIGTERM before 0");
    expect(listening).toContain("exit before 0");
    expect(listening.every((entry) => entry.endsWith(" before 0"))).toBe(true);
    expect(events).toEqual(["raw", ENTER]);
  });

  test("takes the mouse only when it is asked to, and gives it back in any case", () => {
    createSession({ mouse: true }).enter();
    expect(events).toEqual(["raw", ENTER_WITH_MOUSE]);
    enteredSession().close();
    expect(events).toEqual(RESTORED);
  });

  test("works with an input that has no raw mode", () => {
    const session = new Session({
      process,
      stdin: new FakeStdout(1, 1),
      stdout,
      writeSync: (text) => events.push(text.replaceAll("\u001b", "^")),
      mouse: false,
      onLeave: () => {},
      onReturn: () => {},
      onEnd: () => {},
    });
    session.enter();
    session.close();
    expect(events).toEqual([ENTER, RESTORE]);
  });
});

describe("every end restores the terminal first, and is reported once", () => {
  const failure = new Error("failure");
  const endings: readonly (readonly [string, (session: Session) => void, SessionEnd])[] = [
    ["the normal end", (session) => session.close(), { kind: "closed" }],
    ...SIGNALS.map(
      (signal) => [signal, () => process.emit(signal), { kind: "signal", signal }] as const,
    ),
    [
      "an error that nobody caught",
      () => process.emit("uncaughtException", failure),
      { kind: "failed", error: failure },
    ],
    [
      "a rejection that nobody caught",
      () => process.emit("unhandledRejection", failure),
      { kind: "failed", error: failure },
    ],
    ["an error of the app", (session) => session.fail(failure), { kind: "failed", error: failure }],
    [
      "an error of the output",
      () => stdout.emit("error", failure),
      { kind: "lost", cause: failure },
    ],
    ["an error of the input", () => stdin.emit("error", failure), { kind: "lost", cause: failure }],
    ["the end of the input", () => stdin.emit("end"), { kind: "lost", cause: "input ended" }],
    ["a write that failed", (session) => session.lose(failure), { kind: "lost", cause: failure }],
  ];

  test.each(endings)("%s", (_, cause, end) => {
    const session = enteredSession();
    cause(session);
    expect(events).toEqual(RESTORED);
    expect(ends).toEqual([end]);
    for (const [, again] of endings) if (!isCrash(again)) again(session);
    expect(events).toEqual(RESTORED);
  });

  // Without our listeners these would end a real process, and the test's emitter throws.
  const isCrash = (cause: unknown) => String(cause).includes("xception");

  test("leaves nothing listening but what keeps a broken stream from ending the process", async () => {
    enteredSession().close();
    await Promise.resolve();
    expect(process.eventNames()).toEqual([]);
    expect(stdin.eventNames()).toEqual(["error"]);
    expect(stdout.eventNames()).toEqual(["error"]);
    stdout.emit("error", systemError("EPIPE"));
    stdin.emit("error", systemError("EIO"));
    expect(ends.length).toBe(1);
  });

  test("still counts as a listener for whoever receives the signal after it", () => {
    enteredSession();
    let listeners = 0;
    process.on("SIGTERM", () => {
      listeners = process.listenerCount("SIGTERM");
    });
    process.emit("SIGTERM");
    expect(listeners).toBe(2);
  });

  test("when the process exits by itself the terminal is restored, and nothing is reported", () => {
    const session = enteredSession();
    process.emit("exit", 0);
    expect(events).toEqual(["leave", RESTORE, "cooked"]);
    session.close();
    expect(events).toEqual(["leave", RESTORE, "cooked", "end"]);
  });

  test("a terminal that cannot be written to is left as well, without an error", () => {
    const session = enteredSession();
    writeError = systemError("EIO");
    session.close();
    expect(events).toEqual(RESTORED);
  });
});

describe("suspending", () => {
  test("restores, stops the whole job, and takes everything again when it goes on", () => {
    const session = enteredSession();
    process.onKill = (pid, signal) => {
      if (signal !== "SIGTSTP") return;
      events.push(`stopped ${pid}, ${process.listenerCount("SIGTSTP")} listening`);
    };
    session.suspend();
    const stopped = "stopped 0, 0 listening";
    const taken = ["cooked", "raw", ENTER, "return"];
    expect(events).toEqual(["leave", RESTORE, "cooked", stopped, ...taken]);
    expect(process.listenerCount("SIGTSTP")).toBe(1);
    expect(process.sent.at(-1)).toEqual({ pid: process.pid, signal: "SIGWINCH" });
  });

  test("follows SIGTSTP from outside, as often as it comes", () => {
    enteredSession();
    process.emit("SIGTSTP");
    process.emit("SIGTSTP");
    expect(process.sent.filter(({ signal }) => signal === "SIGTSTP").length).toBe(2);
    expect(events.filter((event) => event === RESTORE).length).toBe(2);
    expect(events.at(-1)).toBe("return");
  });

  test("after a stop that nobody announced, SIGCONT takes the terminal again", () => {
    enteredSession();
    process.emit("SIGCONT");
    expect(events).toEqual(["cooked", "raw", ENTER, "return"]);
  });

  test("does nothing after the end", () => {
    const session = enteredSession();
    session.close();
    session.suspend();
    expect(events).toEqual(RESTORED);
    expect(process.sent).toEqual([]);
  });

  test("can be ended by a signal while the job is stopped", async () => {
    const session = enteredSession();
    process.onKill = (_, signal) => {
      if (signal === "SIGTSTP") process.emit("SIGTERM");
    };
    session.suspend();
    expect(events).toEqual(["leave", RESTORE, "cooked", "end"]);
    await Promise.resolve();
    expect(process.eventNames()).toEqual([]);
  });
});
