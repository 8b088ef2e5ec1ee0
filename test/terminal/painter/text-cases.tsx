// Texts as Ink's elements make them: looks, nesting, wrapping, transforms.
import { Box, Newline, Text, Transform } from "ink";
import { type Cases, COLORS, casesOf, LOREM } from "./cases.ts";

const WRAPS = [
  "wrap",
  "truncate",
  "truncate-end",
  "truncate-middle",
  "truncate-start",
  "end",
  "middle",
] as const;

export const textCases: Cases = {
  "plain text": <Text>hello</Text>,
  "two lines": <Text>{"hello\nworld"}</Text>,
  "an empty line between": <Text>{"a\n\nb"}</Text>,
  "no text": <Text>{""}</Text>,
  "leading and trailing spaces": <Text backgroundColor="red">{"  a b  "}</Text>,
  ...casesOf(
    COLORS,
    (color) => `color ${color}`,
    (color) => <Text color={color}>a b</Text>,
  ),
  ...casesOf(
    COLORS,
    (color) => `background ${color}`,
    (color) => <Text backgroundColor={color}>a b</Text>,
  ),
  "an unknown color": <Text color="nocolor">a</Text>,
  bold: <Text bold>a b</Text>,
  dim: <Text dimColor>a b</Text>,
  "dim and bold": (
    <Text dimColor bold>
      a b
    </Text>
  ),
  "dim color": (
    <Text dimColor color="yellow">
      a b
    </Text>
  ),
  italic: <Text italic>a b</Text>,
  underline: <Text underline>a b</Text>,
  strikethrough: <Text strikethrough>a b</Text>,
  inverse: <Text inverse>a b</Text>,
  everything: (
    <Text
      bold
      dimColor
      italic
      underline
      strikethrough
      inverse
      color="red"
      backgroundColor="#123456"
    >
      a b
    </Text>
  ),
  "nested colors": (
    <Text color="red">
      a <Text color="blue">b</Text> c
    </Text>
  ),
  "nested attributes": (
    <Text bold>
      a{" "}
      <Text underline>
        b <Text italic>c</Text>
      </Text>{" "}
      d
    </Text>
  ),
  "nested background": (
    <Text backgroundColor="red">
      a <Text backgroundColor="blue">b</Text> c
    </Text>
  ),
  "dim ends where bold begins": (
    <Text>
      <Text dimColor>a</Text>
      <Text bold>b</Text>
    </Text>
  ),
  "a newline element": (
    <Text>
      a<Newline />b<Newline count={2} />c
    </Text>
  ),
  "wide characters": <Text color="red">価格 上昇 ok</Text>,
  "wide characters that wrap": (
    <Box width={7}>
      <Text>価格上昇価格上昇</Text>
    </Box>
  ),
  "box drawing and braille": <Text>{"┌─┐ ⣿⡇ ▁▂▃ ▲▼ → €"}</Text>,
  "looks given as sequences": <Text>{"a\u001b[31;1mb\u001b[0mc\u001b[48;5;20md\u001b[49me"}</Text>,
  ...casesOf(
    WRAPS,
    (wrap) => `wrap ${wrap}`,
    (wrap) => (
      <Box width={16}>
        <Text wrap={wrap} color="green">
          {LOREM.slice(0, 32)}
        </Text>
      </Box>
    ),
  ),
  ...casesOf(
    WRAPS,
    (wrap) => `wrap ${wrap} with nested looks`,
    (wrap) => (
      <Box width={12}>
        <Text wrap={wrap}>
          The <Text color="red">quick brown</Text> fox <Text bold>jumps over the</Text> dog
        </Text>
      </Box>
    ),
  ),
  "wrap of a long word": (
    <Box width={9}>
      <Text>{`ab ${"x".repeat(25)} cd`}</Text>
    </Box>
  ),
  "wrap in one column": (
    <Box width={1}>
      <Text>abc</Text>
    </Box>
  ),
  "truncate to one column": (
    <Box width={1}>
      <Text wrap="truncate">abc</Text>
    </Box>
  ),
  "sequences that are no looks": <Text>{"a\u001b[2Kb\u001b[5;5Hc"}</Text>,
  "sequences that are no looks in text that wraps": (
    <Box width={8}>
      <Text>{"The \u001b[2Kquick\u001b[3A brown\u001b[?25h fox jumps"}</Text>
    </Box>
  ),
  "sequences that are no looks in a word that is broken": (
    <Box width={5}>
      <Text>{"abc\u001b[2Kdefghi\u001b[1Ajklmnop"}</Text>
    </Box>
  ),
  "a transform": (
    <Transform transform={(line) => line.replaceAll("l", "LL")}>
      <Text color="red">hello</Text>
    </Transform>
  ),
  "a transform with line numbers": (
    <Transform transform={(line, index) => `${index}: ${line}`}>
      <Text>{"a\nb\nc"}</Text>
    </Transform>
  ),
  "a transform inside a text": (
    <Text color="cyan">
      a
      <Transform transform={(line) => `<${line}>`}>
        <Text bold>b</Text>
      </Transform>
      c
    </Text>
  ),
  "a transform of wrapped text": (
    <Box width={10}>
      <Transform transform={(line, index) => (index % 2 ? line.toUpperCase() : line)}>
        <Text>{LOREM}</Text>
      </Transform>
    </Box>
  ),
};
