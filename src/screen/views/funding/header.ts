// The head of the funding view: the newest rate, what it is in a year, and what it costs the watched position.

import { MISSING } from "../../../select/cells.ts";
import { formatPercent } from "../../../select/funding.ts";
import { formatMarket } from "../../../select/market.ts";
import { withSign } from "../../../select/signed.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { visible } from "../../../terminal/visible.ts";
import { formatAge } from "../../../units/time.ts";
import { badges, ofState, type Piece, paintPieces, piece } from "../../panes/line-pieces.ts";
import { signLook } from "../../panes/sign-look.ts";
import type { Theme } from "../../theme.ts";
import type { FundingModel } from "./funding-model.ts";

/** Paints one line. Never throws. */
export function paintFundingHeader(surface: Surface, model: FundingModel, theme: Theme): void {
  paintPieces(surface, 0, [...pieces(model), ...badges(model.dashboard)], theme);
}

function pieces(model: FundingModel): Piece[] {
  const { data } = model;
  if (data === undefined) return [piece("", "funding: perpetual markets only", "dim", 0)];
  const { market, funding, carry } = data;
  const { newest, intervalMs, annualPercent } = funding;
  const name = piece("", `Funding ${formatMarket(market)}`, "title", 1);
  if (newest === undefined) return [name, piece("rate", MISSING, "dim", 0)];
  const { state } = model.status;
  const rate = `${withSign(formatPercent(newest.rate))}%`;
  const look = signLook(rate);
  const status = model.dashboard.store.aliases.text(newest.record, "status");
  const figures = [
    piece("rate", status === undefined ? rate : `${rate} ${visible(status)}`, look, 0),
    intervalMs === undefined
      ? piece("every", "schedule unknown", "notice", 2)
      : piece("every", formatAge(intervalMs), "text", 4),
    ...(annualPercent === undefined
      ? []
      : [piece("a year", `${withSign(annualPercent)}%`, look, 3)]),
    ...(carry === undefined
      ? []
      : [piece(`your ${carry.side}`, `${withSign(carry.amount)} next`, signLook(carry.amount), 2)]),
  ];
  return [name, ...ofState(state, figures)];
}
