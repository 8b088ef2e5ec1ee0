// The help panel over the dashboard, which keeps running behind it: groups of keys in as many columns as fit.
import { Box, Text } from "ink";
import Table from "ink-table";
import { useLayoutEffect } from "react";
import { cutText, textWidth, wrapWords } from "../terminal/cells/text-cells.ts";
import { bindingsIn, formatKey } from "./keymap.ts";
import { type Action, CONTEXT_HEADINGS, type KEYS, type KeyContext } from "./keys.ts";
import { CARET, TextField } from "./text-field.ts";

interface HelpProps {
  readonly columns: number;
  readonly rows: number;
  readonly scroll: number;
  /** Called with the first visible line if the scroll offset is beyond the end. */
  readonly onScrolled?: (first: number) => void;
  readonly lines: readonly HelpLine[];
  readonly search: string;
  readonly isTyping: boolean;
}

/** Border, title and column headings. */
const FRAME_ROWS = 4;
const FRAME_CELLS = 4;
const CELL_PADDING = 2;

/** Writes every cell of its area, so that the dashboard does not show through. */
export function HelpPanel(props: HelpProps) {
  const { columns, rows, scroll, onScrolled, lines, search, isTyping } = props;
  const room = { width: columns - FRAME_CELLS, height: rows - FRAME_ROWS };
  const layout = layOutHelp(lines, room, scroll);
  const { keyCells, descriptionCells, first } = layout;
  useLayoutEffect(() => {
    if (first < scroll) onScrolled?.(first);
  });
  const width = layout.columns.length * (keyCells + descriptionCells + 2 * CELL_PADDING);
  return (
    <Box position="absolute" width={columns} height={rows} justifyContent="center">
      <Box borderStyle="round" flexDirection="column" alignSelf="flex-start" overflow="hidden">
        <Text bold wrap="truncate">
          {` ${formatTitle(layout, search, isTyping)}`.padEnd(width)}
        </Text>
        <Box>
          {layout.columns.map((column) => (
            <Table
              key={column.map(({ key, description }) => `${key} ${description}`).join("\n")}
              data={column.map((line) => ({
                key: line.key.padEnd(keyCells),
                "what it does": cutText(line.description, descriptionCells).padEnd(
                  descriptionCells,
                ),
              }))}
              skeleton={NoLines}
              header={HeadCell}
              cell={KeyCell}
            />
          ))}
        </Box>
      </Box>
    </Box>
  );
}

function formatTitle(
  { columns, first, count }: ReturnType<typeof layOutHelp>,
  search: string,
  isTyping: boolean,
): string {
  const shown = columns.flat().length;
  const isWhole = shown >= count;
  const found = isTyping || search !== "" ? `/${search}${isTyping ? CARET : ""}` : "/ finds";
  return [
    "Keys",
    found,
    isWhole ? "" : `${first + 1} to ${Math.min(count, first + shown)} of ${count}: PgUp PgDn`,
    "Esc closes",
  ]
    .filter(Boolean)
    .join("   ");
}

/** Hides ink-table's rules, which would take every second row. */
function NoLines() {
  return <Box display="none" />;
}

/** Replaces ink-table's blue heading, which is unreadable on black. */
function HeadCell({ children }: { readonly children?: unknown }) {
  return (
    <Text bold wrap="truncate">
      {String(children)}
    </Text>
  );
}

function KeyCell({ column, children }: { readonly column: number; readonly children?: unknown }) {
  const text = String(children);
  // Group headings are bold in either column.
  const isBold = column === 0 || text.trimStart().startsWith("── ");
  return (
    <Text bold={isBold} wrap="truncate">
      {text}
    </Text>
  );
}

/** A key with its description, a group heading, or the blank line between two groups. */
export interface HelpLine {
  readonly kind: "key" | "heading" | "gap";
  readonly key: string;
  readonly description: string;
}

const GAP: HelpLine = { kind: "gap", key: "", description: "" };

const STEPS: Readonly<Partial<Record<Action, number>>> = {
  scrollUp: -1,
  scrollDown: 1,
  scrollPageUp: -10,
  scrollPageDown: 10,
  scrollHome: Number.NEGATIVE_INFINITY,
};

export class Help {
  readonly #onChange: () => void;
  #scroll: number | undefined;
  search = "";
  #field: TextField | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return this.#scroll !== undefined;
  }

  get scroll(): number {
    return this.#scroll ?? 0;
  }

  get typing(): TextField | undefined {
    return this.isOpen ? this.#field : undefined;
  }

  toggle(): void {
    if (this.isOpen) this.close();
    else this.#scrollTo(0);
  }

  #scrollTo(line: number): void {
    this.#scroll = line;
    this.#onChange();
  }

  close(): void {
    this.#scroll = undefined;
    this.#field = undefined;
    this.search = "";
    this.#onChange();
  }

  /** Limits the scroll offset to the first visible line, so that the next key scrolls back at once. */
  endAt(line: number): void {
    if (this.isOpen) this.#scroll = line;
  }

  /**
   * @param last upper bound of the scroll offset
   * @returns false for an action that the help does not have: it has closed then, so that nothing happens unseen behind it
   */
  perform(action: Action, last: number): boolean {
    const steps = STEPS[action];
    if (steps !== undefined) this.#scroll = Math.max(0, Math.min(last, this.scroll + steps));
    else if (action === "filter") this.#type();
    else this.close();
    this.#onChange();
    return steps !== undefined || action === "filter" || action === "back" || action === "help";
  }

  #type(): void {
    const set = (text: string) => {
      this.search = text;
      this.#scrollTo(0);
    };
    const onEnd = (isAccepted: boolean) => {
      this.#field = undefined;
      if (isAccepted) this.#onChange();
      else set("");
    };
    this.#field = new TextField({ text: this.search, onChange: set, onEnd });
  }
}

export interface KeyUse {
  /** Empty for a key without a use here, which is not listed. */
  readonly description: string;
  /** Why it does nothing now; undefined if it works. */
  readonly missing?: string | undefined;
}

/** Lines that match the search, grouped in table order: keys of the view, global keys, then unavailable ones by reason. */
export function selectHelp(
  contexts: readonly KeyContext[],
  search: string,
  useOf: (binding: (typeof KEYS)[number]) => KeyUse = ({ description }) => ({ description }),
): readonly HelpLine[] {
  const terms = search.trim().toLowerCase().split(/\s+/);
  const lines = bindingsIn(contexts).flatMap((binding) => {
    const { description, missing } = useOf(binding);
    const key = binding.keys.map(formatKey).join(" ");
    const isFound = terms.every((word) => `${key} ${description}`.toLowerCase().includes(word));
    const line: HelpLine = { kind: "key", key, description };
    return description !== "" && isFound ? [{ line, missing, context: binding.context }] : [];
  });
  if (lines.length === 0) return [{ kind: "heading", key: "", description: "no key matches" }];
  const lacking = new Set(lines.flatMap(({ missing }) => missing ?? []));
  const groups = [
    ...[...contexts, "global" as const].map((context) => ({
      heading: CONTEXT_HEADINGS[context],
      of: lines.filter((each) => each.missing === undefined && each.context === context),
    })),
    ...[...lacking].map((missing) => ({
      heading: `Not now: ${missing}`,
      of: lines.filter((each) => each.missing === missing),
    })),
  ].filter(({ of }) => of.length > 0);
  return groups.flatMap(({ heading, of }, i): HelpLine[] => [
    ...(i === 0 ? [] : [GAP]),
    { kind: "heading", key: "", description: heading },
    ...of.map(({ line }) => line),
  ]);
}

/** Line count at the narrowest width of descriptions: the upper bound of the scroll offset. */
export function mostLines(lines: readonly HelpLine[]): number {
  return lines.flatMap((line) => wrapWords(formatText(line), MIN_DESCRIPTION_CELLS)).length;
}

const MIN_DESCRIPTION_CELLS = 34;
const BLANKS = 4;

/** Splits the lines into as many columns as fit, wraps descriptions, and keeps the columns as short as possible. */
function layOutHelp(
  lines: readonly HelpLine[],
  { width, height }: { readonly width: number; readonly height: number },
  scroll: number,
) {
  const keyCells = Math.max(1, ...lines.map(({ key }) => textWidth(key)));
  const widest = Math.max(1, ...lines.map((line) => textWidth(formatText(line))));
  const minWidth = keyCells + Math.min(widest, MIN_DESCRIPTION_CELLS) + BLANKS;
  const fitting = Math.max(1, Math.floor(width / minWidth));
  const descriptionCells = Math.max(
    1,
    Math.min(widest, Math.floor(width / fitting) - keyCells - BLANKS),
  );
  const wrapped = lines.flatMap((line) =>
    wrapWords(formatText(line), descriptionCells).map((description, i) => ({
      ...line,
      key: i === 0 ? line.key : "",
      description,
    })),
  );
  const rows = Math.max(1, height);
  const first = Math.max(0, Math.min(scroll, wrapped.length - fitting * rows));
  const left = wrapped.length - first;
  const count = Math.min(fitting, Math.ceil(left / rows));
  const length = Math.min(rows, Math.ceil(left / Math.max(1, count)));
  const columns = Array.from({ length: count }, (_, i) => {
    const column = wrapped.slice(first + i * length, first + (i + 1) * length);
    // Padded to one length, so that the dashboard does not show through.
    return [...column, ...Array<HelpLine>(length - column.length).fill(GAP)];
  });
  return { columns, keyCells, descriptionCells, first, count: wrapped.length };
}

function formatText({ kind, description }: HelpLine): string {
  return kind === "heading" ? `── ${description}` : description;
}
