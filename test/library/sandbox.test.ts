import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { SyncError } from '../../src/library/index.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { type SandboxOptions, seed, startSandbox } from '../../src/library/sandbox.ts';

async function open(options?: SandboxOptions) {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

describe('startSandbox', () => {
  it('serves the platform at a free port', async () => {
    const [one, other] = [await open(), await open()];
    expect(one.port).not.toBe(other.port);
    expect(one.url).toBe(`http://127.0.0.1:${one.port}`);
    expect(await (await fetch(one.url)).json()).toMatchObject({ version: VERSION });
    expect(one.clients.map(({ secret }) => secret === null)).toEqual([true, false]);
  });

  it('refuses the data folder of another sandbox until that one is closed', async () => {
    const data = scratchDir();
    const first = await open({ data });
    await expect(startSandbox({ data })).rejects.toMatchObject({
      code: 'BUSY',
      message: `Another sandbox uses the folder ${data}.`,
    });
    await first.close();
    await open({ data });
  });

  it('frees its data folder if the data cannot be saved at its end', async () => {
    const data = scratchDir();
    const first = await startSandbox({ data });
    const obstacle = join(data, 'sandbox.json.new');
    mkdirSync(obstacle);
    first.control.tokens();
    await expect(first.close()).rejects.toThrow(obstacle);
    rmSync(obstacle, { recursive: true });
    await open({ data });
  });

  it('takes the kind of platform and the approval as settings, too', async () => {
    const settings = { platform: 'interface', autoApprove: true };
    const { control } = await open({ settings });
    expect(control.settings()).toMatchObject(settings);
  });

  it('issues tokens with the scopes and the lifetime that were asked for', async () => {
    const sandbox = await open();
    const { accessToken, expiresAt } = sandbox.control.tokens({
      athlete: 'athlete-2',
      scopes: ['profile:read'],
      accessTtl: 60,
    });
    expect(Math.round((expiresAt - Date.now()) / 10_000)).toBe(6);
    const headers = { authorization: `Bearer ${accessToken}` };
    const ask = (path: string) => fetch(`${sandbox.url}${path}`, { headers });
    expect(await (await ask('/api/profile')).json()).toMatchObject({ profile: {} });
    expect((await ask('/api/workouts')).status).toBe(403);
    expect(sandbox.control.expire()).toBe(1);
    expect((await ask('/api/profile')).status).toBe(401);
    expect(sandbox.requests().map(({ path, status }) => [path, status])).toEqual([
      ['/api/profile', 200],
      ['/api/workouts', 403],
      ['/api/profile', 401],
    ]);
  });

  it('takes redirect URIs, athletes and a clock, and shows all of a request and of the state', async () => {
    const now = Date.parse('2026-05-18T12:00:00Z');
    const redirectUri = 'http://localhost:3000/auth/callback';
    const sandbox = await open({
      ...{ autoApprove: true, redirectUris: [redirectUri], now: () => now },
      athletes: [{ id: 'ada', timezone: 'Asia/Tokyo' }],
    });
    const asked = new URLSearchParams({
      ...{ response_type: 'code', client_id: sandbox.clients[0].id, state: 'abcdefgh' },
      ...{ redirect_uri: redirectUri, scope: 'profile:read', code_challenge_method: 'S256' },
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    });
    const [record] = sandbox.requests();
    expect(record).toBeUndefined();
    const page = `${sandbox.url}/api/oauth/authorize?${asked.toString()}`;
    const { status, headers } = await fetch(page, {
      redirect: 'manual',
      headers: { 'x-app': '1' },
    });
    expect([status, headers.get('location')]).toEqual([302, expect.stringContaining(redirectUri)]);
    const { expiresAt } = sandbox.control.tokens({ accessTtl: 60 });
    expect(expiresAt).toBe(now + 60_000);
    expect(sandbox.requests()).toMatchObject([
      { route: 'authorize', query: { redirect_uri: redirectUri }, headers: { 'x-app': '1' } },
    ]);
    expect(sandbox.control.settings({ accessTtl: 5 })).toMatchObject({ accessTtl: 5 });
    expect(sandbox.control.state().athletes).toMatchObject([
      { profile: { id: 'ada', name: 'ada', timezone: 'Asia/Tokyo', weightUnits: 'Kilograms' } },
    ]);
  });

  it('changes items of a day as the athlete does in the app', async () => {
    const { control } = await open();
    const eaten = () => control.state().athletes[0].nutrition[0]?.record['breakfast'];
    const item = { name: 'Porridge', logged_at: '2026-05-18T07:00:00Z', calories: 320 };
    const { id } = control.addFood({ date: '2026-05-18', meal: 'breakfast', item });
    control.editFood(id, { calories: 350 });
    expect(eaten()).toEqual([{ ...item, id, source: 'manual', calories: 350 }]);
    control.editFood(id, null);
    expect(eaten()).toEqual([]);
    expect(() => control.editFood(id, null)).toThrow(id);
  });

  it('names a refused fault, setting, scope, athlete and data folder', async () => {
    const failure = async (run: () => unknown) => {
      const error = await Promise.resolve()
        .then(run)
        .catch((reason: unknown) => reason);
      if (!(error instanceof SyncError)) throw new Error(`no SyncError: ${String(error)}`);
      return `${error.code} ${error.message}`;
    };
    const { control, port } = await open();
    expect(await failure(() => startSandbox({ faults: ['nowhere:503'] }))).toMatch(
      /^USAGE.*nowhere/,
    );
    expect(await failure(() => startSandbox({ settings: { unheard: 1 } }))).toMatch(
      /^USAGE.*unheard/,
    );
    const typo: object = { fault: ['profile:503'] };
    expect(await failure(() => startSandbox(typo))).toBe(
      'USAGE startSandbox: there is no option fault.',
    );
    expect(await failure(() => startSandbox({ data: '' }))).toBe(
      'USAGE startSandbox: data is empty.',
    );
    const file = join(scratchDir(), 'file');
    writeFileSync(file, '');
    expect(await failure(() => startSandbox({ data: file }))).toContain(`USAGE data ${file}:`);
    const athletes = [{ id: 'ada' }, { id: 'ada' }];
    expect(await failure(() => startSandbox({ athletes }))).toBe(
      'USAGE Two athletes have the id "ada"',
    );
    expect(await failure(() => startSandbox({ athletes: [] }))).toMatch(/^USAGE.*one athlete/);
    expect(await failure(() => startSandbox({ port }))).toMatch(/^PORT_IN_USE.*in use/);
    expect(await failure(() => control.tokens({ scopes: ['everything'] }))).toMatch(
      /^USAGE.*scopes/,
    );
    expect(await failure(() => control.addFaults('nowhere:503'))).toMatch(/^USAGE.*nowhere/);
    expect(await failure(() => control.process({ sha256: 'none' }))).toMatch(/^USAGE.*recording/);
    expect(await failure(() => [...seed({ day: 3 } as object)])).toMatch(/^USAGE seed:.*day/);
    expect(await failure(() => [...seed({ days: 0 })])).toMatch(/^USAGE The number of days/);
    expect(await failure(() => [...seed({ timezone: 'Mars/X' })])).toMatch(/^CONFIG .*'Mars\/X'/);
    expect(await failure(() => [...seed({ timezone: '+02:00' })])).toMatch(/^CONFIG .*an offset/);
  });

  it('can be closed twice, and frees its port', async () => {
    const first = await startSandbox();
    await first.close();
    await first.close();
    await (await startSandbox({ port: first.port })).close();
  });
});

it('seed makes no workout that ends later than now', () => {
  onTestFinished(() => void vi.useRealTimers());
  const until = '2026-05-17';
  const namesAt = (time: string) => {
    vi.useFakeTimers({ now: new Date(time) });
    const days = [...seed({ days: 7, seed: 7, until, timezone: 'Europe/Berlin' })];
    expect(days.at(-1)?.date).toBe(until);
    return days.flatMap(({ recordings }) => recordings.map(({ path }) => path));
  };
  const all = namesAt('2026-05-18T12:00:00Z');
  const early = namesAt('2026-05-17T01:00:00Z');
  expect(all.filter((path) => path.startsWith(until))).toHaveLength(1);
  expect(all.filter((path) => !early.includes(path))).toEqual([
    expect.stringContaining(until) as unknown,
  ]);
});
