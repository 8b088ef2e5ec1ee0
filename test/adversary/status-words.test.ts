// A status may be any word: which words end an order, and which only look as if they did.
import { describe, expect, test } from "vitest";
import { Aliases } from "../../src/state/aliases.ts";
import { StatusWords } from "../../src/state/status-words.ts";

const listed = (text: string) => text.trim().split(/,\s+/);

const ENDED = listed(`
  filled, FILLED, fully_filled, Fully Filled, canceled, Cancelled, user_cancelled, marginCanceled,
  reduceOnlyCanceled, selfTradeCancelled, SELF_TRADE_CANCELLED, selftradecancelled, margin-
  canceled, siblingFilledCanceled, partially_filled_canceled, PartiallyFilledCanceled,
  vaultWithdrawalCanceled, delistedCanceled, IOCCancelled, void, Voided, killed, fok_killed,
  settled, expired, order expired, rejected, tickRejected, iocCancelRejected, minTradeNtlRejected,
  liquidated, done, closed, terminated, withdrawn, cancelled by user, canceledByRiskEngine
`);
const STANDING = listed(`
  open, new, resting, live, ACTIVE, untriggered, triggered, partially_filled, PartiallyFilled,
  partiallyfilled, partial filled, filled_partially, partially closed, not_filled, not yet filled,
  unfilled, unFilled, pending_cancel, pendingCancelled, cancel_pending, cancel_requested,
  cancelling, cancel_rejected, cancelRejected, CANCEL_REQUEST_REJECTED, replace_rejected, amend
  failed, to_be_cancelled, pending_settled
`);

describe("a status", () => {
  const words = new StatusWords();

  test.each(ENDED)("%s is over", (status) => {
    expect(words.standingOf(status)).toBe("ended");
  });

  test.each(STANDING)("%s is not over", (status) => {
    expect(words.standingOf(status)).not.toBe("ended");
  });

  test.each(["best_effort_canceled", "partially_cancelled", "done_for_day", "scheduledCancel"])(
    "%s may be either",
    (status) => {
      expect(words.standingOf(status)).toBe("unsure");
    },
  );

  test("that nobody knows says nothing", () => {
    expect(words.standingOf("zonked")).toBeUndefined();
    expect(words.standingOf("")).toBeUndefined();
    expect(words.standingOf("状態")).toBeUndefined();
  });

  test("may be a flag instead", () => {
    const aliases = new Aliases();
    expect(aliases.standingOf({ closed: true, status: "open" })).toBe("ended");
    expect(aliases.standingOf({ is_closed: false })).toBe("stands");
    expect(aliases.standingOf({ isActive: false })).toBe("ended");
    expect(aliases.standingOf({ active: true })).toBe("stands");
    expect(aliases.standingOf({ reduce_only: true, post_only: false })).toBeUndefined();
  });
});
