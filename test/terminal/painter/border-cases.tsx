// Boxes: their borders and backgrounds.
import { Box, Text } from "ink";
import { type Cases, COLORS, casesOf } from "./cases.ts";

const BORDERS = [
  "single",
  "double",
  "round",
  "bold",
  "singleDouble",
  "doubleSingle",
  "classic",
  "arrow",
] as const;
const SIDES = ["Top", "Bottom", "Left", "Right"] as const;
const OWN_BORDER = {
  topLeft: "1",
  top: "2",
  topRight: "3",
  left: "4",
  right: "5",
  bottomLeft: "6",
  bottom: "7",
  bottomRight: "8",
};

export const borderCases: Cases = {
  ...casesOf(
    BORDERS,
    (style) => `border ${style}`,
    (style) => (
      <Box borderStyle={style} width={12} height={4}>
        <Text>a</Text>
      </Box>
    ),
  ),
  "a border of one's own": (
    <Box borderStyle={OWN_BORDER} width={12} height={4}>
      <Text>a</Text>
    </Box>
  ),
  ...casesOf(
    COLORS,
    (color) => `border color ${color}`,
    (color) => <Box borderStyle="single" borderColor={color} width={6} height={3} />,
  ),
  "a border color for each side": (
    <Box
      borderStyle="single"
      borderTopColor="red"
      borderBottomColor="green"
      borderLeftColor="blue"
      borderRightColor="yellow"
      width={8}
      height={4}
    />
  ),
  "a dim border": (
    <Box borderStyle="single" borderColor="red" borderDimColor width={6} height={4} />
  ),
  ...casesOf(
    SIDES,
    (side) => `a dim border on side ${side}`,
    (side) => (
      <Box borderStyle="single" {...{ [`border${side}DimColor`]: true }} width={8} height={4} />
    ),
  ),
  ...casesOf(
    SIDES,
    (side) => `a border without side ${side}`,
    (side) => (
      <Box
        borderStyle="double"
        {...{ [`border${side}`]: false }}
        backgroundColor="blue"
        width={8}
        height={4}
      >
        <Text>a</Text>
      </Box>
    ),
  ),
  "only a rule above": (
    <Box
      borderStyle="single"
      borderLeft={false}
      borderRight={false}
      borderBottom={false}
      width={8}
      height={2}
    />
  ),
  "a border with no room inside": <Box borderStyle="single" width={2} height={2} />,
  ...casesOf(
    COLORS,
    (color) => `box background ${color}`,
    (color) => (
      <Box backgroundColor={color} width={8} height={3}>
        <Text>a</Text>
      </Box>
    ),
  ),
  "a background inside a border": (
    <Box backgroundColor="blue" borderStyle="round" padding={1} width={12} height={6}>
      <Text color="red">a</Text>
    </Box>
  ),
  "nested backgrounds": (
    <Box backgroundColor="blue" padding={1} width={14} height={6}>
      <Box backgroundColor="green" width={6} height={2}>
        <Text>a</Text>
      </Box>
      <Text backgroundColor="red">b</Text>
      <Text>c</Text>
    </Box>
  ),
};
