// What --json says of a subaccount, to the last digit.
import { expect, test } from "vitest";
import { accountJson } from "../../../src/cli/headless/account-json.ts";
import { stringifyExact } from "../../../src/protocol/exact-numbers.ts";
import { Store } from "../../../src/store/store.ts";

const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";

test.each(["0", "7", "9007199254740993", "340282366920938463463374607431768211455"])(
  "the id %s of a subaccount keeps every digit",
  (subaccountId) => {
    const text = stringifyExact(accountJson(new Store(), { address, subaccountId }));
    expect(text).toContain(`"subaccount_id":${subaccountId},`);
  },
);
