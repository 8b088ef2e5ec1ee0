import { expect } from "vitest";

/** What a promise fails with. */
export const errorOf = <E extends Error>(promise: Promise<unknown>): Promise<E> =>
  promise.then(
    () => expect.unreachable("no error came"),
    (error: unknown) => error as E,
  );
