// A service that keeps to the document, with books that change now and then, or not at all: it answers every
// command at once, a second subscribe by 409, and can lose a subscription without a word.
import type { FakeService } from "./fake-service.ts";
import { bookFrame } from "./stream-rig.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export class SilentService {
  readonly #service: FakeService;
  readonly #held: Set<string>;
  readonly #sequences: Map<string, number>;

  /** @param channels subscribed already, each with a first frame of sequence 10 */
  constructor(service: FakeService, channels: readonly string[]) {
    this.#service = service;
    this.#held = new Set(channels);
    this.#sequences = new Map(channels.map((channel) => [channel, 10]));
  }

  lose(channel: string): void {
    this.#held.delete(channel);
  }

  /** A second passes: books that move tell their subscribers, then commands are answered. */
  second(clock: VirtualClock, moves: (channel: string) => boolean): void {
    clock.advance(1000);
    for (const [channel, sequence] of this.#sequences) {
      if (!moves(channel)) continue;
      this.#sequences.set(channel, sequence + 1);
      if (this.#held.has(channel)) {
        this.#service.last.say(bookFrame(`${sequence}`, `${sequence + 1}`, channel));
      }
    }
    for (const command of this.#service.last.takeCommands()) this.#answer(command);
  }

  #answer(command: string): void {
    const [type, channel = ""] = command.split(" ");
    const { last } = this.#service;
    if (type === "unsubscribe") {
      this.#held.delete(channel);
      last.unsubscribed(channel);
    } else if (this.#held.has(channel)) last.error(409, channel);
    else {
      this.#held.add(channel);
      last.say(bookFrame(null, `${this.#sequences.get(channel)}`, channel));
    }
  }
}
