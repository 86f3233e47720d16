import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome, openLoggedInWorld, openSandbox, worldOf } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { runInProcess } from '../support/in-process.ts';
import { type RunOptions, ndjson, runSync, startSync } from '../support/program.ts';

/** Returns an empty home. */
const fresh = (): RunOptions => ({ home: openHome() });

/** Lists the files in a home. */
const traces = ({ home }: RunOptions) => readdirSync(home.dir);

describe('a command line that is wrong', () => {
  it.each<[string[], RegExp, RegExp]>([
    [
      ['uplaod', 'x'],
      /^Error: Unknown command 'uplaod'\.\n/,
      /Did you mean upload\? See `sync --help`/,
    ],
    [['upload'], /^Error: Missing required argument 'path'\./, /See `sync upload --help`\./],
    [['upload', 'x', '--forse'], /^Error: Unknown option '--forse'/, /See `sync upload --help`/],
    [
      ['upload', 'x', '--nam', 'y'],
      /'--nam'\.\n/,
      /Did you mean --name\? See `sync upload --help`/,
    ],
    [['--forse'], /^Error: Unknown option '--forse'/, /See `sync --help`\./],
    [['UPLOAD', 'x'], /^Error: Unknown command 'UPLOAD'\.\n/, /Did you mean upload\?/],
    [
      ['status', '--profile', 'default', 'extra', 'more'],
      /^Error: Too many arguments for 'status': extra more\.\n/,
      /See `sync status --help`\./,
    ],
    [
      ['convert', 'x.gpx', 'extra'],
      /^Error: Too many arguments for 'convert': extra\.\n/,
      /See `sync convert --help`\./,
    ],
    [
      ['daemon', 'start'],
      /^Error: Unknown command 'start'\.\n/,
      /`sync daemon` takes status, stop, logs, install, uninstall\. See `sync daemon --help`/,
    ],
    [
      ['undo', '2026-11-21'],
      /^Error: Undo needs a kind before 2026-11-21\.\n/,
      /`sync undo nutrition 2026-11-21` or `sync undo wellness 2026-11-21` or/,
    ],
    [['config', 'get', 'basurl'], /^Error: Unknown setting "basurl"\.\n/, /Did you mean baseUrl\?/],
    [['help', 'uplod'], /^Error: Unknown command 'uplod'\.\n/, /Did you mean upload\?/],
    [
      ['upload', 'ride.fit', '—dry-run'],
      /^Error: —dry-run begins with a dash, a flag with two hyphens\.\n/,
      /Write --dry-run, or \.\/—dry-run for a file\./,
    ],
    [['upload', 'x', '–-dry-run'], /begins with a dash/, /Write --dry-run,/],
    [['push', 'wellness', 'x', '–unit=lb'], /^Error: –unit=lb begins with a dash/, /--unit=lb,/],
    [['send', 'ride.fit'], /^Error: Unknown command 'send'\.\n/, /Did you mean upload\?/],
    [['upload', '--name'], /argument missing/, /See `sync upload --help`\./],
    [['login', '--store', 'cloud'], /'cloud' is .*keychain, file\.\n/, /See `sync login --help`/],
    [
      ['push', 'sleep', 'x.json'],
      /^Error: Unknown command 'sleep'/,
      /`sync push` takes wellness, nutrition\. See `sync push --help`\./,
    ],
    [
      ['push', '--profile', 'ada', 'sleep'],
      /^Error: Unknown command 'sleep'/,
      /`sync push` takes wellness, nutrition/,
    ],
    [['push', '--profile', 'ada', 'wellness'], /^Error: Missing required argument 'file'/, /See/],
    [['push'], /^Error: \S/, /See `sync push --help`\./],
    [
      ['daemon', 'stopp'],
      /^Error: Unknown command 'stopp'/,
      /Did you mean stop\? See `sync daemon /,
    ],
    [
      ['push', 'nutrition'],
      /^Error: Missing required argument 'file'/,
      /`sync push nutrition --help`/,
    ],
    [['config'], /^Error: \S/, /See `sync config --help`\./],
    [['--quiet', '--profile', 'ada'], /^Error: No command is named\.\n/, /See `sync --help`\./],
    [['--quiet', 'push', 'sleep'], /^Error: Unknown command 'sleep'/, /See `sync push --help`\./],
    [['help', 'foo'], /^Error: Unknown command 'foo'\.\n/, /See `sync --help`\./],
    [['help', 'push', 'foo'], /^Error: Unknown command 'foo'\.\n/, /`sync push` takes wellness, /],
    [['push', 'foo', '--help'], /^Error: Unknown command 'foo'\.\n/, /`sync push` takes /],
    [['--quiet', 'help', 'uplod', '--verbose'], /^Error: Unknown command 'uplod'/, /Did you mean /],
    [['push', 'help', 'foo'], /^Error: Unknown command 'foo'\.\n/, /See `sync push --help`\./],
    [['daemon'], /^Error: `sync daemon` needs one of these: status, /, /`sync daemon --help`/],
  ])('%j exits with 2 and shows the correct form', async (args, message, hint) => {
    const options = fresh();
    const { code, stdout, stderr } = await runInProcess(args, options);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(hint);
    expect(stderr).not.toMatch(/outputHelp|commander|\n +at /);
    expect([code, stdout, traces(options)]).toEqual([2, '', []]);
  });

  it.each(['~/Garmin', 'rides/2026', 'C:\\rides', 'ride.fit', 'export.zip'])(
    'reports a path that is not there as that: %s',
    async (path) => {
      const { code, stderr } = await runInProcess([path], fresh());
      expect([code, stderr]).toEqual([
        2,
        `Error: There is no file, folder or command ${path}.\n  See \`sync --help\`.\n`,
      ]);
    },
  );

  it.each<[string, string, string]>([
    ['ride.fit --json', 'A command is missing before ride.fit.', 'sync upload ride.fit --json'],
    ['--json days.csv', 'A command is missing before days.csv.', 'sync import days.csv'],
    ['--json inspect -cut.fit', "Unknown option '-cut.fit'.", 'sync inspect ./-cut.fit'],
    [
      'undo 2026-11-21 --json --profile coach',
      'Undo needs a kind before 2026-11-21.',
      'sync undo nutrition 2026-11-21 --profile coach',
    ],
    ['undo ride.fit --json', 'Undo needs a kind before ride.fit.', 'sync undo upload ride.fit'],
    ['daemon ride.fit --json', "Unknown command 'ride.fit'.", 'sync daemon --help'],
    ['help push foo --json', "Unknown command 'foo'.", 'sync push --help'],
  ])('advises what to type instead of %s', async (line, message, command) => {
    const home = openHome();
    for (const name of ['ride.fit', 'days.csv', '-cut.fit'])
      writeFileSync(join(home.dir, name), '');
    const { code, stdout } = await runSync(line.split(' '), { home });
    const hint = expect.stringContaining(`\`${command}\``) as unknown;
    expect([code, ndjson(stdout)]).toEqual([2, [{ type: 'error', code: 'USAGE', message, hint }]]);
    expect(stdout).not.toContain('sync undo nutrition ride.fit');
  });

  it('takes common flags between a command and its subcommand', async () => {
    const { code, stdout } = await runInProcess(
      ['config', '--profile', 'ada', '--json', 'get', 'clientId'],
      { ...fresh(), env: { SYNC_CLIENT_ID: 'mine' } },
    );
    expect(code).toBe(0);
    expect(ndjson(stdout)).toMatchObject([{ key: 'clientId', value: 'mine', profile: 'ada' }]);
  });

  it('reports a wrong command line as JSON with --json', async () => {
    const { code, stdout } = await runSync(['upload', '--json', '--forse', 'x'], fresh());
    expect(code).toBe(2);
    expect(ndjson(stdout)).toEqual([
      {
        type: 'error',
        code: 'USAGE',
        message: expect.stringMatching(/^Unknown option '--forse'/) as unknown,
        hint: 'Did you mean --force? See `sync upload --help`.',
      },
    ]);
  });

  it.each<[string[], RegExp]>([
    [['upload', '--jobs', '0', '.'], /--jobs 0: not a whole number from 1 to 32/],
    [['upload', '--jobs', '1e1', '.'], /--jobs 1e1: /],
    [['upload', '--metadata', 'nonsense', '.'], /--metadata nonsense: it has no key before a =/],
    [['upload', '--metadata', '=b', '.'], /--metadata =b: it has no key before a =/],
    [['upload', '--metadata', '{"a":', '.'], /--metadata \{"a":: /],
    [['profile', '--weight', '72,5'], /--weight 72,5: not a positive number/],
    [['profile', '--ftp', '0x10'], /--ftp 0x10: not a positive number/],
    [['workouts', '--since', '2026-02-30'], /--since 2026-02-30: not a date/],
    [['workouts', '--limit', '0'], /--limit 0: /],
    [['push', 'wellness', '-', '-'], /stdin \(-\) can be read once/],
    [['push', 'wellness', '--tz', 'Mars', '-'], /--timezone: |--tz/],
    [['config', 'get', 'nothing'], /Unknown setting "nothing"/],
    [['config', 'set', 'baseUrl', 'http://example.com'], /baseUrl: .*plain http/],
    [['status', '--profile', '../x'], /"\.\.\/x" cannot name a profile/],
  ])('%j exits with 2 for a wrong value and does nothing', async (args, message) => {
    const options = fresh();
    const env = { SYNC_BASE_URL: 'https://service.invalid' };
    const { code, stdout, stderr } = await runInProcess(args, { ...options, env });
    expect(stderr).toMatch(message);
    expect([code, stdout, traces(options)]).toEqual([2, '', []]);
  });

  it('shows the requests of push --dry-run without an address or a login', async () => {
    const options = { ...fresh(), input: '{"date":"2026-02-15","hrv":61}' };
    const { code, stdout } = await runInProcess(
      ['push', 'wellness', '-', '--dry-run', '--json'],
      options,
    );
    expect(ndjson(stdout)[0]).toMatchObject({
      date: '2026-02-15',
      outcome: 'would-push',
      request: { method: 'POST', url: '/api/wellness', body: { date: '2026-02-15', hrv: 61 } },
    });
    expect([code, traces(options)]).toEqual([0, []]);
  });

  it('takes the common options before a command, too; one behind it wins', async () => {
    const message = async (...args: string[]) =>
      (ndjson((await runInProcess(args, fresh())).stdout)[0] as { message: string }).message;
    expect(await message('--profile', 'ada', '--json', 'status')).toMatch(/profile "ada"/);
    expect(await message('--json', '--profile=ada', 'status', '--profile', 'ben')).toMatch(
      /profile "ben"/,
    );
    const help = await runInProcess(['--quiet', 'help', 'push', 'wellness'], fresh());
    expect(help.stdout).toContain('Usage: sync push wellness');
  });

  it('reports a missing base URL before it does anything', async () => {
    for (const args of [['upload', '.'], ['status'], ['workouts'], ['push', 'wellness', '-']]) {
      const options = fresh();
      const { code, stderr } = await runInProcess(args, options);
      expect(stderr).toContain('No platform is set up yet.');
      expect(stderr).toContain('SYNC_BASE_URL');
      expect([code, traces(options)]).toEqual([2, []]);
    }
    const unknown = await runInProcess(['login', 'garmin'], fresh());
    expect(unknown.stderr).toContain(
      'Error: "garmin" is neither the name of a platform nor an address.',
    );
    expect(unknown.code).toBe(2);
  });
});

describe('help', () => {
  it('shows the help of a subcommand, before or after its name', async () => {
    const { stdout } = await runInProcess(['push', 'wellness', '--help'], fresh());
    expect(stdout).toContain('<file...>');
    expect(await runInProcess(['push', 'help', 'wellness'], fresh())).toMatchObject({ stdout });
    expect(await runInProcess(['help', 'push', 'wellness'], fresh())).toMatchObject({ stdout });
    const upload = await runInProcess(['upload', '--help'], fresh());
    for (const args of [
      ['help', 'upload'],
      ['help', '--json', 'upload'],
      ['help', 'upload', '--profile', 'ada'],
      ['upload', '-h'],
    ]) {
      expect(await runInProcess(args, fresh())).toEqual(upload);
    }
    const { stdout: all } = await runInProcess(['--help'], fresh());
    expect(await runInProcess(['help'], fresh())).toMatchObject({ stdout: all });
    expect(await runSync(['-h'], fresh())).toMatchObject({ stdout: all });
  });

  /** The commands that a help text lists. */
  const commandsIn = (help: string) =>
    /^Usage: .*\[command\]$/m.test(help)
      ? [...help.matchAll(/^ {2}([a-z]+)/gm)].map((match) => match[1] ?? '')
      : [];

  it('shows help for every command and subcommand, exits with 0 and writes nothing', async () => {
    const options = fresh();
    const root = await runInProcess(['--help'], options);
    expect([root.code, root.stderr]).toEqual([0, '']);
    const names = commandsIn(root.stdout);
    const some = 'login logout status token upload push profile workouts watch sandbox config';
    expect(names).toEqual(expect.arrayContaining([...some.split(' '), 'seed', 'doctor']));
    const look = async (path: string[]): Promise<void> => {
      const { code, stdout, stderr } = await runInProcess([...path, '--help'], options);
      expect([path, code, stderr]).toEqual([path, 0, '']);
      expect(stdout).toContain(`Usage: sync ${path.join(' ')}`);
      const below = commandsIn(stdout);
      for (const name of below) await look([...path, name]);
      if (below.length === 0) {
        for (const flag of ['--profile', '--json', '--quiet', '--verbose', '--help']) {
          expect(stdout).toContain(flag);
        }
      }
    };
    for (const name of names) await look([name]);
    expect(traces(options)).toEqual([]);
  });

  it('is in the manual page that the build writes', () => {
    expect(readFileSync('dist/athlete-sync.1', 'utf8')).toContain('.SS "sync undo nutrition ');
  });

  it('prints the version alone on a line', async () => {
    for (const flag of ['--version', '-V']) {
      const { code, stdout, stderr } = await runSync([flag], fresh());
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    }
  });
});

describe('--json', () => {
  it('prints only JSON on stdout: an object for each file, then the summary', async () => {
    const world = await openLoggedInWorld();
    world.write('r/a.fit', makeRecording({ seed: 1, sizeBytes: 2_000 }));
    world.write('r/b.fit', 'not a recording');
    world.sandbox.control.addFaults('upload-fit:503');
    const { code, stdout, stderr } = await world.sync(['upload', '--json', '--verbose', 'r']);
    const lines = ndjson(stdout);
    expect(lines.map(({ type }) => type)).toEqual(['upload', 'upload', 'summary']);
    expect(lines.at(-1)).toMatchObject({ total: 2, uploaded: 1, invalid: 1 });
    expect(code).toBe(3);
    // --verbose writes to stderr.
    expect(stderr).toContain('POST /api/workouts/upload-fit');
    expect(stderr).toContain('503');
  });

  it('prints only JSON for every command that reads or sends, and for its errors', async () => {
    const world = await openLoggedInWorld();
    world.write('w.json', '{"date":"2026-02-15","restingHr":48}');
    for (const args of [
      ['status'],
      ['token'],
      ['profile'],
      ['workouts'],
      ['push', 'wellness', 'w.json'],
      ['config', 'list'],
      ['config', 'path'],
      ['config', 'get', 'baseUrl'],
      ['upload', 'missing.fit'],
      ['profile', '--ftp', '250', '--dry-run'],
    ]) {
      const { stdout } = await world.sync([...args, '--json']);
      for (const line of ndjson(stdout)) expect(typeof line).toBe('object');
    }
    world.sandbox.control.revoke();
    const { stdout, code } = await world.sync(['profile', '--json']);
    expect(ndjson(stdout)).toMatchObject([{ type: 'error', code: 'AUTH_EXPIRED' }]);
    expect(code).toBe(4);
  });
});

it('prints only results and errors with --quiet', async () => {
  const world = await openLoggedInWorld();
  world.write('a.fit', makeRecording({ seed: 1, sizeBytes: 2_000 }));
  const { stdout, stderr } = await world.sync(['upload', '--quiet', 'a.fit']);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/ Ride .* uploaded\n1 file: 1 uploaded/);
});

it('prints a file name on one line without control characters', async () => {
  const world = await openLoggedInWorld();
  world.write('evil\u001b[2J\nb.fit: uploaded.fit', 'not a recording');
  const { stdout, stderr } = await world.sync(['upload', '.']);
  expect(stdout + stderr).not.toContain('\u001b');
  expect(stdout.split('\n')[0]).toMatch(/^\.\/evil \[2J b\.fit: uploaded\.fit: not sent\./);
});

describe('a closed stdout', () => {
  it('is no failure of sync --version', async () => {
    const running = startSync(['--version'], fresh());
    running.child.stdout?.destroy();
    expect(await running.finished).toMatchObject({ code: 0, stderr: '' });
  });

  it('does not stop the uploads, and prints no error', async () => {
    const world = await openLoggedInWorld();
    for (let i = 0; i < 2_000; i++) world.write(`r/${i}-${'x'.repeat(60)}.fit`, 'not a recording');
    world.write('r/z.fit', makeRecording({ seed: 1, sizeBytes: 2_000 }));
    const running = startSync(['upload', 'r'], { home: world.home });
    running.child.stdout?.once('data', () => running.child.stdout?.destroy());
    const { code, stderr } = await running.finished;
    expect([code, stderr]).toEqual([3, '']);
    expect(world.sandbox.control.state().athletes[0]?.recordings).toHaveLength(1);
  });
});

it.each([
  ['SIGINT', false],
  ['SIGTERM', true],
] as const)('%s exits with 130, and the next run sends the file', async (signal, json) => {
  const world = await openLoggedInWorld();
  world.write('a.fit', makeRecording({ seed: 1, sizeBytes: 2_000 }));
  world.sandbox.control.addFaults('upload-fit:hang');
  const running = startSync(['upload', 'a.fit', ...(json ? ['--json'] : [])], { home: world.home });
  await expect.poll(() => world.sandbox.control.requests({ route: 'upload-fit' }).length).toBe(1);
  running.child.kill(signal);
  const { code, stdout, stderr } = await running.finished;
  const message = '0 of 1 recording done; run the same command to continue.';
  expect([code, stderr]).toEqual([130, `${message}\n`]);
  const [error, summary] = ndjson(json ? stdout : '');
  expect(error).toEqual(json ? { type: 'error', code: 'INTERRUPTED', message } : undefined);
  expect(summary?.['type']).toBe(json ? 'summary' : undefined);
  const again = await world.sync(['upload', 'a.fit']);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('1 file: 1 uploaded')]);
});

it('shows no secrets in the configuration, in output or in errors', async () => {
  const sandbox = await openSandbox();
  const home = openHome({ SYNC_BASE_URL: sandbox.url, SYNC_CLIENT_ID: sandbox.clientId });
  const world = worldOf(sandbox, home);
  const { access_token: token } = sandbox.control.mint();
  world.write('a.fit', makeRecording({ seed: 1, sizeBytes: 2_000 }));
  const env = { SYNC_ACCESS_TOKEN: token, SYNC_CLIENT_SECRET: 'the-client-secret' };
  const runs = [
    await world.sync(['config', 'set', 'timezone', 'Europe/Berlin'], { env }),
    await world.sync(['config', 'list'], { env }),
    await world.sync(['status', '--verbose'], { env }),
    await world.sync(['upload', 'a.fit', '--verbose', '--json'], { env }),
  ];
  sandbox.control.revoke();
  runs.push(await world.sync(['upload', '--force', 'a.fit', '--verbose'], { env }));
  expect(runs.at(-1)?.code).toBe(4);
  const shown = [
    ...runs.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    readFileSync(join(home.dir, 'config', 'config.json'), 'utf8'),
  ].join('\n');
  expect(shown).not.toContain(token);
  expect(shown).not.toContain('the-client-secret');
  expect(existsSync(join(home.dir, 'config', 'config.json'))).toBe(true);
});
