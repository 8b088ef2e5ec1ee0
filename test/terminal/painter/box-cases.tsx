// Boxes: how they are laid out.
import { Box, Spacer, Text } from "ink";
import { type Cases, casesOf, FILLED, LOREM } from "./cases.ts";

const three = (
  <>
    <Text color="red">one</Text>
    <Text color="green">two two</Text>
    <Text color="blue">three</Text>
  </>
);

export const boxCases: Cases = {
  "a row": <Box>{three}</Box>,
  "a column": <Box flexDirection="column">{three}</Box>,
  "a reversed row": <Box flexDirection="row-reverse">{three}</Box>,
  "a reversed column": <Box flexDirection="column-reverse">{three}</Box>,
  "flex wrap": (
    <Box width={10} flexWrap="wrap">
      {three}
    </Box>
  ),
  "flex wrap reversed": (
    <Box width={10} flexWrap="wrap-reverse">
      {three}
    </Box>
  ),
  ...casesOf(
    [1, 2, 0] as const,
    (gap) => `gap ${gap}`,
    (gap) => (
      <Box gap={gap} flexWrap="wrap" width={12}>
        {three}
      </Box>
    ),
  ),
  "column and row gap": (
    <Box columnGap={3} rowGap={1} flexWrap="wrap" width={14}>
      {three}
    </Box>
  ),
  ...casesOf(
    ["flex-start", "center", "flex-end", "space-between", "space-around", "space-evenly"] as const,
    (justify) => `justify ${justify}`,
    (justify) => (
      <Box justifyContent={justify} width={38}>
        {three}
      </Box>
    ),
  ),
  ...casesOf(
    ["flex-start", "center", "flex-end", "stretch"] as const,
    (align) => `align ${align}`,
    (align) => (
      <Box alignItems={align} height={5} borderStyle="single">
        <Box borderStyle="round">
          <Text>a</Text>
        </Box>
        <Text>b</Text>
      </Box>
    ),
  ),
  "align self": (
    <Box height={5} alignItems="flex-start">
      <Box alignSelf="flex-end">
        <Text>a</Text>
      </Box>
      <Box alignSelf="center">
        <Text>b</Text>
      </Box>
      <Box alignSelf="auto">
        <Text>c</Text>
      </Box>
    </Box>
  ),
  "grow and shrink": (
    <Box width={30} height={3}>
      <Box flexGrow={1} borderStyle="single" />
      <Box flexGrow={2} borderStyle="single" />
      <Box flexShrink={0} width={6} borderStyle="single" />
    </Box>
  ),
  "a basis": (
    <Box width={30} height={3}>
      <Box flexBasis={12} borderStyle="single" />
      <Box flexBasis="25%" borderStyle="single" />
    </Box>
  ),
  "a spacer": (
    <Box width={30}>
      <Text>a</Text>
      <Spacer />
      <Text>b</Text>
    </Box>
  ),
  "sizes in percent": (
    <Box width="50%" height="50%" borderStyle="single">
      <Box width="50%" borderStyle="single" />
    </Box>
  ),
  "least sizes": (
    <Box minWidth={10} minHeight={4} borderStyle="single" alignSelf="flex-start">
      <Text>a</Text>
    </Box>
  ),
  "padding on all sides": (
    <Box padding={1} borderStyle="single">
      <Text>a</Text>
    </Box>
  ),
  "padding by axis": (
    <Box paddingX={3} paddingY={1} borderStyle="single">
      <Text>a</Text>
    </Box>
  ),
  "padding by side": (
    <Box paddingTop={1} paddingBottom={2} paddingLeft={3} paddingRight={4} borderStyle="single">
      <Text>{LOREM}</Text>
    </Box>
  ),
  "margin on all sides": (
    <Box margin={2} borderStyle="single">
      <Text>a</Text>
    </Box>
  ),
  "margin by axis": (
    <Box marginX={3} marginY={1} borderStyle="single">
      <Text>a</Text>
    </Box>
  ),
  "margin by side": (
    <Box marginTop={1} marginBottom={2} marginLeft={3} marginRight={4} borderStyle="single">
      <Text>a</Text>
    </Box>
  ),
  "a negative margin": (
    <Box flexDirection="column">
      <Text>aaaa</Text>
      <Box marginTop={-1} marginLeft={2}>
        <Text color="red">b</Text>
      </Box>
    </Box>
  ),
  "display none": (
    <Box>
      <Box display="none">
        <Text>hidden</Text>
      </Box>
      <Text>shown</Text>
    </Box>
  ),
  "an absolute position over others": (
    <Box width={20} height={5}>
      <Text>{FILLED}</Text>
      <Box position="absolute" marginLeft={3} marginTop={1} borderStyle="round">
        <Text>over</Text>
      </Box>
    </Box>
  ),
};
