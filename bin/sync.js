#!/usr/bin/env node
// This file and old-node.js use ECMAScript 5 only: every version of Node.js can read them.
var version = process.versions.node.split('.');
var major = Number(version[0]);
var minor = Number(version[1]);

// `engines` in package.json: 21 and 22.0 to 22.2 lack `process.getBuiltinModule`.
if (major === 20 ? minor >= 19 : major === 22 ? minor >= 3 : major > 22) {
  require('../dist/main.cjs');
} else {
  require('./old-node.js');
}
