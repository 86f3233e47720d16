import { describe, expect, it } from 'vitest';
import { openHome, openLoggedInWorld, requestLines } from '../support/acceptance.ts';
import { runInProcess } from '../support/in-process.ts';
import { ndjson } from '../support/program.ts';
import { type Answer, openTinyService } from '../support/tiny-service.ts';

const ADA = {
  id: 'athlete-1',
  name: 'Ada Lindqvist',
  email: 'ada@sandbox.example',
  timezone: 'Europe/Stockholm',
  weight: 62.5,
  weightUnits: 'Kilograms',
  ftp: 245,
  maxHr: 186,
  lthr: 168,
};

/** Opens a service with these answers, and a home with a token for it. */
async function openService(answers: Parameters<typeof openTinyService>[0]) {
  const { url, requests } = await openTinyService(answers);
  const home = openHome({ SYNC_BASE_URL: url, SYNC_ACCESS_TOKEN: 'some-token' });
  const run = (...args: string[]) => runInProcess(args, { home });
  const profile = (...args: string[]) => run('profile', ...args);
  const patches = () =>
    requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body as object);
  return { url, requests, run, profile, patches };
}

/** A profile in pounds, which takes any weight. */
const IN_POUNDS: Readonly<Record<string, Answer>> = {
  'GET /api/profile': [200, { profile: { weight: 90, weightUnits: 'Pounds' } }],
  'PATCH /api/profile': [200, { success: true }],
};

describe('sync profile', () => {
  it('accepts an empty answer as a successful update', async () => {
    const { profile, requests } = await openService({ 'PATCH /api/profile': [204, undefined] });
    const text = await profile('--ftp', '250');
    expect([text.code, text.stdout, text.stderr]).toEqual([
      0,
      'The platform accepted the update, and shows no profile.\n',
      '',
    ]);
    const json = await profile('--ftp', '250', '--json');
    expect(ndjson(json.stdout)).toEqual([{ type: 'profile', action: 'updated' }]);
    expect(requests).toHaveLength(2);
  });

  it('does not take an answer without success for an update at Coach Watts', async () => {
    const { run } = await openService({ 'PATCH /api/profile': [200, { moved: true }] });
    await run('config', 'set', 'platform.kind', 'coach-watts');
    const { code, stdout, stderr } = await run('profile', '--ftp', '250');
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain('answered 200 without saying that it took anything');
  });

  it('shows the values of the service with units', async () => {
    const world = await openLoggedInWorld();
    expect(await world.lines(['profile'])).toEqual([
      { type: 'profile', action: 'shown', profile: expect.objectContaining(ADA) as unknown },
    ]);
    const { stdout } = await world.sync(['profile']);
    expect(stdout).toMatch(/^weight +62\.5 kg$/m);
    expect(stdout).toMatch(/^FTP +245 W$/m);
    expect(stdout).toMatch(/^maximum heart rate +186 bpm$/m);
    expect(requestLines(world.sandbox)).toEqual(['profile 200', 'profile 200']);
  });

  it('shows a value of an unexpected type as JSON', async () => {
    const ftp = { toString: 1, valueOf: 1 };
    const { profile } = await openService({ 'GET /api/profile': [200, { weight: 70, ftp }] });
    const { code, stdout } = await profile();
    expect([code, stdout]).toEqual([0, expect.stringContaining(JSON.stringify(ftp))]);
  });

  it.each<[string, object, string]>([
    [
      'each known field, with its unit if that is known',
      { ftp: 250, zones: [1], city: null, weightUnits: 'Kilograms', weight: 61.5, name: 'Ann' },
      `name          Ann
weight        61.5 kg
weight units  Kilograms (on the platform's pages)
FTP           250 W`,
    ],
    ['no name of the interface', { weight: 61.5, weightSourceMode: 'AUTO' }, 'weight  61.5 kg'],
    // Names that every object has are not in our tables.
    ['an unknown profile as JSON', { constructor: 'x' }, '{\n  "constructor": "x"\n}'],
  ])('shows %s', async (_what, body, text) => {
    const { profile } = await openService({ 'GET /api/profile': [200, body] });
    expect((await profile()).stdout).toBe(`${text}\n`);
  });

  it('updates weight and FTP, and keeps showing pounds to an athlete who reads pounds', async () => {
    const world = await openLoggedInWorld({ login: { athlete: 'athlete-2' } });
    const lines = await world.lines(['profile', '--weight', '72.5', '--ftp', '280']);
    const [{ method, body } = {}] = world.sandbox.control.requests({ route: 'profile-update' });
    expect([method, body]).toEqual([
      'PATCH',
      { weight: 159.8351, weightUnits: 'Pounds', ftp: 280 },
    ]);
    const [{ profile } = {}] = world.sandbox.control.state('athlete-2').athletes;
    expect(profile).toMatchObject({ weight: 72.5, weightUnits: 'Pounds', ftp: 280, maxHr: 191 });
    const { weighedAt, ...shown } = profile ?? {};
    expect(weighedAt).toBeDefined();
    expect(lines).toEqual([
      { type: 'profile', action: 'updated', profile: expect.objectContaining(shown) as unknown },
    ]);
    const [other] = world.sandbox.control.state('athlete-1').athletes;
    expect(other?.profile).toEqual(ADA);
  });

  it.each([
    ['something else', { hello: 1 }, 0],
    ['a list', [], 0],
    ['a failure', { success: false }, 6],
    ['a success alone', { success: true }, 0],
    ['the profile alone', { id: 'a', ftp: 250 }, 0],
  ])(
    'counts an update as done unless the answer contradicts it: %s',
    async (_what, answer, exit) => {
      const { profile } = await openService({ 'PATCH /api/profile': [200, answer] });
      const { code, stdout, stderr } = await profile('--ftp', '250');
      expect(code).toBe(exit);
      if (exit === 0)
        expect(stdout).toMatch(/^The (?:profile is updated|platform accepted the update)/);
      else {
        expect(stdout).toBe('');
        expect(stderr).toContain('The platform did not take the update');
      }
    },
  );

  it.each(['athlete-1', 'athlete-2'])('shows the requests with --dry-run (%s)', async (athlete) => {
    const world = await openLoggedInWorld({ login: { athlete } });
    const args = ['profile', '--weight', '61.2', '--ftp', '250', '--json'];
    const { code, stdout } = await world.sync([...args, '--dry-run']);
    expect(code).toBe(0);
    expect(requestLines(world.sandbox)).toEqual([]);
    await world.sync(args);
    const sent = world.sandbox.control.requests();
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
    const [line] = ndjson(stdout);
    expect(line).toMatchObject({ type: 'profile', action: 'would-update' });
    const when = `if the athlete reads ${athlete === 'athlete-1' ? 'kilograms' : 'pounds'}`;
    for (const { method, path, body } of sent) {
      const url = `${world.sandbox.url}${path}`;
      expect(line?.['requests']).toContainEqual(
        method === 'GET' ? { method, url } : { method, url, body, when },
      );
    }
    const [{ profile } = {}] = world.sandbox.control.state(athlete).athletes;
    expect(profile).toMatchObject({ weight: 61.2, ftp: 250 });
  });

  it('shows in words what a dry run would send: an FTP alone needs no look', async () => {
    const { profile, url, requests } = await openService({});
    const shown = async (...args: string[]) => (await profile(...args, '--dry-run')).stdout;
    expect(await shown('--ftp', '280')).toBe(
      `Would be sent:\n  PATCH ${url}/api/profile\n  {"ftp":280}\n`,
    );
    expect(await shown('--weight', '72.55')).toContain(
      `  PATCH ${url}/api/profile (if no profile names a unit)\n  {"weight":72.55}\n`,
    );
    expect(requests).toEqual([]);
  });

  it('sends a weight that differs by a quarter from the one before with a doubt', async () => {
    const { profile, patches } = await openService(IN_POUNDS);
    expect((await profile('--weight', '112')).stderr).toBe('');
    expect((await profile('--weight', '67')).stderr).toBe(
      'The weight was 90 kg before: is 67 kg right? The option takes kilograms.\n',
    );
    expect(patches()).toHaveLength(2);
  });

  it.each([
    ['a weight', ['--weight', '72.5'], 'The platform stored 100 kg as the weight, not 72.5 kg.'],
    ['an FTP', ['--ftp', '280'], 'The platform stored 250 W as the FTP, not 280 W.'],
    ['an FTP beside its weight', ['--weight', '100', '--ftp', '280'], 'not 280 W.'],
  ])('reports %s that the platform stored differently', async (_what, args, words) => {
    const { profile, patches } = await openService({
      ...IN_POUNDS,
      'PATCH /api/profile': [200, { success: true, profile: { weight: 100, ftp: 250 } }],
    });
    const { code, stderr } = await profile(...args);
    expect([code, stderr]).toEqual([6, expect.stringContaining(words)]);
    expect(patches()).toHaveLength(1);
  });

  it('does not say that a platform shows no profile if it only takes no update', async () => {
    const { profile } = await openService({
      'GET /api/profile': [200, { weight: 70, ftp: 250 }],
      'PATCH /api/profile': [405, undefined],
    });
    expect((await profile()).code).toBe(0);
    const { code, stderr } = await profile('--weight', '71');
    expect([code, stderr]).toEqual([
      6,
      /^Error: The platform lets no application change the profile\.\n/,
    ]);
  });

  it('changes a weight on a platform that takes updates and shows no profile', async () => {
    const { profile, patches } = await openService({
      'GET /api/profile': [405, undefined],
      'PATCH /api/profile': [200, {}],
    });
    expect((await profile('--weight', '72.5')).code).toBe(0);
    expect(patches()).toEqual([{ weight: 72.5 }]);
  });

  it('sends no weight without profile:read, and explains the effect of --force', async () => {
    const world = await openLoggedInWorld({
      login: { athlete: 'athlete-2', scopes: ['profile:write'] },
    });
    const { code, stderr } = await world.sync(['profile', '--weight', '72.5']);
    expect(code).toBe(4);
    expect(stderr).toContain('would set that unit to kilograms');
    expect(stderr).toMatch(/sync login --scope "[^"]*profile:read/);
    expect(stderr).toContain('`--force` sends the weight, and sets the unit to kilograms.');
    expect(world.sandbox.control.requests({ route: 'profile-update' })).toEqual([]);

    expect(await world.sync(['profile', '--weight', '72.5', '--force'])).toMatchObject({
      code: 0,
      stderr: "The unit in which the platform's pages show weights is kilograms now.\n",
    });
    const [{ profile } = {}] = world.sandbox.control.state('athlete-2').athletes;
    expect(profile).toMatchObject({ weight: 72.5, weightUnits: 'Kilograms' });
  });

  it.each([
    ['--weight', '72,5', 'not a positive number'],
    ['--weight', '-70', 'not a positive number'],
    ['--weight', '19.9', 'not between 20 and 400 kg'],
    ['--weight', '725', 'not between 20 and 400 kg'],
    ['--ftp', '280W', 'not a positive number'],
    ['--ftp', '0', 'not between 30 and 700 W'],
    ['--ftp', '2800', 'not between 30 and 700 W'],
    ['--ftp', '280.5', 'not a whole number of watts'],
  ])('refuses %s %s', async (flag, value, why) => {
    const { profile, requests } = await openService({});
    const { code, stderr } = await profile(flag, value);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag} ${value}: ${why}.`)]);
    expect(requests).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['no such method', [405, undefined]],
    ['not implemented', [501, undefined]],
    ['an empty profile', [200, {}]],
  ])('says that the platform has no profile: %s', async (_what, answer) => {
    const { profile } = await openService({ 'GET /api/profile': answer });
    const { code, stderr } = await profile();
    expect([code, stderr]).toEqual([6, /^Error: The platform shows applications no profile\.\n/]);
  });

  it('explains a platform without a profile, and uses a configured endpoint instead', async () => {
    const { run, requests } = await openService({
      'GET /v2/athlete': [200, { weight: 70, ftp: 250 }],
      'PATCH /v2/athlete': [200, { success: true, profile: { weight: 71, ftp: 250 } }],
    });
    for (const [words, ...args] of [
      ['shows applications no profile.', 'profile'],
      ['lets no application change the profile.', 'profile', '--ftp', '250'],
    ] as const) {
      const { code, stderr } = await run(...args);
      expect(code).toBe(6);
      expect(stderr).toContain(words);
      expect(stderr).toContain('sync config set endpoint.profile');
    }
    expect((await run('config', 'set', 'endpoint.profile', '/v2/athlete')).code).toBe(0);
    const shown = await run('profile', '--json');
    const updated = await run('profile', '--weight', '71', '--json');
    const weight = { weight: 71 };
    expect(ndjson(shown.stdout)).toEqual([
      { type: 'profile', action: 'shown', profile: { weight: 70, ftp: 250 } },
    ]);
    expect(ndjson(updated.stdout)).toEqual([
      { type: 'profile', action: 'updated', profile: { weight: 71, ftp: 250 } },
    ]);
    expect(requests).toEqual([
      { method: 'GET', path: '/api/profile', body: undefined },
      { method: 'PATCH', path: '/api/profile', body: { ftp: 250 } },
      { method: 'GET', path: '/v2/athlete', body: undefined },
      { method: 'GET', path: '/v2/athlete', body: undefined },
      { method: 'PATCH', path: '/v2/athlete', body: weight },
    ]);
  });

  it('reports a failed update if the body of a 200 denies it', async () => {
    const { profile } = await openService({
      'PATCH /api/profile': [200, { success: false, message: 'FTP is locked by your coach' }],
    });
    const { code, stderr } = await profile('--ftp', '250');
    expect([code, stderr]).toEqual([6, /did not take the update: FTP is locked by your coach/]);
  });

  it('shows no profile and sends no weight if the body of a 200 reports a failure', async () => {
    const { profile, patches } = await openService({
      ...IN_POUNDS,
      'GET /api/profile': [200, { success: false, message: 'The database is down' }],
    });
    for (const flags of [[], ['--weight', '70']]) {
      const { code, stdout, stderr } = await profile(...flags);
      expect([code, stdout]).toEqual([6, '']);
      expect(stderr).toContain('The platform reports a failure: The database is down');
    }
    expect(patches()).toEqual([]);
  });

  it('names the missing scope of a login', async () => {
    const world = await openLoggedInWorld({ login: { scopes: ['profile:read'] } });
    expect((await world.sync(['profile'])).code).toBe(0);
    const { code, stderr } = await world.sync(['profile', '--ftp', '250']);
    expect([code, stderr]).toEqual([4, /profile:write/]);
  });
});
