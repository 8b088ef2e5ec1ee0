// Folds updates one after the other, as a session does with accepted ones.
import {
  createDialect,
  type Dialect,
  type Finding,
  learn,
  type Pinned,
} from "../../src/dialect/dialect.ts";
import type { OwnNames } from "../../src/dialect/names.ts";
import { createStore, reduce, type States, type Store, select } from "../../src/state/store.ts";
import type { Place } from "../../src/stream/chain.ts";
import { createStatus } from "../../src/stream/status.ts";
import type { Kind, Update } from "../../src/wire/frames.ts";
import { type Numbers, update } from "./frames.ts";

export interface Folding<K extends Kind> {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly state: States[K];
  /** Folds a frame and takes what it teaches. @returns what it noticed */
  fold(place: Place, body: object, how?: Numbers & { isContinuous?: boolean }): readonly Finding[];
}

export function folding<K extends Kind>(
  kind: K,
  channel: string,
  options: { readonly pinned?: Pinned; readonly names?: OwnNames } = {},
): Folding<K> {
  const dialect = createDialect({}, options.pinned, options.names);
  const store = createStore(dialect);
  store.channels.set(channel, createStatus(channel, kind));
  return {
    store,
    dialect,
    get state() {
      const state = select(store, kind, channel);
      if (state === undefined) throw new Error("nothing was folded");
      return state;
    },
    fold(place, body, { isContinuous = false, ...numbers } = {}) {
      const context = { dialect, place, isContinuous, nowMs: 0 };
      const folded = update(kind, channel, body, numbers) as Update;
      const findings = reduce(store, folded, context);
      for (const finding of findings)
        if (finding.kind === "learned") learn(dialect, finding.point, finding.value, "2026-01-01");
      return findings;
    },
  };
}

export const doubts = (findings: readonly Finding[]) =>
  findings.filter(({ kind }) => kind === "doubt").map(({ because }) => because);
