// Walks the table of keys on a terminal without a window: the bytes of every key of every context do there what its
// entry says.
import { useSyncExternalStore } from "react";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { App } from "../../src/screen/App.tsx";
import { KEYS, type KeyContext } from "../../src/screen/keys.ts";
import { createTheme, type Theme } from "../../src/screen/theme/theme.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { type KeyScene, openKeyScene } from "../support/key-scene.ts";
import { type MountedApp, mountApp } from "../support/terminal/mounted-app.ts";
import { EFFECTS, type Effect, IN_RECORDING, type Seen } from "./key-effects.ts";

/** What a terminal sends for keys that are no character. */
const BYTES: Readonly<Record<string, string>> = {
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  pageup: "\u001b[5~",
  pagedown: "\u001b[6~",
  home: "\u001b[H",
  end: "\u001b[F",
  return: "\r",
  escape: "\u001b",
  tab: "\t",
  "shift+tab": "\u001b[Z",
  backspace: "\u007f",
  space: " ",
};

function bytesOf(key: string): string {
  const letter = /^ctrl\+([a-z])$/.exec(key)?.[1];
  if (letter !== undefined) return String.fromCharCode(letter.charCodeAt(0) - 96);
  return BYTES[key] ?? key;
}

let app: MountedApp;
let scene: KeyScene;
let onScene = () => {};

const subscribe = (onChange: () => void) => {
  onScene = onChange;
  return () => {};
};

/** Shows whatever scene there is now. */
function Scene({ theme }: { readonly theme: Theme }) {
  const { dashboard } = useSyncExternalStore(subscribe, () => scene);
  return <App dashboard={dashboard} theme={theme} />;
}

/** One terminal for all keys: each begins with a new dashboard on it. */
beforeAll(() => {
  const styles = new StyleTable();
  scene = openKeyScene(false);
  app = mountApp(<Scene theme={createTheme(styles)} />, {
    columns: 140,
    rows: 40,
    styles,
    isShared: true,
  });
});

afterAll(() => app.mounted.unmount());

/** What an effect is about, as it is now. */
async function look({ of = ({ screen }: Seen) => screen }: Effect): Promise<string> {
  return of({ ...scene, screen: (await app.shown()).text().join("\n") });
}

const has = (text: string, sign: RegExp | string) =>
  typeof sign === "string" ? text.includes(sign) : sign.test(text);

/** What is wrong with what was before a key and is after it; empty where nothing is. */
function faultOf({ shows, hides }: Effect, was: string, is: string): string {
  const both = `\nbefore:\n${was}\nafter:\n${is}`;
  if (shows !== undefined && (has(was, shows) || !has(is, shows)))
    return `${shows} is to come${both}`;
  if (hides !== undefined && (!has(was, hides) || has(is, hides)))
    return `${hides} is to go${both}`;
  return shows === undefined && hides === undefined ? "nothing is expected of it" : "";
}

/** Types the bytes of a key into a new scene. */
async function tryKey(key: string, effect: Effect): Promise<string> {
  scene = openKeyScene(effect.inRecording === true);
  onScene();
  const [first, ...others] = effect.first ?? [];
  if (first !== undefined) {
    // Views are painted, and listings come, before they know what a key is about.
    await app.settle();
    scene.dashboard.press(first);
    await app.settle();
    for (const each of others) scene.dashboard.press(each);
  }
  const was = await look(effect);
  app.stdin.type(bytesOf(key));
  return faultOf(effect, was, await look(effect));
}

describe("every key of the table", () => {
  test.each(Object.keys(EFFECTS) as KeyContext[])(
    "does on the terminal what its entry says: %s",
    async (context) => {
      const bindings = KEYS.filter((binding) => binding.context === context);
      const actions = [...new Set(bindings.map(({ action }) => action))];
      expect(Object.keys(EFFECTS[context]).sort()).toEqual(actions.sort());
      for (const { action, keys, description } of bindings) {
        // Without a key it is in the palette, under its name.
        for (const key of keys.length === 0 ? [`:${description.split(": ")[0]}\r`] : keys) {
          const fault = await tryKey(key, EFFECTS[context][action] ?? {});
          expect(fault, `${key} (${action})`).toBe("");
        }
      }
    },
  );

  test.each(Object.entries(IN_RECORDING))(
    "does in a recording what its entry says: %s",
    async (action, effect) => {
      for (const key of KEYS.find((binding) => binding.action === action)?.keys ?? []) {
        expect(await tryKey(key, { ...effect, inRecording: true }), key).toBe("");
      }
    },
  );

  test("is walked in every context of the table", () => {
    expect(Object.keys(EFFECTS).sort()).toEqual([...new Set(KEYS.map((k) => k.context))].sort());
  });

  test("has bytes that a terminal can send, whatever its context", () => {
    for (const { keys } of KEYS) {
      for (const key of keys) {
        expect(bytesOf(key) === key && [...key].length > 1, key).toBe(false);
      }
    }
  });
});
