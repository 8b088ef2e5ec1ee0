// The look of a cell of an open record, by what it means: sides, profit and loss. Sign and word are there without it.

import type { CellKind } from "../../select/cells.ts";
import { readSide, type Side } from "../../select/side.ts";
import type { Aliases, Meaning } from "../../state/aliases.ts";
import type { LookName } from "../theme.ts";
import { signLook } from "./sign-look.ts";

const SIDES = { buy: "bid", sell: "ask" } as const satisfies Record<Side, LookName>;
const SIGNED: readonly Meaning[] = ["unrealizedPnl", "realizedPnl", "amount", "fundingRate"];

const KINDS: Readonly<Record<CellKind, LookName>> = {
  number: "text",
  time: "dim",
  address: "text",
  text: "text",
  missing: "dim",
};

/** The look of a cell by the meaning of its column, else by its kind. Never throws. */
export function cellLook(
  aliases: Aliases,
  column: string,
  { text, kind }: { readonly text: string; readonly kind: CellKind },
): LookName {
  if (aliases.isNamed(column, "side")) {
    const side = readSide(text);
    if (side !== undefined) return SIDES[side];
  }
  const isSigned = kind === "number" && SIGNED.some((meaning) => aliases.isNamed(column, meaning));
  return isSigned ? signLook(text) : KINDS[kind];
}
