// The focus among the panes that are on the screen.

/** The pane that has the focus, or the first one where that is not among them. Never throws. */
export function focusAmong<Pane>(panes: readonly Pane[], focus: Pane): Pane {
  return panes.includes(focus) ? focus : (panes[0] ?? focus);
}

/** The pane so many steps further, or back, in the round; undefined where there is none. Never throws. */
export function focusAfter<Pane>(
  panes: readonly Pane[],
  focus: Pane,
  steps: number,
): Pane | undefined {
  const at = Math.max(0, panes.indexOf(focus));
  return panes[(at + steps + panes.length) % panes.length];
}
