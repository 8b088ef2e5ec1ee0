// What a person sees while the doctor looks: plain Ink, a row for each part, and what has been found so far.
import { Box, Text } from "ink";
import Table from "ink-table";
import type { Check } from "./check.ts";
import { countVerdicts } from "./report.ts";

export interface Part {
  readonly name: string;
  /** Undefined while it is looked at. */
  readonly checks: readonly Check[] | undefined;
}

export function DoctorProgress({ parts }: { readonly parts: readonly Part[] }) {
  const rows = parts.map(({ name, checks }) => {
    if (checks === undefined) return { looks_at: name, ok: "…", warn: "", fail: "" };
    const { ok, warn, fail } = countVerdicts(checks);
    return { looks_at: name, ok: `${ok}`, warn: `${warn}`, fail: `${fail}` };
  });
  const isDone = parts.every(({ checks }) => checks !== undefined);
  return (
    <Box flexDirection="column">
      <Table data={rows} />
      {!isDone && <Text dimColor>Ctrl+C ends it</Text>}
    </Box>
  );
}
