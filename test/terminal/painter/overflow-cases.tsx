// What is cut: boxes that hide what leaves them, scrolled views, and a whole dashboard.
import { Box, Text } from "ink";
import { type Cases, casesOf, FILLED } from "./cases.ts";

export const overflowCases: Cases = {
  ...casesOf(
    ["overflow", "overflowX", "overflowY"],
    (axis) => `${axis} hidden`,
    (axis) => (
      <Box {...{ [axis]: "hidden" }} width={12} height={4} borderStyle="single">
        <Box flexShrink={0} width={20}>
          <Text>{FILLED}</Text>
        </Box>
      </Box>
    ),
  ),
  "overflow visible": (
    <Box overflow="visible" width={12} height={4} borderStyle="single">
      <Box flexShrink={0} width={20}>
        <Text>{FILLED}</Text>
      </Box>
    </Box>
  ),

  "a view scrolled down": (
    <Box overflow="hidden" height={4} width={20} borderStyle="single" flexDirection="column">
      <Box flexShrink={0} marginTop={-3}>
        <Text color="red">{FILLED}</Text>
      </Box>
    </Box>
  ),
  "a view scrolled to the side": (
    <Box overflow="hidden" height={6} width={20}>
      <Box flexShrink={0} marginLeft={-4} width={50}>
        <Text color="red">{FILLED}</Text>
      </Box>
    </Box>
  ),
  "boxes cut by a view": (
    <Box overflow="hidden" height={3} width={10}>
      <Box
        flexShrink={0}
        marginLeft={-2}
        marginTop={-1}
        width={20}
        height={8}
        borderStyle="double"
      />
    </Box>
  ),
  "a background cut by a view": (
    <Box overflow="hidden" height={3} width={10}>
      <Box flexShrink={0} width={20} height={8} backgroundColor="red" />
    </Box>
  ),
  "a dashboard": (
    <Box flexDirection="column" width={40} height={12}>
      <Box justifyContent="space-between">
        <Text bold>BTC-PERP</Text>
        <Text color="green">+1.25%</Text>
      </Box>
      <Box flexGrow={1}>
        <Box
          borderStyle="round"
          borderColor="gray"
          flexGrow={1}
          flexDirection="column"
          paddingX={1}
        >
          <Text dimColor>price size</Text>
          <Text color="red">100.50 12.000</Text>
          <Text color="green" wrap="truncate">
            100.25 7.500 and more
          </Text>
        </Box>
        <Box borderStyle="round" width={16} overflow="hidden" flexDirection="column">
          <Text inverse> trades </Text>
          <Text>{FILLED}</Text>
        </Box>
      </Box>
      <Text backgroundColor="#222">{"q quit  ? help".padEnd(40)}</Text>
    </Box>
  ),
};
