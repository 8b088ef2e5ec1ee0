#!/usr/bin/env node
// Launcher: checks Node, then runs the built program.
const [major = 0, minor = 0, patch = 0] = process.versions.node.split(".").map(Number);
const isTooOld = major < 20 || (major === 20 && (minor < 18 || (minor === 18 && patch < 1)));

if (isTooOld) {
  process.stderr.write(
    `monitor: this Node is too old: ${process.versions.node}\ninstall Node 20.18.1 or newer\n`,
  );
  process.exitCode = 2;
} else {
  require("./program.js").loadProgram().run();
}
