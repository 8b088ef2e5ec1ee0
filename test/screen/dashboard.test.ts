import { describe, expect, test } from "vitest";
import type { Action } from "../../src/screen/keys.ts";
import { marketView } from "../../src/screen/views/market/market.tsx";
import type { Typing, View, ViewModel } from "../../src/screen/views/view.ts";
import { LINK } from "../../src/state/store.ts";
import { openKeyScene } from "../support/key-scene.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";

/** A view that remembers what happens to it. */
class Recorder implements ViewModel {
  readonly channels = ["funding-rates/1"];
  readonly feeds = [];
  readonly contexts = ["scroll"] as const;
  readonly log: string[] = [];
  typing: Typing | undefined;
  perform(action: Action): boolean {
    this.log.push(action);
    return action === "scrollUp";
  }
  readonly shows = {
    freeze: () => this.log.push("freeze!"),
    thaw: () => this.log.push("thaw!"),
  };
  onShow(): void {
    this.log.push("show!");
  }
}

const Nothing = () => null;

function open(isAvailable = true) {
  const feed = new MarketFeed();
  feed.subscribe();
  const recorder = new Recorder();
  const other: View<Recorder> = {
    name: "other",
    title: "Other",
    action: "panesAll",
    isAvailable: () => isAvailable,
    createModel: () => recorder,
    Component: Nothing,
  };
  const { dashboard, told } = openDashboard(feed, { views: [marketView, other] });
  dashboard.open({ type: "perp", id: "1" });
  return { feed, dashboard, told, other, recorder };
}

describe("dashboard", () => {
  test("notifies its panes of feed changes, but not while it is frozen; of settings and seconds always", () => {
    const { dashboard, feed } = open();
    let told = 0;
    const stop = dashboard.changes.source(() => [CHANNELS.bbo])(() => {
      told++;
      feed.store.settle();
    });
    feed.store.settle();
    feed.bbo(99, 101);
    expect(told).toBe(1);
    dashboard.perform("freeze");
    expect(told).toBe(2);
    feed.bbo(98, 101);
    expect(told).toBe(2);
    dashboard.tick();
    expect(told).toBe(3);
    stop();
    dashboard.tick();
    dashboard.perform("freeze");
    feed.bbo(97, 101);
    expect(told).toBe(3);
  });

  test("holds the channels of the view that is shown, and no others", () => {
    const { dashboard, other } = open();
    expect(dashboard.channels).toEqual(Object.values(CHANNELS));
    dashboard.show(other);
    expect(dashboard.channels).toEqual(["funding-rates/1"]);
  });

  test("has the views that have something to show, and the one that is shown", () => {
    const { dashboard, other } = open(false);
    expect(dashboard.views).toEqual([marketView]);
    dashboard.show(other);
    expect(dashboard.views).toEqual([marketView, other]);
    dashboard.perform("back");
    expect(dashboard.view).toBe(other);
  });

  test("says why the key of a view shows nothing", () => {
    const { dashboard } = openDashboard(new MarketFeed());
    dashboard.open({ type: "spot", id: "1" });
    for (const [key, words] of [
      ["A", "Account: no account is shown: :account ADDRESS"],
      ["O", "Fills: no account is shown: :account ADDRESS"],
      ["F", "Funding: perpetual markets only"],
      ["T", "Trades: nothing to show here"],
    ] as const) {
      dashboard.press(key);
      expect(dashboard.notice).toBe(words);
      expect(dashboard.view).toBe(marketView);
    }
  });

  test("asks the view first what a key does, then does it itself", () => {
    const { dashboard, other, recorder, told } = open();
    dashboard.show(other);
    for (const key of ["k", "i", "q"]) dashboard.press(key);
    expect(recorder.log).toEqual(["show!", "scrollUp", "quit"]);
    expect(told).toEqual(["quit"]);
  });

  test("freezes the view that is shown, and lets it go when another one is shown", () => {
    const { dashboard, other, recorder } = open();
    dashboard.show(other);
    dashboard.perform("freeze");
    expect(dashboard.shown.frozenText).toBe("FROZEN 0.0s");
    dashboard.show(marketView);
    expect(dashboard.shown.frozenText).toBeUndefined();
    expect(recorder.log).toEqual(["show!", "freeze", "freeze!", "thaw!"]);
  });

  test("gives keys and pasted text to whoever takes text, and nothing pasted acts as a key", () => {
    const { dashboard, other, recorder, told } = open();
    dashboard.show(other);
    dashboard.paste("q");
    const typed: string[] = [];
    recorder.typing = {
      key: (name) => name.length === 1 && typed.push(name) > 0,
      paste: (text) => typed.push(text),
    };
    for (const key of ["q", "?", "ctrl+c"]) dashboard.press(key);
    dashboard.paste("btc perp");
    expect(typed).toEqual(["q", "?", "btc perp"]);
    expect(told).toEqual(["quit"]);
  });

  test("a key of the recording is in the help and in the palette, too", () => {
    const { dashboard } = openKeyScene(true);
    dashboard.press("?");
    expect(dashboard.contexts).toEqual(["help", "scroll"]);
    expect(dashboard.viewContexts).toEqual(["timeline", ...dashboard.model.contexts]);
    expect(dashboard.helpLines.map(({ description }) => description)).toContain(
      "play a recording faster",
    );
    dashboard.press("escape");
    dashboard.press(":");
    for (const key of "faster") dashboard.press(key);
    expect(dashboard.palette.suggestions[0]?.text).toBe("play a recording faster");
  });

  test("closes its help where a key does something else, so that nothing happens unseen", () => {
    const { dashboard } = openDashboard(new MarketFeed());
    for (const key of [":", "f", "M"]) {
      dashboard.press("?");
      dashboard.press(key);
      expect(dashboard.help.isOpen, key).toBe(false);
      if (key === ":") expect(dashboard.palette.isOpen).toBe(true);
      dashboard.press("escape");
    }
  });
});

test("whoever shows no channel is notified when the link changes, so that the status line never lags behind the panes", () => {
  const feed = new MarketFeed();
  const { dashboard } = openDashboard(feed);
  const states: (string | undefined)[] = [];
  dashboard.changes.source(() => [LINK])(() => states.push(feed.store.link?.state));
  feed.link("connecting");
  feed.link("open");
  feed.bbo(99, 101);
  expect(states).toEqual(["connecting", "open"]);
});
