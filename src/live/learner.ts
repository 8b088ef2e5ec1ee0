// Takes what the service has shown into the dialect, and keeps it for the next run.

import { type Dialect, learn, type Point } from "../dialect/dialect.ts";
import { writeLearned } from "../dialect/learned-file.ts";
import type { Clock } from "../units/clock.ts";

interface LearnerOptions {
  readonly dialect: Dialect;
  readonly clock: Pick<Clock, "now" | "wall">;
  readonly url: string;
  readonly path: string | undefined;
  onLearned(point: Point, value: string, because: string): void;
}

/** So that no two values of a point take turns at every frame. */
const EVERY_MS = 10_000;

export type Take = (point: Point, value: string, because: string) => void;

export function createLearner({ dialect, clock, url, path, onLearned }: LearnerOptions): Take {
  const learnedAtMs = new Map<Point, number>();
  return (point, value, because) => {
    const nowMs = clock.now();
    const isSoon = nowMs - (learnedAtMs.get(point) ?? Number.NEGATIVE_INFINITY) < EVERY_MS;
    const day = new Date(clock.wall()).toISOString().slice(0, 10);
    if (isSoon || !learn(dialect, point, value, day)) return;
    learnedAtMs.set(point, nowMs);
    if (path !== undefined) writeLearned(path, url, { [point]: dialect[point] });
    onLearned(point, value, because);
  };
}
