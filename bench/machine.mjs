import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { root, scratch } from './world.mjs';

/** Load average above which wall times mean little. */
const BUSY = 0.5;

/** Returns lines of Markdown about the machine, the versions, and what was missing. */
export function describeMachine(versions, missing) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tools = Object.entries(versions).map(([name, found]) => `${name} ${found}`);
  return [
    `Date: ${new Date().toISOString().slice(0, 10)}`,
    `athlete-sync ${version}, ${output('git', 'rev-parse', '--short', 'HEAD') ?? 'no commit'}`,
    `CPU: ${cpus()[0]?.model.trim()}, ${cpus().length} cores; load average at the start: ${loadavg()[0].toFixed(2)}`,
    `Memory: ${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    `Kernel: ${type()} ${release()}; file system: ${fileSystem()}`,
    `Node.js ${process.version}; ${tools.join(', ')}`,
    ...(missing.length > 0 ? [`Missing, so not compared: ${missing.join(', ')}`] : []),
  ];
}

export function isBusy() {
  return loadavg()[0] > BUSY;
}

function fileSystem() {
  return output('df', '--output=fstype', scratch)?.split('\n').at(-1) ?? 'unknown';
}

function output(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
