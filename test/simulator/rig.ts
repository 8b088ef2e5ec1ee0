// A simulator on a virtual clock with a real socket: the test moves time, then waits until all of it has arrived.
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";
import { startTruthfulSimulator } from "./ledger.ts";
import { scenarioOf } from "./world-rig.ts";

/** A server frame as it came: text, and what it says. */
export interface Frame {
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a frame holds is what the tests find out
  readonly value: any;
}

export interface RigOptions {
  readonly seed?: number;
  /** 0 when it is left out; undefined for the 120 days that an exchange has by default. */
  readonly history?: number | undefined;
  /** Name of a built-in scenario, or fields of one. */
  readonly scenario?: string | object;
  readonly clock?: VirtualClock;
  /** Where what has to be closed is handed in; the running test's end by default. */
  readonly onEnd?: (close: () => unknown) => void;
}

export type Rig = Awaited<ReturnType<typeof startRig>>;

export async function startRig(options: RigOptions = {}) {
  const { seed = 1, scenario = "steady", clock = createVirtualClock() } = options;
  const { onEnd = atEndOfTest } = options;
  const simulator = await startTruthfulSimulator({
    seed,
    history: "history" in options ? options.history : 0,
    port: 0,
    clock,
    scenario: scenarioOf(scenario),
  });
  onEnd(() => simulator.close());
  const clients: Client[] = [];
  return {
    simulator,
    clock,
    /** Opens a client; it is closed with the test. */
    async connect() {
      const client = await openClient(simulator.announcement.ws_url, onEnd);
      clients.push(client);
      return client;
    },
    /** Lets simulated time pass, at most a second at once, and waits until everything has arrived everywhere. */
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 1000) {
        clock.advance(Math.min(1000, left));
        for (const client of clients) await client.settle();
      }
    },
  };
}

/** Writes down everything that one connection brings. */
export class Client {
  readonly socket: WebSocket;
  /** Text messages as they came, and those of them that are JSON. */
  readonly texts: string[] = [];
  readonly frames: Frame[] = [];
  closeCode: number | undefined;
  /** HTTP status in place of an upgrade, with Retry-After. */
  refused: readonly [number, string | undefined] | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.#read(String(data)));
    socket.on("close", (code) => {
      this.closeCode = code;
    });
    // A close follows.
    socket.on("error", () => {});
    socket.on("unexpected-response", (request, response) => {
      this.refused = [response.statusCode ?? 0, response.headers["retry-after"]];
      request.destroy();
    });
  }

  #read(text: string): void {
    this.texts.push(text);
    try {
      this.frames.push({ text, value: JSON.parse(text) });
    } catch {
      // It counts as unreadable.
    }
  }

  /** Count of text messages that are no JSON. */
  get unreadable(): number {
    return this.texts.length - this.frames.length;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Sends text as it is, bytes as a binary message, anything else as JSON. */
  send(value: unknown): void {
    const isReady = typeof value === "string" || Buffer.isBuffer(value);
    this.socket.send(isReady ? value : JSON.stringify(value));
  }

  command(type: string, channel: string): void {
    if (this.isOpen) this.send({ type, channel });
  }

  /** Subscribes and waits for what comes of it at once. */
  async subscribe(...channels: string[]): Promise<void> {
    for (const channel of channels) this.send({ type: "subscribe", channel });
    await this.settle();
  }

  /** Sends something and waits for what comes of it at once. @returns the new frames */
  async say(value: unknown): Promise<Frame[]> {
    const from = this.frames.length;
    this.send(value);
    await this.settle();
    return this.frames.slice(from);
  }

  /** Waits until everything that the service has sent so far has arrived, or the connection has ended: a pong comes last. */
  async settle(): Promise<void> {
    if (!this.isOpen) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.socket.off("close", done);
        this.socket.off("pong", done);
        resolve();
      };
      this.socket.once("close", done);
      this.socket.once("pong", done);
      this.socket.ping();
    });
  }

  /** Update frames of a channel so far. */
  // biome-ignore lint/suspicious/noExplicitAny: what a frame holds is what the tests find out
  updates(channel: string): any[] {
    return this.frames
      .map(({ value }) => value)
      .filter((value) => value?.type === "update" && value.channel === channel);
  }

  /** Frames of a sequenced channel that do not name the one before. */
  gaps(channel: string): number {
    const frames = this.updates(channel);
    return frames.slice(1).filter((frame, i) => frame.previous_sequence !== frames[i].sequence)
      .length;
  }
}

export function atEndOfTest(close: () => unknown): void {
  onTestFinished(async () => {
    await close();
  });
}

/** Opens a socket; frames that come with the handshake are not missed. */
async function openClient(url: string, onEnd: (close: () => unknown) => void): Promise<Client> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  onEnd(() => socket.terminate());
  const client = new Client(socket);
  await once(socket, "open");
  return client;
}
