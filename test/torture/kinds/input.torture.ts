import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRecording } from '../../support/fit-maker.ts';
import { ndjson } from '../../support/program.ts';
import { judgeCargo, judgeWellness } from '../judge.ts';
import { HOSTILE_TEXTS } from '../hostile-answers.ts';
import { brokenText, hostileRecord, hostileWord } from '../hostile-input.ts';
import { type Round, torture } from '../kind.ts';
import { type Scene, openScene } from '../scene.ts';

const CASES = 6;

const PARTS: readonly [Part, ...Part[]] = [
  pushAmongHostile,
  pushAmongHostile,
  pushBroken,
  uploadNames,
  typeWords,
  setVariables,
  writeConfig,
  logInWithGarbage,
];
type Part = (round: Round, scene: Scene) => Promise<void>;

torture({
  name: 'input',
  title: 'hostile files, names, arguments, settings and tokens',
  rounds: { short: 14, full: 120 },
  run: async (round) => {
    for (let index = 0; index < CASES; index++) {
      const scene = await openScene(round, { platform: 'coach-watts' });
      await round.random.pick(PARTS)(round, scene);
    }
    const polluted = Object.keys(Object.prototype);
    if (polluted.length > 0)
      round.failed('wrong report', `Object.prototype has ${polluted.join()}`);
  },
});

/** Exit codes of a command that got something wrong from its user. */
const USERS_FAULT: readonly (number | null)[] = [2, 3];

/** Pushes good days among hostile records: the good ones arrive, each of the others has a line. */
async function pushAmongHostile(round: Round, scene: Scene): Promise<void> {
  const { random } = round;
  const days = [1, 2, 3].map((day) => ({
    date: `2026-02-0${day}`,
    restingHr: random.integer(40, 60),
    weight: random.integer(65, 78),
  }));
  const records = days.map((day) => JSON.stringify(day));
  const isList = random.chance(0.5);
  // A list that is nested too deep is refused as a whole; of lines, one is.
  const deepest = isList ? 150 : 3_000;
  for (let count = random.integer(1, 4); count > 0; count--) {
    // The first line shows that the file has one record on each line.
    const at = random.integer(isList ? 0 : 1, records.length);
    records.splice(at, 0, hostileRecord(random, deepest));
  }
  const text = isList
    ? `[${records.join(',\n')}]`
    : records.join(random.pick(['\n', '\r\n', '\n\n']));
  const name = isList ? 'morning.json' : 'morning.ndjson';
  const usesStdin = random.chance(0.3);
  const path = usesStdin ? '-' : scene.world.write(name, text);
  round.note(text.slice(0, 2_000));
  const { code, stdout } = await scene.run(
    ['push', 'wellness', path, '--json'],
    usesStdin ? { input: text } : {},
  );
  if (![0, 3, 6].includes(code ?? -1)) round.failed('wrong report', `exit ${String(code)}`);
  for (const line of ndjson(stdout)) {
    if (line['outcome'] !== 'invalid') continue;
    round.count('refused records');
    const { source, problem } = line;
    const named = typeof source === 'string' && source.startsWith(usesStdin ? 'stdin' : path);
    if (!named || typeof problem !== 'string' || problem === '') {
      round.failed('wrong report', `no place or no problem: ${JSON.stringify(line)}`);
    }
  }
  const sent = new Map(days.map(({ date, ...fields }) => [date, fields]));
  // Hostile records of March may be right by chance: only the good days are judged.
  const held = scene.world.sandbox.control.state('athlete-1');
  const [athlete] = held.athletes;
  if (athlete === undefined) return;
  const february = athlete.wellness.filter(({ date }) => date < '2026-03');
  const state = () => ({ athletes: [{ ...athlete, wellness: february }] });
  judgeWellness(round, { control: { state, recordingBytes: () => null } }, sent);
}

/** Pushes a file that is none: exit 3 and its name, and nothing is sent. */
async function pushBroken(round: Round, scene: Scene): Promise<void> {
  const { random } = round;
  const good = JSON.stringify([{ date: '2026-02-01', restingHr: 50 }]);
  const text = brokenText(random, good);
  const path = scene.world.write(
    `broken.${random.pick(['json', 'ndjson', 'csv', 'xml', 'fit'])}`,
    text,
  );
  const command = random.pick([
    ['push', 'wellness'],
    ['push', 'nutrition'],
    ['upload'],
    ['import', '--yes'],
  ]);
  const { code, stdout, stderr } = await scene.run([...command, path]);
  // A folder of other files, and an export without content, are no mistakes.
  if (command[0] !== 'import' && !USERS_FAULT.includes(code)) {
    round.failed('wrong report', `exit ${String(code)} for a file that is none`);
  }
  if (code !== 0 && !`${stdout}${stderr}`.includes('broken.')) {
    round.failed('wrong report', `${command.join(' ')} does not name the file: ${stderr}`);
  }
  judgeCargo(round, scene.world.sandbox, scene.cargo);
}

/** Uploads recordings from files with hostile names. */
async function uploadNames(round: Round, scene: Scene): Promise<void> {
  const { random } = round;
  const dir = join(scene.world.home.dir, 'card');
  mkdirSync(dir);
  for (let count = 3; count > 0; count--) {
    const text = random.pick(HOSTILE_TEXTS).replaceAll(/[\0/]/g, '').slice(0, 60);
    const bytes = makeRecording({ seed: random.uint32(), sizeBytes: 1_500 });
    const name = `${count}${text.toWellFormed()}.fit`;
    writeFileSync(join(dir, name), bytes);
    scene.cargo.recordings.set(name, bytes);
  }
  const format = random.chance(0.5) ? ['--json'] : [];
  const { code } = await scene.run(['upload', dir, ...format]);
  if (code !== 0) round.failed('wrong report', `upload of odd names ends with ${String(code)}`);
  await scene.run(['explain', join(dir, [...scene.cargo.recordings.keys()][0] ?? ''), ...format]);
  judgeCargo(round, scene.world.sandbox, scene.cargo);
}

const COMMANDS: readonly [readonly string[], ...(readonly string[])[]] = [
  ['upload'],
  ['upload', '--name'],
  ['upload', '--metadata'],
  ['upload', '--since'],
  ['push', 'wellness'],
  ['push', 'wellness', '--tz'],
  ['push', 'wellness', '--source'],
  ['push', 'nutrition'],
  ['undo', 'nutrition'],
  ['profile', '--weight'],
  ['profile', '--ftp'],
  ['import', '--yes'],
  ['explain'],
  ['inspect'],
  ['repair'],
  ['verify', '--since'],
  ['workouts', '--limit'],
  ['config', 'get'],
  ['config', 'set', 'timezone'],
  ['config', 'set', 'baseUrl'],
  ['status', '--profile'],
  ['login', '--no-browser', '--timeout'],
  ['help'],
  [],
];

/** Types hostile words behind commands. A word may be fine by chance, but never a fault of sync. */
async function typeWords(round: Round, scene: Scene): Promise<void> {
  const { random } = round;
  for (let count = 4; count > 0; count--) {
    const command = random.pick(COMMANDS);
    const words = Array.from({ length: random.integer(1, 2) }, () => hostileWord(random));
    const format = random.chance(0.4) ? ['--json'] : [];
    const { code } = await scene.run([...command, ...words, ...format]);
    expectNoFault(round, code);
  }
}

const VARIABLES: readonly [string, ...string[]] = [
  'SYNC_BASE_URL',
  'SYNC_CLIENT_ID',
  'SYNC_CLIENT_SECRET',
  'SYNC_TIMEZONE',
  'SYNC_PROFILE',
  'SYNC_TOKEN_STORE',
  'SYNC_REFRESH_TOKEN',
  'SYNC_ACCESS_TOKEN',
  'TZ',
  'NO_PROXY',
];

/** Runs commands with hostile variables. */
async function setVariables(round: Round, scene: Scene): Promise<void> {
  const { random } = round;
  const { env } = scene.world.home;
  const name = random.pick(VARIABLES);
  env[name] = hostileWord(random);
  round.note(`${name}=${JSON.stringify(env[name])}`);
  const path = scene.world.write('day.json', '{"date":"2026-02-01","restingHr":50}');
  const commands = [['push', 'wellness', path], ['status'], ['config', 'list'], ['doctor']];
  for (const command of commands) expectNoFault(round, (await scene.run(command)).code);
}

/** Runs commands with a hostile configuration file. */
async function writeConfig(round: Round, scene: Scene): Promise<void> {
  const { random } = round;
  const setting = random.pick([
    'baseUrl',
    'clientId',
    'timezone',
    'scope',
    'jobs',
    '__proto__',
    'endpoint',
  ]);
  const value = random.chance(0.5) ? JSON.stringify(hostileWord(random)) : valueOrNull(random);
  const text = random.chance(0.7)
    ? `{"profiles":{"default":{"${setting}":${value}}},"${setting}":${value}}`
    : String(brokenText(random, '{"profiles":{"default":{"timezone":"Europe/Berlin"}}}'));
  mkdirSync(join(scene.world.home.dir, 'config'), { recursive: true });
  scene.world.write('config/config.json', text);
  round.note(`config.json: ${text.slice(0, 1_000)}`);
  const path = scene.world.write('day.json', '{"date":"2026-02-01","restingHr":50}');
  const commands = [
    ['push', 'wellness', path],
    ['status'],
    ['config', 'list', '--json'],
    ['doctor'],
  ];
  for (const command of commands) expectNoFault(round, (await scene.run(command)).code);
}

function valueOrNull(random: Round['random']): string {
  return random.pick([
    'null',
    '0',
    '-1',
    '[]',
    '{}',
    'true',
    '[[]]',
    '{"__proto__":{"polluted":1}}',
  ]);
}

/** Gives `login --with-token` no token: the login of before stays. */
async function logInWithGarbage(round: Round, scene: Scene): Promise<void> {
  const { random } = round;
  const token = JSON.stringify(scene.world.sandbox.control.mint());
  const word = JSON.stringify(hostileWord(random));
  const input = random.pick<() => string>([
    () => String(brokenText(random, token)),
    () => `{"access_token":${word},"token_type":"Bearer","expires_in":3600}`,
    () => token.replace('"Bearer"', word),
    () => token.replace(/"expires_in":\d+/, `"expires_in":${valueOrNull(random)}`),
    () => token.replace(/"scope":"[^"]*"/, `"scope":${valueOrNull(random)}`),
    () => token.replace('{', '{"__proto__":{"polluted":1},"constructor":1,'),
  ])();
  round.note(`stdin: ${input.replaceAll(/sbx_\w+/g, 'TOKEN').slice(0, 500)}`);
  const { code } = await scene.run(['login', '--with-token'], { input });
  expectNoFault(round, code);
  const after = await scene.run(['profile']);
  if (after.code !== 0)
    round.failed('lost', `the login, after login --with-token: ${after.stderr}`);
}

function expectNoFault(round: Round, code: number | null): void {
  if (code === null || code === 1) round.failed('wrong report', `exit ${String(code)}`);
  if (USERS_FAULT.includes(code)) round.count('refused runs');
}
