// Ends what a run of the tests leaves behind: node survivors.mjs FOLDER PID
//
// FOLDER is the temporary folder of the run, PID the process of vitest. Waits until vitest closes stdin, also by
// being killed. Then it kills the processes whose command line, environment or working directory names the folder,
// prints them, and removes the folder. Exits with 1 if there was a process. Needs /proc.
import { readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time in which a process that is about to end may do so (ms). */
const GRACE_MS = 3_000;
const PAUSE_MS = 50;

const [folder, vitest] = process.argv.slice(2);
process.stdin.resume();
await new Promise((done) => process.stdin.once('close', done));

const end = Date.now() + GRACE_MS;
let found = survivors();
while (found.length > 0 && Date.now() < end) {
  await sleep(PAUSE_MS);
  found = survivors();
}
for (const { pid, line } of found) {
  print(`A process outlived its test, and was killed: ${pid} ${line}`);
  kill(pid);
}
if (readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${folder}/`)) {
  print(`Something is still mounted below ${folder}. It was not removed.`);
} else {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    print(`${folder} was not removed: ${error.message}`);
  }
}
process.exitCode = found.length > 0 ? 1 : 0;

/** Vitest ends its own children if it lives. */
function survivors() {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && pid !== String(process.pid) && pid !== vitest)
    .filter((pid) => namesFolder(pid) && parentOf(pid) !== vitest)
    .map((pid) => ({ pid, line: readProcess(pid, 'cmdline').replaceAll('\0', ' ').trim() }));
}

/** A zombie has ended, and has none of these. */
function namesFolder(pid) {
  return (
    readProcess(pid, 'cmdline').includes(folder) ||
    readProcess(pid, 'environ').includes(folder) ||
    workingDirectory(pid).startsWith(folder)
  );
}

/** proc(5): the second field may hold blanks and brackets; the fourth is the parent. */
function parentOf(pid) {
  const stat = readProcess(pid, 'stat');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
}

/** Returns a file of a process; empty if it has ended or belongs to another user. */
function readProcess(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

function workingDirectory(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function kill(pid) {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The terminal or pipe of a killed vitest may be gone. */
function print(line) {
  process.stderr.once('error', () => undefined);
  process.stderr.write(`${line}\n`);
}
