// What ink-table gets when it requires Ink: filled by ink-table.mjs before anything is rendered.
module.exports = {};
