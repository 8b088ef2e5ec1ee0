// The terminal as the program sees it: an app on it, input from it, and its end.
import type { ReactNode } from "react";
import type { Clock } from "../units/clock.ts";
import { type Input, InputParser } from "./input.ts";
import { Output, type TerminalFile } from "./output.ts";
import { Screen, type Size } from "./screen.tsx";
import { type Modes, type ProcessEvents, Session, type SessionEnd } from "./session.ts";
import type { StyleTable } from "./style.ts";
import type { Watcher } from "./watcher.ts";

export interface TerminalOptions {
  readonly clock: Clock;
  readonly process: ProcessEvents;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly file: TerminalFile;
  readonly watcher?: Watcher | undefined;
  readonly modes: Modes;
  readonly styles: StyleTable;
  readonly isAscii: boolean;
  /** 1 to 60. */
  readonly framesPerSecond: number;
  readonly app: (size: Size) => ReactNode;
  /** Keys, paste and replies; the mouse goes to the canvas under it. */
  readonly onInput: (input: Exclude<Input, { kind: "mouse" }>) => void;
  /** The terminal is restored by then. */
  readonly onEnd: (end: SessionEnd) => void;
}

export interface Terminal {
  readonly screen: Screen;
  /** A question, with that for the identity last. */
  ask(question: string): void;
  /** At once, or when the terminal has answered: a shell would take the answer for what is typed. */
  close(): void;
  suspend(): void;
}

/** So long is an answer waited for before the terminal is given back; some terminals have none. */
const ANSWER_WITHIN_MS = 1500;

/** Takes over the terminal behind these streams. */
export function openTerminal(options: TerminalOptions): Terminal {
  const { clock, stdin, stdout, file } = options;
  const output = new Output(clock, file.write, {
    onReady: () => screen.ready(),
    onLost: (cause) => session.end({ kind: "lost", cause }),
  });
  const screen = new Screen({
    ...options,
    output,
    size: () => stdout,
    onError: (error) => session.end({ kind: "failed", error }),
  });
  let answerUntilMs = 0;
  let closing: (() => void) | undefined;
  const close = () => session.end({ kind: "closed" });
  const parser = new InputParser(clock, (input) => {
    if (input.kind === "reply" && input.text === "") {
      answerUntilMs = 0;
      if (closing !== undefined) return close();
    }
    if (input.kind === "mouse") screen.point(input);
    else options.onInput(input);
    if (!isTaking) answer();
  });
  let isTaking = false;
  const answer = () => {
    screen.commit();
    screen.request(true);
  };
  /** What comes at once, such as a paste without its marks, is answered once. */
  const take = (text: string) => {
    isTaking = true;
    parser.take(text);
    isTaking = false;
    answer();
  };
  const resize = () => screen.resize();
  const session = new Session({
    ...options,
    writeNow: file.writeNow,
    onLeave: () => screen.pause(),
    onReturn: () => screen.resume(),
    onEnd: (end) => {
      closing?.();
      screen.end();
      stdin.off("data", take);
      stdin.pause();
      stdout.off("resize", resize);
      file.close();
      options.onEnd(end);
    },
  });
  stdin.setEncoding("utf8").on("data", take);
  stdout.on("resize", resize);
  screen.mount(options.app);
  return {
    screen,
    ask(question) {
      answerUntilMs = clock.now() + ANSWER_WITHIN_MS;
      screen.emit(question);
    },
    close() {
      const waitMs = answerUntilMs - clock.now();
      if (closing !== undefined || waitMs <= 0) close();
      else closing = clock.after(waitMs, close);
    },
    suspend: session.suspend,
  };
}
