// The look of a cell of an open record, by what it means: sides, profit and loss. Sign and word are there without it.
import type { Aliases, Meaning } from "../../store/aliases.ts";
import type { CellKind } from "../../view/cells.ts";
import type { LookName } from "../theme.ts";

const SIDES: readonly (readonly [words: RegExp, look: LookName])[] = [
  [/^(?:buy|bid|long|b)$/i, "bid"],
  [/^(?:sell|ask|short|s|a)$/i, "ask"],
];
const SIGNED: readonly Meaning[] = ["unrealizedPnl", "realizedPnl", "amount", "fundingRate"];

const KINDS: Readonly<Record<CellKind, LookName>> = {
  number: "text",
  time: "dim",
  address: "text",
  text: "text",
  missing: "dim",
};

/** Never throws. */
export function cellLook(
  aliases: Aliases,
  column: string,
  { text, kind }: { readonly text: string; readonly kind: CellKind },
): LookName {
  if (aliases.isNamed(column, "side")) {
    const side = SIDES.find(([words]) => words.test(text));
    if (side !== undefined) return side[1];
  }
  const isSigned = kind === "number" && SIGNED.some((meaning) => aliases.isNamed(column, meaning));
  if (isSigned && /[1-9]/.test(text)) return text.startsWith("-") ? "down" : "up";
  return KINDS[kind];
}
