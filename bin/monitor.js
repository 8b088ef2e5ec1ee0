#!/usr/bin/env node
// Launcher: checks Node, switches its compile cache on where it has one, then loads the built program.
import module from "node:module";

const [major = 0, minor = 0, patch = 0] = process.versions.node.split(".").map(Number);
const tooOld = major < 20 || (major === 20 && (minor < 18 || (minor === 18 && patch < 1)));

if (tooOld) {
  process.stderr.write(
    `monitor: this Node is too old: ${process.versions.node}\ninstall Node 20.18.1 or newer\n`,
  );
  process.exitCode = 2;
} else {
  module.enableCompileCache?.();
  await import("../dist/monitor.js");
}
