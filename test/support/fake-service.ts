// A service that a test plays by hand: it sees each connection and each command, and answers what it is told.

import type { OpenSocket, SocketHandlers } from "../../src/stream/socket.ts";
import type { LinkFault } from "../../src/wire/stream-event.ts";

export class FakeConnection {
  readonly commands: { type: string; channel: string }[] = [];
  readonly #handlers: SocketHandlers;
  pings = 0;
  isOver = false;
  isAccepted = false;
  /** Answers each ping at once; switch off to play a dead link. */
  answersPings = true;

  constructor(handlers: SocketHandlers) {
    this.#handlers = handlers;
  }

  accept(): void {
    this.isAccepted = true;
    this.#handlers.onOpen();
  }

  hello(protocolVersion = 1): void {
    this.say({ type: "hello", protocol_version: protocolVersion, keepalive_timeout_ms: 120_000 });
  }

  /** Sends a frame (a value) or raw text. */
  say(frame: object | string): void {
    this.#handlers.onMessage(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  error(code: number, channel?: string): void {
    this.say({
      type: "error",
      ...(channel ? { channel } : {}),
      code,
      message: "no",
      timestamp_ns: "1",
    });
  }

  unsubscribed(channel: string): void {
    this.say({ type: "unsubscribed", channel, timestamp_ns: "1" });
  }

  end(code: LinkFault["code"] = "closed"): void {
    this.isOver = true;
    this.#handlers.onEnd({ code, detail: "ended by the test" });
  }

  send(message: string): void {
    this.commands.push(JSON.parse(message));
  }

  ping(): void {
    this.pings++;
    if (this.answersPings) this.#handlers.onPong();
  }

  /** Commands sent since the last call, as `type channel`. */
  takeCommands(): string[] {
    return this.commands.splice(0).map(({ type, channel }) => `${type} ${channel}`);
  }
}

export class FakeService {
  readonly connections: FakeConnection[] = [];
  readonly open: OpenSocket = (handlers) => {
    const connection = new FakeConnection(handlers);
    this.connections.push(connection);
    return {
      send: (message) => connection.send(message),
      ping: () => connection.ping(),
      terminate: () => {
        connection.isOver = true;
      },
    };
  };

  /** The newest connection. */
  get last(): FakeConnection {
    const connection = this.connections.at(-1);
    if (connection === undefined) throw new Error("nobody has connected");
    return connection;
  }
}
