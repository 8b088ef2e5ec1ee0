// The help over the dashboard, which goes on behind it: groups of keys in as many columns as fit.
import { Box, Text } from "ink";
import Table from "ink-table";
import { cutText, textWidth, wrapWords } from "../terminal/cells/text-cells.ts";
import { bindingsIn, formatKey, type Keymap } from "./keymap.ts";
import { type Action, CONTEXT_WORDS, type KeyContext } from "./keys.ts";
import { CARET, TextField } from "./text-field.ts";

interface HelpProps {
  readonly columns: number;
  readonly rows: number;
  readonly scroll: number;
  readonly lines: readonly HelpLine[];
  readonly search: string;
  readonly isTyping: boolean;
}

/** Border, title, and the head of the columns. */
const FRAME_ROWS = 4;
const FRAME_CELLS = 4;
const CELL_PADDING = 2;

/** Every cell of it is written: nothing is seen through it. */
export function HelpPanel({ columns, rows, scroll, lines, search, isTyping }: HelpProps) {
  const room = { width: columns - FRAME_CELLS, height: rows - FRAME_ROWS };
  const layout = layOutHelp(lines, room, scroll);
  const { keyCells, descriptionCells } = layout;
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

/** The table's own lines would take every second row. */
function NoLines() {
  return <Box display="none" />;
}

/** Without the blue of the table's own, which vanishes on black. */
function HeadCell({ children }: { readonly children?: unknown }) {
  return (
    <Text bold wrap="truncate">
      {String(children)}
    </Text>
  );
}

function KeyCell({ column, children }: { readonly column: number; readonly children?: unknown }) {
  const text = String(children);
  // A heading.
  const isBold = column === 0 || text.trimStart().startsWith("── ");
  return (
    <Text bold={isBold} wrap="truncate">
      {text}
    </Text>
  );
}

/** A key and its description, the heading of a group, or nothing between two groups. */
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

  /**
   * @param last the last line that there is
   * @returns false where the help has no such action: it closes then, so that nothing happens unseen behind it
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
  /** Empty where the key does nothing. */
  readonly description: string;
  /** What is missing for it; undefined where it works. */
  readonly missing?: string | undefined;
}

/** Lines that are found, in groups in the order of the table: those of the view, those of everywhere, and those not to be had now. */
export function selectHelp(
  contexts: readonly KeyContext[],
  keymap: Keymap,
  search: string,
  useOf: (binding: Keymap[number]) => KeyUse = ({ description }) => ({ description }),
): readonly HelpLine[] {
  const wanted = search.trim().toLowerCase().split(/\s+/);
  const lines = bindingsIn(contexts, keymap).flatMap((binding) => {
    const { description, missing } = useOf(binding);
    const key = binding.keys.map(formatKey).join(" ");
    const isFound = wanted.every((word) => `${key} ${description}`.toLowerCase().includes(word));
    const line: HelpLine = { kind: "key", key, description };
    return description !== "" && isFound ? [{ line, missing, context: binding.context }] : [];
  });
  if (lines.length === 0) return [{ kind: "heading", key: "", description: "no key is called so" }];
  const lacking = new Set(lines.flatMap(({ missing }) => missing ?? []));
  const groups = [
    ...[...contexts, "global" as const].map((context) => ({
      heading: CONTEXT_WORDS[context],
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

/** Lines where descriptions have the least room: the furthest to scroll. */
export function mostLines(lines: readonly HelpLine[]): number {
  return lines.flatMap((line) => wrapWords(formatText(line), MIN_DESCRIPTION_CELLS)).length;
}

const MIN_DESCRIPTION_CELLS = 34;
const BLANKS = 4;

/** As many columns as there is room for, descriptions in as many lines as they need, no column longer than it has to be. */
function layOutHelp(
  lines: readonly HelpLine[],
  { width, height }: { readonly width: number; readonly height: number },
  scroll: number,
) {
  const keyCells = Math.max(1, ...lines.map(({ key }) => textWidth(key)));
  const widest = Math.max(1, ...lines.map((line) => textWidth(formatText(line))));
  const least = keyCells + Math.min(widest, MIN_DESCRIPTION_CELLS) + BLANKS;
  const most = Math.max(1, Math.floor(width / least));
  const descriptionCells = Math.max(
    1,
    Math.min(widest, Math.floor(width / most) - keyCells - BLANKS),
  );
  const wrapped = lines.flatMap((line) =>
    wrapWords(formatText(line), descriptionCells).map((description, i) => ({
      ...line,
      key: i === 0 ? line.key : "",
      description,
    })),
  );
  const rows = Math.max(1, height);
  const first = Math.max(0, Math.min(scroll, wrapped.length - most * rows));
  const left = wrapped.length - first;
  const count = Math.min(most, Math.ceil(left / rows));
  const length = Math.min(rows, Math.ceil(left / Math.max(1, count)));
  const columns = Array.from({ length: count }, (_, i) => {
    const column = wrapped.slice(first + i * length, first + (i + 1) * length);
    // Of one length: what is behind the help must not be seen through it.
    return [...column, ...Array<HelpLine>(length - column.length).fill(GAP)];
  });
  return { columns, keyCells, descriptionCells, first, count: wrapped.length };
}

function formatText({ kind, description }: HelpLine): string {
  return kind === "heading" ? `── ${description}` : description;
}
