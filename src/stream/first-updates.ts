// Which update may be the first of a subscription? One that only follows another shows a part of what there is: it is a
// late one of before, or the first of this subscription was lost. Learned for each channel kind. Reading: docs/adr/0002.
import type { SequencedUpdate } from "../protocol/channels/update.ts";
import type { ReceivedUpdate } from "../protocol/decode.ts";
import { isSequenced } from "./sequence-chain.ts";

/** Updates in a row that came first and follow others, after which that is this service's way. */
const FOLLOWING_TO_ACCEPT = 8;

type Links = Pick<SequencedUpdate, "previous_sequence" | "sequence">;

/** What first updates of each channel kind have looked like. Never throws. */
export class FirstUpdates {
  /** Updates in a row that follow others; of kinds of which at least one began anew. */
  readonly #following = new Map<ReceivedUpdate["kind"], number>();

  /** True when this may be the first update of a subscription, as far as others of its kind have shown; counts it. */
  mayBegin(update: ReceivedUpdate): boolean {
    if (!isSequenced(update)) return true;
    const following = this.#following.get(update.kind) ?? Number.NaN;
    // Given up for good: a service that does both would otherwise be doubted again and again.
    if (following >= FOLLOWING_TO_ACCEPT) return true;
    if (beginsAnew(update.frame)) {
      this.#following.set(update.kind, 0);
      return true;
    }
    if (Number.isNaN(following)) return true;
    this.#following.set(update.kind, following + 1);
    return following + 1 >= FOLLOWING_TO_ACCEPT;
  }
}

/** How long the first update is waited for behind one that cannot be it. */
export const FIRST_WAIT_MS = 1000;
/** Why a subscription begins again after that. */
export const FIRST_LOST = "the first update of the subscription was lost";

/** What came before the first update of one subscription. Never throws. */
export class FirstUpdate {
  /** A message that could not be read may have been it: the one that follows cannot be trusted. */
  #isTainted = false;
  /** An update came that cannot be it: it may be right behind that, or lost. */
  #isOvertaken = false;

  begin(): void {
    this.#isTainted = false;
    this.#isOvertaken = false;
  }

  noteUnreadable(): void {
    this.#isTainted = true;
  }

  /** Why an update is not taken for it: `wait` for another, or words; undefined when it is. */
  doubt(update: ReceivedUpdate, mayBegin: boolean): string | undefined {
    if (!mayBegin && !this.#isOvertaken) {
      this.#isOvertaken = true;
      return "wait";
    }
    // Without a number, nothing says whether it holds what came before it.
    const isJoined = !this.#isOvertaken || !isSequenced(update) || update.frame.sequence !== null;
    if (!mayBegin || !isJoined) return FIRST_LOST;
    return this.#isTainted ? "an unreadable message came before the first update" : undefined;
  }
}

/** No frame before it is named, or only itself; without a number nothing is said. */
function beginsAnew({ previous_sequence, sequence }: Links): boolean {
  return previous_sequence === null || sequence === null || previous_sequence === sequence;
}
