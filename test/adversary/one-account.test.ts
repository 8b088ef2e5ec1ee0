import { test } from "vitest";
import { stringifyExact } from "../../src/protocol/exact-numbers.ts";
import { ACCOUNT_LISTS, ACCOUNT_LOGS } from "../../src/store/account.ts";
import { openComposed } from "../support/composed-session.ts";
import { composeStream } from "./compose-stream.ts";

test("one", { timeout: 100000 }, () => {
  const seed = Number(process.env.ONE_SEED);
  const untilMs = Number(process.env.ONE_AT);
  const which = process.env.ONE_LIST ?? "orders";
  const composed = composeStream(seed);
  console.log(JSON.stringify(composed.facts.account, null, 0));
  console.log(JSON.stringify(composed.facts.delivery, null, 0));
  const session = openComposed(composed, seed);
  const channel = composed.facts.account?.channel ?? "";
  session.stream.subscribe(channel);
  const slice = () => session.store.slice("account", channel);
  const from = untilMs - Number(process.env.ONE_BACK ?? 15000);
  const d = session.store.dispatch.bind(session.store);
  session.store.dispatch = (event) => {
    if (session.clock.now() >= from) {
      if (event.type === "update") {
        const f = event.update.frame as unknown as Record<string, unknown>;
        console.log(session.clock.now(), "update", event.isFirst, event.isSnapshot, event.continues, f.previous_sequence, f.sequence, Object.keys(f).slice(3).join(), JSON.stringify(f[which]));
      } else if (event.type !== "link") console.log(session.clock.now(), JSON.stringify(event).slice(0, 300));
    }
    d(event);
  };
  const audit = session.store.audit.bind(session.store);
  session.store.audit = (...args) => {
    const r = audit(...args);
    console.log(session.clock.now(), "AUDIT", JSON.stringify(r)?.slice(0, 6000));
    return r;
  };
  while (session.clock.now() < untilMs) session.step();
  const truth = composed.service.truth(channel);
  if (truth.kind !== "account") return;
  for (const list of [...ACCOUNT_LISTS, ...ACCOUNT_LOGS]) {
    if (list !== which) continue;
    const held = ACCOUNT_LISTS.includes(list as never) ? slice().data.lists[list as "orders"] : slice().data.logs[list as "fills"];
    const rows = held.rows.map((row) => stringifyExact(row) + (held.inQuestion.has(row) ? " ?" : ""));
    console.log(list, held);
    console.log("HELD\n" + rows.join("\n"));
    console.log("TRUTH\n" + truth.lists[list].join("\n"), "ZERO\n", truth.zero.join("\n"));
  }
  session.close();
});
