// Who owns accounts. An owner is known by two unrelated identifiers: one on the stream, one in REST.
import type { Random } from "../../units/random.ts";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const HEX = "0123456789abcdef";
const BASE58_LENGTH = 44;
const HEX_LENGTH = 40;

/** The two identifiers; neither can be worked out from the other. */
export interface Owner {
  /** Base58, 44 characters: the address in channel names. */
  readonly address: string;
  /** `0x` and 40 hex digits: the address in REST paths and records. */
  readonly owner: string;
}

/** Draws an owner. Never throws. */
export function createOwner(random: Random): Owner {
  return {
    address: pick(random, BASE58, BASE58_LENGTH),
    owner: `0x${pick(random, HEX, HEX_LENGTH)}`,
  };
}

function pick(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
}
