// What the user does, from Ink's input, Alt apart from the bare key.
import { useInput, useStdin } from "ink";
import { useEffect, useRef } from "react";
import type { InputSorter } from "./input-sorter.ts";

const ESCAPE = "\u001b";
const CTRL_C = "\u0003";

/** Ink takes the ESC away, and says so of letters and digits only. Ctrl+C ends the program with Alt, too. */
function isWithAlt(text: string): boolean {
  const [first, second, third] = text;
  return first === ESCAPE && second !== undefined && second !== CTRL_C && third === undefined;
}

export function useSortedInput(sorter: InputSorter): void {
  const { internal_eventEmitter: raw } = useStdin();
  const came = useRef("");
  // Set up before Ink's own listener, so that it comes first.
  useEffect(() => {
    const note = (text: string) => {
      came.current = text;
    };
    raw.on("input", note);
    return () => {
      raw.removeListener("input", note);
    };
  }, [raw]);
  useInput((input, key) => {
    const text = came.current;
    sorter.take(input, isWithAlt(text) ? { ...key, meta: true } : key, text);
  });
}
