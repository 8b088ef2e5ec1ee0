import { test } from "vitest";
import { openComposed } from "../support/composed-session.ts";
import { composeStream } from "./compose-stream.ts";

test("dbg", () => {
  const seed = Number(process.env.SEED),
    until = Number(process.env.UNTIL),
    from = Number(process.env.FROM ?? 0),
    ch = process.env.CH ?? "markets";
  const composed = composeStream(seed);
  const open = composed.service.open.bind(composed.service);
  let n = 0;
  let s: any;
  composed.service.open = (sink: any) => {
    const me = ++n;
    console.log(s?.clock.now(), "OPEN", me);
    const c = open({
      ...sink,
      send: (t: string) => {
        if (s?.clock.now() >= from && (t.includes(`"${ch}"`) || !t.includes("update")))
          console.log(s?.clock.now(), me, "<", t.slice(0, 330));
        sink.send(t);
      },
      close: (a: any, b: any) => {
        console.log(s?.clock.now(), me, "CLOSE", a, b);
        sink.close(a, b);
      },
    });
    return {
      ...c,
      receive: (t: string) => {
        if (s?.clock.now() >= from) console.log(s?.clock.now(), me, ">", t);
        c.receive(t);
      },
    };
  };
  s = openComposed(composed, seed);
  const channels = composed.channels.filter((name) => /^(?:orderbook|bbo|markets?)/.test(name));
  for (const c of channels) s.stream.subscribe(c);
  const store = s.store;
  const orig = store.dispatch.bind(store);
  store.dispatch = (e: any) => {
    if (e.channel === ch && e.type !== "update" && e.atMs >= from)
      console.log(e.atMs, "EVENT", JSON.stringify(e));
    orig(e);
  };
  let last = "";
  while (s.clock.now() < until) {
    s.step();
    const a = JSON.stringify(store.auditsOf(ch));
    if (a !== last) {
      console.log(s.clock.now(), "AUDIT", a.slice(0, 500));
      last = a;
    }
  }
  const sl = s.store.slices.find((x: any) => x.channel === ch);
  console.log(
    s.store.paneState(sl, s.clock.now()),
    JSON.stringify(sl.data.records ?? sl.data.depth()).slice(0, 1500),
  );
  console.log(JSON.stringify(composed.service.truth(ch)).slice(0, 1500));
  s.close();
});
