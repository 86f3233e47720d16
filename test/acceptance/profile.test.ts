import { describe, expect, it } from 'vitest';
import { openHome, openLoggedInWorld, requestLines } from '../support/acceptance.ts';
import { runInProcess } from '../support/in-process.ts';
import { ndjson } from '../support/program.ts';
import { openTinyService } from '../support/tiny-service.ts';

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

describe('sync profile', () => {
  it('accepts an empty answer as a successful update', async () => {
    const service = await openTinyService({ 'PATCH /api/profile': [204, undefined] });
    const home = openHome({ SYNC_BASE_URL: service.url, SYNC_ACCESS_TOKEN: 'some-token' });
    const text = await runInProcess(['profile', '--ftp', '250'], { home });
    expect([text.code, text.stdout, text.stderr]).toEqual([
      0,
      'The platform accepted the update, and shows no profile.\n',
      '',
    ]);
    const json = await runInProcess(['profile', '--ftp', '250', '--json'], { home });
    expect(ndjson(json.stdout)).toEqual([{ type: 'profile', action: 'updated' }]);
    expect(service.requests).toHaveLength(2);
  });

  it('does not take an answer without success for an update at Coach Watts', async () => {
    const service = await openTinyService({ 'PATCH /api/profile': [200, { moved: true }] });
    const env = { SYNC_BASE_URL: service.url, SYNC_ACCESS_TOKEN: 'some-token' };
    const home = openHome(env);
    await runInProcess(['config', 'set', 'platform.kind', 'coach-watts'], { home });
    const { code, stdout, stderr } = await runInProcess(['profile', '--ftp', '250'], { home });
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
    const service = await openTinyService({ 'GET /api/profile': [200, { weight: 70, ftp }] });
    const home = openHome({ SYNC_BASE_URL: service.url, SYNC_ACCESS_TOKEN: 'some-token' });
    const { code, stdout } = await runInProcess(['profile'], { home });
    expect([code, stdout]).toEqual([0, expect.stringContaining(JSON.stringify(ftp))]);
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
      const service = await openTinyService({ 'PATCH /api/profile': [200, answer] });
      const home = openHome({ SYNC_BASE_URL: service.url, SYNC_ACCESS_TOKEN: 'some-token' });
      const { code, stdout, stderr } = await runInProcess(['profile', '--ftp', '250'], { home });
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
    for (const { method, path, body } of sent) {
      const url = `${world.sandbox.url}${path}`;
      expect(line?.['requests']).toContainEqual(
        expect.objectContaining(method === 'GET' ? { method, url } : { method, url, body }),
      );
    }
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
    ['--weight', '72,5'],
    ['--weight', '-70'],
    ['--ftp', '280W'],
  ])('refuses %s %s', async (flag, value) => {
    const run = await runInProcess(['profile', flag, value], { home: openHome() });
    expect([run.code, run.stderr]).toEqual([2, /not a number/]);
  });

  it('explains a platform without a profile, and uses a configured endpoint instead', async () => {
    const service = await openTinyService({
      'GET /v2/athlete': [200, { weight: 70, ftp: 250 }],
      'PATCH /v2/athlete': [200, { success: true, profile: { weight: 71, ftp: 250 } }],
    });
    const home = openHome({ SYNC_BASE_URL: service.url, SYNC_ACCESS_TOKEN: 'some-token' });
    const run = (...args: string[]) => runInProcess(args, { home });
    for (const args of [['profile'], ['profile', '--ftp', '250']]) {
      const { code, stderr } = await run(...args);
      expect(code).toBe(6);
      expect(stderr).toContain('The platform offers applications no profile.');
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
    expect(service.requests).toEqual([
      { method: 'GET', path: '/api/profile', body: undefined },
      { method: 'PATCH', path: '/api/profile', body: { ftp: 250 } },
      { method: 'GET', path: '/v2/athlete', body: undefined },
      { method: 'GET', path: '/v2/athlete', body: undefined },
      { method: 'PATCH', path: '/v2/athlete', body: weight },
    ]);
  });

  it('reports a failed update if the body of a 200 denies it', async () => {
    const service = await openTinyService({
      'PATCH /api/profile': [200, { success: false, message: 'FTP is locked by your coach' }],
    });
    const { code, stderr } = await runInProcess(['profile', '--ftp', '250'], {
      home: openHome({ SYNC_BASE_URL: service.url, SYNC_ACCESS_TOKEN: 'some-token' }),
    });
    expect([code, stderr]).toEqual([6, /did not take the update: FTP is locked by your coach/]);
  });

  it('names the missing scope of a login', async () => {
    const world = await openLoggedInWorld({ login: { scopes: ['profile:read'] } });
    expect((await world.sync(['profile'])).code).toBe(0);
    const { code, stderr } = await world.sync(['profile', '--ftp', '250']);
    expect([code, stderr]).toEqual([4, /profile:write/]);
  });
});
