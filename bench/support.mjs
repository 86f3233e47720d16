import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

/** Whole processes, timed from outside, in turns: what drifts drifts for both sides alike. */

const root = fileURLToPath(new URL('..', import.meta.url));
export const program = join(root, 'bin', 'sync.js');
export const scratch = mkdtempSync(join(tmpdir(), 'sync-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** The environment of a run: a home of its own, logged in by a token that the sink takes. */
export function environment(name, baseUrl) {
  // All else is as whoever runs this has it: what slows every start of Node slows both sides.
  const own = Object.entries(process.env).filter(([variable]) => !variable.startsWith('SYNC_'));
  return {
    ...Object.fromEntries(own),
    HOME: join(scratch, name),
    SYNC_CONFIG_DIR: join(scratch, name, 'config'),
    SYNC_STATE_DIR: join(scratch, name, 'state'),
    SYNC_BASE_URL: baseUrl,
    SYNC_CLIENT_ID: 'bench',
    SYNC_TOKEN_STORE: 'file',
  };
}

/** A login as `sync login` leaves it, so that runs begin where a user's begin. */
export async function logIn(env) {
  const token = JSON.stringify({
    access_token: 'bench',
    token_type: 'Bearer',
    expires_in: 86_400,
    refresh_token: 'bench',
    scope: 'workout:write',
  });
  const { code, stderr } = await run(
    [process.execPath, program, 'login', '--with-token'],
    env,
    token,
  );
  if (code !== 0) throw new Error(`login: ${stderr}`);
}

/** Runs a command to its end. Asynchronous: the sink lives in this process. */
export function run([command, ...args], env = process.env, input = '') {
  return new Promise((done, fail) => {
    const started = process.hrtime.bigint();
    const child = spawn(command, args, { env, stdio: ['pipe', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', fail);
    child.once('close', (code) => {
      done({ code, stderr, ms: Number(process.hrtime.bigint() - started) / 1e6 });
    });
  });
}

/** Is this program on the machine? Those that are not are left out, and that is said. */
export function has(command) {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
}

/**
 * Peak memory of a Node program (MB); undefined on other systems than Linux. The program writes down
 * the kernel's high-water mark of its own process: `getrusage` counts the parent process as well.
 */
export async function peakMemory(command, env) {
  if (process.platform !== 'linux') return undefined;
  const hook = join(scratch, 'peak-memory.cjs');
  const status = join(scratch, 'peak-memory.txt');
  const write = `fs.writeFileSync(${JSON.stringify(status)}, fs.readFileSync('/proc/self/status'))`;
  writeFileSync(hook, `const fs = require('node:fs');\nprocess.on('exit', () => ${write});\n`);
  rmSync(status, { force: true });
  const { code, stderr } = await run(command, { ...env, NODE_OPTIONS: `--require ${hook}` });
  if (code !== 0) throw new Error(`${command.join(' ').slice(0, 200)}: ${code} ${stderr}`);
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/**
 * Runs `ours` and each of `rivals` in turns.
 * @param before is called, untimed, before each run (to forget what a run left behind)
 * @returns median ms of each, and the median of the ratios round by round
 */
export async function compare(ours, rivals, { rounds = 11, before = () => undefined } = {}) {
  const times = { ours: [] };
  const ratios = {};
  for (let round = -1; round < rounds; round++) {
    const one = async (name, { command, env, input }) => {
      await before(name);
      const { ms, code, stderr } = await run(command, env, input);
      if (code !== 0) throw new Error(`${command.join(' ').slice(0, 200)}: ${code} ${stderr}`);
      if (round >= 0) (times[name] ??= []).push(ms);
      return ms;
    };
    const own = await one('ours', ours);
    for (const [name, rival] of Object.entries(rivals)) {
      const theirs = await one(name, rival);
      if (round >= 0) (ratios[name] ??= []).push(own / theirs);
    }
  }
  return {
    ms: mapValues(times, median),
    ratio: mapValues(ratios, median),
    spread: mapValues(ratios, (list) => [Math.min(...list), Math.max(...list)]),
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const mapValues = (object, map) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));

/** A server that takes everything, as fast as it can. @param latencyMs before each answer */
export async function startSink(latencyMs = 0) {
  const answer = JSON.stringify({
    success: true,
    results: { total: 1, processed: 1, duplicates: 0, failed: 0 },
  });
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const send = () => response.setHeader('content-type', 'application/json').end(answer);
      if (latencyMs > 0) setTimeout(send, latencyMs);
      else send();
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A folder of made recordings, all different. @returns its path */
export async function makeFolder(name, count, sizeBytes) {
  const { makeRecording } = await loadMaker();
  const folder = join(scratch, name);
  for (let index = 0; index < count; index++) {
    const path = join(folder, `2026-${String(index >> 8).padStart(3, '0')}`, `ride-${index}.fit`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, makeRecording({ seed: index + 1, durationSecs: 20, sizeBytes }));
  }
  return folder;
}

let maker;

/** Loads test/support/fit-maker.ts. */
export async function loadMaker() {
  maker ??= build({
    input: join(root, 'test', 'support', 'fit-maker.ts'),
    platform: 'node',
    logLevel: 'silent',
    output: { dir: join(scratch, 'maker'), format: 'esm', entryFileNames: 'maker.mjs' },
  });
  await maker;
  return await import(pathToFileURL(join(scratch, 'maker', 'maker.mjs')).href);
}

const verdicts = [];

/** Prints a figure beside its target. */
export function tell(job, figure, target, unit = 'x') {
  const met = target === undefined ? '' : figure <= target ? 'met' : 'MISSED';
  verdicts.push(met);
  const bound = target === undefined ? '' : `target ${target} ${unit}`;
  console.log(
    `${job.padEnd(62)} ${`${figure.toFixed(2)} ${unit}`.padStart(10)}   ${bound.padEnd(16)} ${met}`,
  );
}

export function missed() {
  return verdicts.filter((verdict) => verdict === 'MISSED').length;
}
