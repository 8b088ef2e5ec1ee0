// The order flow of a market as the store has it.

import { createFlow, keptFromMs } from "../state/flow.ts";
import { type Store, select } from "../state/store.ts";
import { msOfNs } from "../units/time.ts";
import type { KnownFlow } from "./flow.ts";

const NOTHING: KnownFlow = { flows: [createFlow()], holes: [], sinceMs: undefined };

export function knownFlow(store: Store, market: string): KnownFlow {
  const tape = select(store, "trades", `trades/${market}`);
  if (tape === undefined) return NOTHING;
  const { flow, earlier, holes, lost = [] } = tape;
  const oldestNs = earlier.oldestNs ?? flow.oldestNs;
  return {
    flows: [earlier, flow],
    holes: [...lost, ...holes],
    // Of what is older than the stream's flow is kept, the earlier one has a part without its end.
    sinceMs: oldestNs === undefined ? undefined : Math.max(msOfNs(oldestNs), keptFromMs(flow)),
  };
}
