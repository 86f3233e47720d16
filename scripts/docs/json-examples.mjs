// Records a line of each kind that `--json` prints, from a fixed run of the built program on the sandbox.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ZipFile } from 'yazl';
import { load } from './document.mjs';
import { GARMIN_DEVICE, addFaults, onSandbox, openHome, startLogin } from '../play.mjs';

const { LINES } = await load('scripts/json-schema/lines.ts');
const { candidates, jsonSchema, reference } = await load('scripts/json-schema/schema.ts');
// Optimising the schema's code takes longer than running it.
const ajv = new Ajv2020({ code: { optimize: false } }).addSchema(jsonSchema(LINES), 'lines');

const { home, env, start } = openHome({ PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TZ: 'UTC' });
const startedAt = Date.now();
const recorded = new Map();

/** In place of each time of the run. */
const NOW = '2026-05-18T08:02:11.402Z';
/** In place of values that differ from run to run or from machine to machine, by their fields. */
const MASKS = {
  authorizeUrl: (text) => text.replace(/(state|code_challenge)=[\w-]+/g, '$1=...'),
  registeredOn: () => NOW.slice(0, 10),
  accessToken: () => 'ACCESS-TOKEN',
  pid: () => 4242,
  tookMs: () => 104,
  requests: () => 42,
  // A watcher may have read a known recording before it is ready, or not.
  queued: () => 0,
  script: (text) => `${text.split('\n', 1)[0]}\n...`,
  // The last of the days before the run.
  days: (days) => Array.isArray(days) && [{ ...days.at(-1), date: NOW.slice(0, 10) }],
  settings: ({ platform, autoApprove }) => ({ platform, autoApprove }),
};
/** The default scopes, and those of `sync verify --days`. */
const SCOPES =
  'workout:write workout:read health:write health:read nutrition:write nutrition:read profile:write profile:read';
const SEED = ['--days', '3', '--until', '2026-05-17'];

/** The address of the sandbox. */
let platform;

/** Returns the first line of each definition in the schema, as text. */
export async function recordExamples() {
  await onSandbox({ home, env, start }, async ({ sandbox, url, line }) => {
    platform = url;
    keepLines(line);
    const rest = textOf(sandbox.stdout);
    await makeFiles();
    await sync('upload', 'ride.fit');
    keepLines(await textOf(start(['login', '--start', '--json']).stdout));
    keepLines(await textOf(startLogin(start, '--json', '--scope', SCOPES).stdout));
    await recordings();
    await records();
    await machine();
    await watchers();
    await seeds();
    await sync('logout');
    sandbox.kill('SIGTERM');
    keepLines(await rest);
  });
  return recorded;
}

async function makeFiles() {
  await sync('seed', ...SEED, '--out', 'data');
  const rides = readdirSync(join(home, 'data')).filter((name) => name.endsWith('.fit'));
  const [first, second] = rides.map((name) => join(home, 'data', name));
  copyFileSync(first, join(home, 'ride.fit'));
  writeFileSync(join(home, 'cut.fit'), readFileSync(first).subarray(0, -1000));
  writeFileSync(join(home, 'walk.gpx'), walk());
  writeFileSync(join(home, 'route.gpx'), '<gpx><rte/></gpx>');
  mkdirSync(join(home, 'rides'));
  copyFileSync(second, join(home, 'rides', 'ride.fit'));
  const device = join(home, 'media', 'GARMIN', 'Garmin');
  mkdirSync(join(device, 'Activity'), { recursive: true });
  copyFileSync(second, join(device, 'Activity', '2026-05-16-07-00-00.fit'));
  writeFileSync(join(device, 'GarminDevice.xml'), GARMIN_DEVICE);
  for (const kind of ['wellness', 'nutrition']) {
    const days = JSON.parse(readFileSync(join(home, 'data', `${kind}.json`), 'utf8'));
    write(`${kind}.json`, days.slice(-1));
  }
  write('unusable.json', [{ date: '2026-05-17', restingHr: -5 }]);
  write('intervals.json', [{ id: '2026-05-16', restingHR: 48, hrv: 62.4, sleepSecs: 27000 }]);
  const zip = new ZipFile();
  for (const name of rides) zip.addFile(join(home, 'data', name), name);
  zip.addBuffer(Buffer.from('PK\x03\x04'), 'inner.zip');
  zip.end();
  const parts = [];
  for await (const part of zip.outputStream) parts.push(part);
  writeFileSync(join(home, 'export.zip'), Buffer.concat(parts));
}

/** Returns a GPX file of ten minutes. */
function walk() {
  const point = (at) => {
    const time = new Date(Date.parse('2026-05-17T10:00:00Z') + at * 1000).toISOString();
    const lat = 47 + (at + 5 * Math.sin(at / 20)) / 90_000;
    return `<trkpt lat="${lat}" lon="8"><ele>410</ele><time>${time}</time></trkpt>`;
  };
  const points = Array.from({ length: 121 }, (_, index) => point(5 * index)).join('');
  return `<gpx version="1.1" creator="Example"><trk><name>To the lake</name><type>walking</type><trkseg>${points}</trkseg></trk></gpx>`;
}

async function recordings() {
  await sync('inspect', 'ride.fit', 'gone.fit');
  await sync('repair', 'cut.fit');
  await sync('convert', 'walk.gpx', '--out', 'walk.fit');
  await sync('convert', 'route.gpx');
  await sync('upload', 'ride.fit', '--dry-run');
  await addFaults(platform, 'upload-fit:400');
  await sync('upload', 'ride.fit');
  await sync('upload', 'ride.fit', 'cut.fit');
  await sync('upload', 'ride.fit');
  await sync('explain', 'ride.fit');
  await sync('explain', '2026-05-16');
  await sync('import', 'export.zip', '--yes');
  await sync('verify');
  await sync('undo', 'upload', 'ride.fit', '--yes');
  await sync('upload', '--force', 'ride.fit');
}

async function records() {
  await sync('sources');
  await sync('push', 'wellness', 'intervals.json');
  await sync('push', 'wellness', 'unusable.json');
  await sync('push', 'nutrition', 'nutrition.json', '--dry-run');
  await sync('push', 'nutrition', 'nutrition.json');
  await sync('push', 'nutrition', 'nutrition.json');
  await sync('verify', '--days');
  await sync('workouts', '--limit', '1');
  await sync('profile');
  // An answer that is not a list of workouts.
  await run(['config', 'set', 'endpoint.workouts', '/api/oauth/userinfo']);
  await sync('workouts');
  await run(['config', 'unset', 'endpoint.workouts']);
}

async function machine() {
  await sync('devices');
  await sync('status');
  await sync('token');
  await sync('doctor');
  await sync('config', 'get', 'timezone');
  await sync('config', 'path');
  await sync('completion', 'bash');
}

async function watchers() {
  await watchUntilReady();
  await sync('watch', 'rides', '--daemon');
  await daemonStatus();
  await sync('daemon', 'logs');
  await sync('daemon', 'stop');
  await sync('daemon', 'uninstall');
}

async function watchUntilReady() {
  const child = start(['watch', 'rides', '--json']);
  child.stdout.on('data', (piece) => {
    if (String(piece).includes('"event":"ready"')) child.kill('SIGTERM');
  });
  keepLines(await textOf(child.stdout));
}

async function seeds() {
  await sync('seed', ...SEED);
  await addFaults(platform, 'workout-removal:404');
  await sync('seed', ...SEED, '--remove');
  write('accounts.json', [{ name: 'ada', accessTokenEnv: 'ADA_TOKEN' }]);
  await sync('seed', ...SEED, '--accounts', 'accounts.json');
}

/** Waits until the daemon has searched its folder, so that the line has the same fields in every run. */
async function daemonStatus() {
  for (;;) {
    const text = await run(['daemon', 'status']);
    if (text.includes('"lastSweepAt"') && text.includes('"waiting":0')) return keepLines(text);
    if (!text.includes('"running":true')) throw new Error(`The daemon ended: ${text}`);
  }
}

/** Runs a command and keeps its lines. */
async function sync(...args) {
  keepLines(await run(args));
}

async function run(args) {
  const child = start([...args, '--json']);
  return await textOf(child.stdout);
}

/** Keeps the first line of each definition in the schema. */
function keepLines(text) {
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const fields = JSON.parse(line);
    const definition = candidates(LINES, fields).find((name) =>
      ajv.validate(`lines${reference(name)}`, fields),
    );
    if (definition === undefined) throw new Error(`The schema does not describe ${line}`);
    if (!recorded.has(definition)) recorded.set(definition, masked(line));
  }
}

/** The line without what differs from run to run and from machine to machine. */
function masked(line) {
  const text = line
    .replaceAll(home, '/home/ada')
    .replaceAll(platform, 'https://training.example.com')
    .replace(/(?<=app_version\W+)\d[\d.]+/, '1.0.0')
    .replace(/\b[0-9a-f]{16}\b/g, '0f1e2d3c4b5a6978')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (Date.parse(time) < startedAt ? time : NOW))
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, NOW.slice(0, 19).replace('T', ' '));
  return JSON.stringify(JSON.parse(text, (key, value) => MASKS[key]?.(value) || value));
}

async function textOf(stream) {
  let text = '';
  for await (const piece of stream.setEncoding('utf8')) text += piece;
  return text;
}

function write(name, value) {
  writeFileSync(join(home, name), JSON.stringify(value));
}
