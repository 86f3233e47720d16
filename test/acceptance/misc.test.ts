import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/settings.ts';
import {
  loginWithToken,
  openHome,
  openLoggedInWorld,
  openWorld,
  requestLines,
  sha256,
} from '../support/acceptance.ts';
import { makeRecording, truncated } from '../support/fit-maker.ts';
import { runInProcess } from '../support/in-process.ts';
import { makeUnwritable, syncAsNobody } from '../support/nobody.ts';
import { ndjson, runSync } from '../support/program.ts';
import { installSync, runShell, writeProgram } from '../support/shell.ts';

const text = (part: string) => expect.stringContaining(part) as string;

describe('sync doctor', () => {
  it('reports no problem on a machine that works', async () => {
    const world = await openLoggedInWorld();
    const { code, stdout } = await world.sync(['doctor', '--json']);
    expect(code).toBe(0);
    const { dir } = world.home;
    const findings = ndjson(stdout);
    const host = new URL(world.sandbox.url).host;
    const good = (check: string, message: unknown) => ({
      type: 'finding',
      check,
      state: 'good',
      message,
    });
    expect(findings.filter(({ check }) => check !== 'name')).toEqual([
      good('config', `Settings: ${join(dir, 'config', 'config.json')}`),
      good('folders', 'Only you can change the settings and the state folder.'),
      good('disk', text(`free for ${join(dir, 'state')}`)),
      good('state', text(join(dir, 'state', 'ledger.db'))),
      good('keychain', text('Logins can be kept in')),
      good('zone', 'Days are counted in Europe/Berlin.'),
      good('proxy', 'No proxy is set.'),
      good('service', `${host} answers.`),
      good('clock', "This machine's clock agrees with the platform's."),
      good('login', text('Logged in as Ada')),
      good('node', text(`on Node.js ${process.versions.node} (`)),
      good('zone-data', text('Zone data 20')),
      good('watch', text('can be watched')),
      { type: 'summary', total: findings.length - 1 },
    ]);
    expect(findings.map(({ state }) => state)).not.toContain('bad');
  });

  it('reports a service that does not answer, with a hint', async () => {
    const nowhere = openHome({ SYNC_BASE_URL: 'http://127.0.0.1:9', SYNC_TOKEN_STORE: 'file' });
    const unreachable = await runInProcess(['doctor', '--json'], { home: nowhere });
    expect(unreachable.code).toBe(5);
    const bad = ndjson(unreachable.stdout).filter(({ state }) => state === 'bad');
    expect(bad).toEqual([
      { type: 'finding', check: 'service', state: 'bad', message: /127\.0\.0\.1:9/, hint: /./ },
    ]);
  });

  it('asks the service for the account, and exits 4 if the login has ended', async () => {
    const world = await openLoggedInWorld();
    const login = async () => {
      const { code, stdout } = await world.sync(['doctor', '--json']);
      const found = ndjson(stdout).find(({ check }) => check === 'login');
      return { code, ...found };
    };
    expect(await login()).toMatchObject({ code: 0, state: 'good', message: /^Logged in as .+\.$/ });
    world.sandbox.control.revoke();
    const ended = { code: 4, state: 'bad', message: text('ended'), hint: text('sync login') };
    expect(await login()).toMatchObject(ended);
    // The profile now records the end of the login.
    world.sandbox.control.clearRequests();
    expect(await login()).toMatchObject(ended);
    expect(requestLines(world.sandbox).filter((line) => line.startsWith('token'))).toEqual([]);
    expect((await world.sync(['status', '--check'])).code).toBe(4);
    expect(await world.sync(['token'])).toMatchObject({ code: 4, stdout: '' });
  });

  it.skipIf(process.platform === 'win32')(
    'refuses settings and a state folder that other users can change, and doctor names them',
    async () => {
      const world = await openLoggedInWorld();
      const folder = (name: string) => join(world.home.dir, name);
      const fault = (name: string) => `${folder(name)} can be changed by other users (mode 0777)`;
      const doctor = async (check: string) => {
        const { code, stdout, stderr } = await world.sync(['doctor', '--json']);
        expect([code, stderr]).toEqual([2, '']);
        return ndjson(stdout).filter((line) => line['check'] === check);
      };
      chmodSync(folder('state'), 0o777);
      for (const args of [['status'], ['upload', world.home.dir], ['daemon', 'stop']]) {
        const { code, stderr } = await world.sync(args);
        expect(code).toBe(2);
        expect(stderr).toContain(
          `The state folder ${folder('state')} is not used: ${fault('state')}.`,
        );
        expect(stderr).toContain(`chmod go-w ${folder('state')}`);
      }
      expect(world.sandbox.control.requests()).toEqual([]);
      const finding = { type: 'finding', state: 'bad' };
      expect(await doctor('folders')).toEqual([
        {
          ...finding,
          check: 'folders',
          message: text(fault('state')),
          hint: text(`chmod go-w ${folder('state')}`),
        },
      ]);
      chmodSync(folder('state'), 0o700);
      chmodSync(folder('config'), 0o777);
      expect((await world.sync(['status'])).code).toBe(2);
      expect(await doctor('config')).toEqual([
        {
          ...finding,
          check: 'config',
          message: text(`is not used: ${fault('config')}.`),
          hint: text(`chmod go-w ${folder('config')}`),
        },
      ]);
    },
  );

  it.skipIf(process.platform === 'win32')(
    'warns of a folder above that other users can change, which an administrator may share',
    async () => {
      const world = await openWorld();
      world.write('shared/config/config.json', '{}');
      chmodSync(join(world.home.dir, 'shared'), 0o777);
      const env = { SYNC_CONFIG_DIR: join(world.home.dir, 'shared', 'config') };
      const { code, stderr } = await world.sync(['config', 'list'], { env });
      expect(code).toBe(0);
      expect(stderr).toContain(`chmod go-w ${join(world.home.dir, 'shared')}`);
    },
  );

  it('shows which sync a shell starts', async () => {
    const world = await openWorld();
    const elsewhere = join(world.home.dir, 'elsewhere');
    world.write('elsewhere/nothing', '');
    writeProgram(join(elsewhere, 'sync'), 'exit 0');
    const lines = await world.lines(['doctor'], {
      env: { PATH: `${elsewhere}:${process.env['PATH'] ?? ''}` },
    });
    // A note, not a problem.
    expect(lines.at(-2)).toEqual({
      type: 'finding',
      check: 'name',
      state: 'odd',
      message: `\`sync\` in a shell is ${join(elsewhere, 'sync')}, not this program.`,
      hint: text('athlete-sync'),
    });
  });
});

describe('sync explain', () => {
  it('gives the reason for the state of a recording', async () => {
    const world = await openLoggedInWorld();
    const bytes = makeRecording();
    const ride = world.write('ride.fit', bytes);
    const explain = async (path: string) => (await world.lines(['explain', path]))[0];
    const fresh = { type: 'explain', subject: 'file', path: ride, sha256: sha256(bytes) };
    expect(await explain(ride)).toEqual({ ...fresh, state: 'new', reason: text('never sent') });
    await world.sync(['upload', ride]);
    const uploaded = await explain(ride);
    expect(uploaded).toMatchObject({ ...fresh, state: 'uploaded', reason: text('confirmed it') });
    expect(uploaded?.['upload']).toMatchObject({ path: ride, attempts: 1 });
    // The ledger finds it by its contents, not by its name.
    const copy = world.write('copy.fit', bytes);
    expect(await explain(copy)).toEqual({ ...uploaded, path: copy });

    world.sandbox.control.addFaults('upload-fit:422');
    const other = world.write('other.fit', makeRecording({ seed: 2 }));
    await world.sync(['upload', other]);
    expect(await explain(other)).toMatchObject({ state: 'refused', reason: text('refused it') });
    const cut = world.write('cut.fit', truncated(bytes, 20));
    expect(await explain(cut)).toMatchObject({ state: 'not-sent' });
    expect(await explain(world.write('letter.fit', 'Dear diary'))).toMatchObject({
      state: 'not-sent',
    });
    const settings = world.write('settings.fit', makeRecording({ type: 2 }));
    expect(await explain(settings)).toMatchObject({ state: 'not-sent' });
  });

  it.each([
    ['wellness', { date: '2026-02-15', weight: 72 }],
    ['nutrition', { date: '2026-02-15', calories: 2_000 }],
  ])('says as status does why the platform refused a day of %s', async (kind, day) => {
    const world = await openLoggedInWorld();
    const file = world.write('day.json', JSON.stringify(day));
    world.sandbox.control.addFaults(`${kind}:400*8`);
    expect((await world.sync(['push', kind, file])).code).toBe(6);
    const shown = await world.lines(['explain', '2026-02-15']);
    const again = `. \`sync push ${kind}\` with its file tries again.`;
    const ofKind = { kind, state: 'refused', reason: text(again) };
    expect(shown[0]?.['records']).toEqual(
      expect.arrayContaining([expect.objectContaining(ofKind)]),
    );
    const refused = { kind, date: '2026-02-15', state: 'rejected', message: text('') };
    expect(await world.lines(['status'])).toMatchObject([{ waiting: { records: [refused] } }]);
    expect((await world.sync(['status'])).stdout).toMatch(
      new RegExp(`^Refused by the platform\n  ${kind} of 2026-02-15\n    \\S`, 'm'),
    );
    const short = (await world.sync(['status', '--all-profiles'])).stdout;
    expect(short).toContain('0 recordings at the platform; 1 day refused');
    world.sandbox.control.clearFaults();
    expect((await world.sync(['push', kind, file])).code).toBe(0);
    expect(await world.lines(['status'])).toMatchObject([{ waiting: { records: [] } }]);
  });

  it('claims nothing about a recording that met no login', async () => {
    const world = await openWorld();
    const ride = world.write('ride.fit', makeRecording());
    expect((await world.sync(['upload', ride])).code).toBe(4);
    const [status] = await world.lines(['status'], { code: 4 });
    expect(status).toMatchObject({ uploads: { pending: 0, confirmed: 0, rejected: 0 } });
    const [explained] = await world.lines(['explain', ride]);
    expect(explained).toMatchObject({ state: 'unknown', reason: text('without a login') });
    const [day] = await world.lines(['explain', '2026-02-15']);
    expect(day?.['records']).toMatchObject([
      { state: 'unknown', reason: text('without a login') },
      { state: 'unknown', reason: text('without a login') },
    ]);
    const shown = await world.sync(['status']);
    expect(shown.stdout).toMatch(/^Uploads +not known without a login$/m);
  });

  it('knows after a logout what the last login sent, as status does, and the next athlete does not have it', async () => {
    const world = await openLoggedInWorld();
    const ride = world.write('ride.fit', makeRecording());
    await world.sync(['upload', ride]);
    // "0 seconds ago" may be a second later in the next call.
    const explained = async () =>
      (await world.sync(['explain', '2026-02-15'])).stdout.replace(/\d+ seconds? ago/, 'just now');
    const [before] = await world.lines(['explain', ride]);
    const dayBefore = await explained();
    await world.sync(['logout']);
    world.sandbox.control.clearRequests();
    expect(await world.lines(['explain', ride])).toEqual([before]);
    expect(await explained()).toBe(dayBefore);
    const other = world.write('other.fit', makeRecording({ seed: 2 }));
    expect(await world.lines(['explain', other])).toMatchObject([
      { state: 'new', reason: text('The last login did not send it') },
    ]);
    const status = await world.sync(['status']);
    expect(status.stdout).toMatch(/^Account +none; what was sent is that of the last login$/m);
    expect(status.stdout).toMatch(/^Uploads +1 recording at the platform/m);
    expect(status.stdout).toContain('Last recordings');
    expect(requestLines(world.sandbox)).toEqual([]);
    // The name and the address of the athlete are gone.
    const config = readFileSync(
      join(world.home.env['SYNC_CONFIG_DIR'] ?? '', 'config.json'),
      'utf8',
    );
    expect(config).not.toMatch(/name|email/);

    await loginWithToken(world, { athlete: 'athlete-2' });
    expect(await world.lines(['explain', ride])).toMatchObject([{ state: 'new' }]);
    await loginWithToken(world);
    expect(await world.lines(['explain', ride])).toEqual([before]);
  });

  it('shows the outcome of a day', async () => {
    const world = await openLoggedInWorld();
    const day = async () => (await world.lines(['explain', '2026-02-15']))[0];
    const unknown = { state: 'unknown', reason: 'Nothing was sent from here.' };
    const isoTime = /^\d{4}-\d\d-\d\dT.*Z$/;
    const nutrition = { kind: 'nutrition', ...unknown, files: [] };
    const empty = { date: '2026-02-15', zone: 'Europe/Berlin', recordings: [] };
    expect(await day()).toEqual({
      type: 'explain',
      subject: 'date',
      ...empty,
      records: [{ kind: 'wellness', ...unknown, files: [] }, nutrition],
    });
    await world.sync(['push', 'wellness', '-'], { input: '{"date": "2026-02-15", "hrv": 66}' });
    expect(await day()).toEqual({
      type: 'explain',
      subject: 'date',
      ...empty,
      records: [
        {
          kind: 'wellness',
          state: 'confirmed',
          reason: 'The platform confirmed it.',
          changedAt: isoTime,
          files: [{ path: 'stdin', sentAt: isoTime }],
        },
        nutrition,
      ],
    });
    world.sandbox.control.clearRequests();
    for (const given of ['no-such-thing', '21/11/2026']) {
      const neither = await world.sync(['explain', given]);
      expect([neither.code, neither.stderr]).toEqual([2, /neither a file nor a date/]);
    }
    for (const command of [['explain'], ['upload'], ['daemon', 'stop']]) {
      expect(await world.sync([...command, ''])).toMatchObject({
        code: 2,
        stderr: /^Error: An argument is empty\.\n {2}In a script, /,
      });
    }
    for (const line of ['upload ride.fit --name=', 'login --base-url=', 'sandbox --data=']) {
      expect(await world.sync(line.split(' '))).toMatchObject({
        code: 2,
        stderr: /^Error: The value of --(?:name|base-url|data) is empty\.\n {2}In a script, /,
      });
    }
    expect(await world.sync(['explain', 'no-such.fit'])).toMatchObject({
      code: 2,
      stderr: 'Error: no-such.fit: there is no such file, or it is a broken link.\n',
    });
    expect(await world.sync(['explain', '2026-02-30'])).toMatchObject({
      code: 2,
      stderr: /^Error: There is no 2026-02-30\.\n {2}Write a date as YYYY-MM-DD, /,
    });
    expect(requestLines(world.sandbox)).toEqual([]);
  });
});

it.skipIf(process.platform === 'win32')(
  'a folder that this user may not read is no missing file, and no folder without devices',
  async () => {
    const world = await openLoggedInWorld();
    world.write('locked/ride.fit', '');
    makeUnwritable(world, join(world.home.dir, 'locked'));
    chmodSync(join(world.home.dir, 'locked'), 0o000);
    expect(await syncAsNobody(world, ['explain', 'locked/ride.fit'])).toMatchObject({
      code: 2,
      stderr: 'Error: locked/ride.fit: this user may not look into its folder.\n',
    });
    expect(await syncAsNobody(world, ['devices', 'locked'])).toMatchObject({
      code: 3,
      stderr: 'Error: locked: It may not be read by this user.\n',
    });
  },
);

describe('sync config', () => {
  it('gets, sets, unsets and lists settings with their origins', async () => {
    const home = openHome();
    const run = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
      const { code, stdout } = await runInProcess(['config', ...args, '--json'], { home, env });
      expect(code, args.join(' ')).toBe(0);
      return ndjson(stdout);
    };
    const timezone = { type: 'setting', key: 'timezone', profile: 'default' };
    expect(await run(['get', 'timezone'])).toEqual([
      { ...timezone, value: null, origin: 'default' },
    ]);
    expect(await run(['set', 'timezone', 'Asia/Tokyo'])).toEqual([
      { ...timezone, value: 'Asia/Tokyo', origin: 'profile' },
    ]);
    expect(await run(['get', 'timezone'])).toEqual([
      { ...timezone, value: 'Asia/Tokyo', origin: 'profile' },
    ]);
    expect(await run(['get', 'timezone'], { SYNC_TIMEZONE: 'Europe/Oslo' })).toEqual([
      { ...timezone, value: 'Europe/Oslo', origin: 'environment' },
    ]);
    // Another profile has separate settings.
    expect(await run(['get', 'timezone', '--profile', 'ben'])).toEqual([
      { ...timezone, profile: 'ben', value: null, origin: 'default' },
    ]);
    const all = await run(['list']);
    expect(all.pop()).toEqual({ type: 'summary', total: all.length });
    expect(all.map(({ key }) => key)).toEqual(Object.keys(SETTINGS));
    expect(all.filter(({ origin }) => origin !== 'default')).toEqual([
      { ...timezone, value: 'Asia/Tokyo', origin: 'profile' },
    ]);
    expect(all.find(({ key }) => key === 'endpoint.wellness')).toEqual({
      type: 'setting',
      key: 'endpoint.wellness',
      value: '/api/wellness',
      origin: 'default',
      profile: 'default',
    });
    const [paths] = ndjson((await runSync(['config', 'path', '--json'], { home })).stdout);
    expect(paths).toEqual({
      type: 'paths',
      configFile: join(home.dir, 'config', 'config.json'),
      systemFile: /athlete-sync.config\.json$/,
      stateDir: join(home.dir, 'state'),
    });
    expect(JSON.parse(readFileSync(String(paths?.['configFile']), 'utf8'))).toEqual({
      profiles: { default: { timezone: 'Asia/Tokyo' } },
    });
    expect(await run(['unset', 'timezone'])).toEqual([
      { ...timezone, value: null, origin: 'default' },
    ]);
    expect(await run(['get', 'timezone'])).toEqual([
      { ...timezone, value: null, origin: 'default' },
    ]);
  });

  it('prints the path of an unreadable file, and the line of its error', async () => {
    const home = openHome();
    const file = join(home.dir, 'config', 'config.json');
    mkdirSync(join(file, '..'));
    writeFileSync(file, '{\n  "profiles": {\n    "default": {,}\n  }\n}\n');
    expect(await runInProcess(['config', 'path'], { home })).toEqual({
      code: 0,
      stdout: `${file}\n`,
      stderr: '',
    });
    const get = await runInProcess(['config', 'get', 'timezone'], { home });
    expect([get.code, get.stderr]).toEqual([2, /config\.json is not JSON: .* in line 3\.\n/]);
    writeFileSync(file, '{\n  "profiles":\n');
    const cut = await runInProcess(['config', 'get', 'timezone'], { home });
    expect(cut.stderr).toContain('Unexpected end of JSON input (line 2).');
  });

  it('prints plain values for scripts', async () => {
    const home = openHome();
    await runInProcess(['config', 'set', 'platform.kind', 'coach-watts'], { home });
    const got = await runInProcess(['config', 'get', 'platform.kind'], { home });
    expect(got).toEqual({ code: 0, stdout: 'coach-watts\n', stderr: '' });
  });

  it.each([
    ['get colour', '"colour"'],
    ['set platform.kind both', 'not one of: interface, coach-watts'],
    ['set endpoint.profile api/profile', 'it begins with one /'],
    ['set timezone', "'value'"],
  ])('refuses config %s', async (line, words) => {
    const home = openHome();
    const { code, stderr, stdout } = await runInProcess(['config', ...line.split(' ')], { home });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(readdirSync(home.dir)).toEqual([]);
  });

  it('warns that a variable overrides the new value', async () => {
    const home = openHome({ SYNC_TIMEZONE: 'Europe/Oslo' });
    expect(await runInProcess(['config', 'set', 'timezone', 'Asia/Tokyo'], { home })).toMatchObject(
      { code: 0, stderr: /SYNC_TIMEZONE is set, and overrides this setting\./ },
    );
  });
});

describe.skipIf(process.platform !== 'linux')('results on a full disk', () => {
  it('are reported as lost: the work continues and the run fails', async () => {
    const world = await openLoggedInWorld();
    world.write('ride.fit', makeRecording({ durationSecs: 60 }));
    const { home } = world;
    const path = [installSync(home)];
    const upload = await runShell('sync upload ride.fit > /dev/full', { home, path });
    expect(upload.stderr).toBe(
      'Error: The results could not be written: their disk is full.\n' +
        '  The command did its work nevertheless; see `sync status`.\n',
    );
    expect(upload.code).toBe(1);
    const [athlete] = world.sandbox.control.state().athletes;
    expect(athlete?.recordings).toHaveLength(1);
    for (const words of ['--help', 'config list', '--version']) {
      const run = await runShell(`sync ${words} > /dev/full`, { home, path });
      expect([words, run.code]).toEqual([words, 1]);
      expect(run.stderr).not.toContain('    at ');
    }
  });
});
