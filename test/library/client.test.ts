import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import {
  type Client,
  type ClientOptions,
  type NutritionOptions,
  SyncError,
  type TokenStore,
  type Tokens,
  type NutritionItem,
  type NutritionRecord,
  type WellnessRecord,
  createClient,
} from '../../src/library/index.ts';
import { type SandboxOptions, startSandbox } from '../../src/library/sandbox.ts';
import { PLATFORM_NAMES } from '../../src/sandbox/settings.ts';
import { JSON_VERSION } from '../../src/base/version.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { wrongJsonLine } from '../support/json-lines.ts';
import { gpx, ridePoints } from '../support/tracks.ts';
import { openServer } from '../support/local-server.ts';
import { openHome } from '../support/world.ts';

type Changes = Partial<Omit<ClientOptions, 'tokens'>> & { readonly store?: TokenStore };

/** Opens a sandbox, and a way to make clients of one login. */
async function open(options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  const tokens = sandbox.control.tokens();
  const client = (changes: Changes = {}) => {
    const made = createClient({
      baseUrl: sandbox.url,
      clientId: sandbox.clients[0].id,
      timezone: 'Europe/Berlin',
      ...('store' in changes ? {} : { tokens }),
      ...changes,
    } as ClientOptions);
    onTestFinished(() => made.close());
    return made;
  };
  const held = () => sandbox.control.state('athlete-1').athletes[0];
  return { sandbox, tokens, client, held };
}

const ride = (seed: number) => ({
  path: `ride-${seed}.fit`,
  bytes: makeRecording({ seed, sizeBytes: 3_000, startTime: new Date('2026-05-12T16:14:00Z') }),
});

type Meal = Record<'name' | 'calories', string>;
const meal = { name: 'Oats', calories: 310, logged_at: '2026-05-17T07:10:00+02:00' };

async function failureOf(promise: Promise<unknown>): Promise<SyncError> {
  const error = await promise.catch((reason: unknown) => reason);
  if (!(error instanceof SyncError)) throw new Error(`no SyncError: ${String(error)}`);
  return error;
}

describe('a client', () => {
  it('opens nothing and sends nothing before its first operation', async () => {
    const { sandbox, client } = await open();
    const stateDir = join(openHome({}).dir, 'state');
    const made = client({ stateDir });
    expect(existsSync(stateDir)).toBe(false);
    await made.close();
    expect(sandbox.requests()).toEqual([]);
  });

  it('uploads each recording once, from memory, files and folders', async () => {
    const { client, held } = await open();
    const home = openHome({});
    const stateDir = join(home.dir, 'state');
    const first = client({ stateDir });
    const results = await first.upload([ride(1), ride(2), ride(1), 'no-such.fit']);
    expect(results.map(({ outcome }) => outcome).sort()).toEqual([
      'invalid',
      'skipped',
      'uploaded',
      'uploaded',
    ]);
    await first.close();
    const again = await client({ stateDir }).upload(ride(2));
    expect(again).toMatchObject({ outcome: 'skipped', reason: 'already-uploaded' });
    expect(held().recordings).toHaveLength(2);
  });

  it('reports the activity, the hash and the ids of an upload', async () => {
    const { client } = await open();
    expect(await client().upload(ride(3), { name: 'Commute' })).toMatchObject({
      path: 'ride-3.fit',
      outcome: 'uploaded',
      activity: { name: 'Commute' },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      size: ride(3).bytes.length,
      attempts: 1,
      service: { state: 'queued' },
    });
  });

  it('converts a track in memory, and says why another is none', async () => {
    const { client } = await open();
    const bytes = (text: string) => Buffer.from(text);
    const track = gpx([{ type: 'cycling', segments: [ridePoints(600)] }]);
    const [ride, again, route, cut] = await client().upload([
      { path: 'ride.gpx', bytes: bytes(track) },
      { path: 'copy.gpx', bytes: bytes(track) },
      { path: 'route.gpx', bytes: bytes(gpx([])) },
      { path: 'cut.gpx', bytes: bytes(track.slice(0, -20)) },
    ]);
    expect(ride).toMatchObject({ path: 'ride.gpx', outcome: 'uploaded' });
    expect(again).toMatchObject({ outcome: 'skipped', reason: 'already-uploaded' });
    expect(route).toMatchObject({ outcome: 'skipped', reason: 'not-an-activity' });
    expect(cut).toMatchObject({ outcome: 'invalid', reason: 'incomplete' });
    const later = { type: 'running', segments: [ridePoints(600, { from: 6 * 3_600 })] };
    const two = gpx([{ type: 'running', segments: [ridePoints(600)] }, later]);
    const both = { path: 'two.gpx', bytes: bytes(two) };
    expect(await failureOf(client().upload(both))).toMatchObject({ code: 'USAGE' });
    expect(await client().upload([both])).toHaveLength(2);
  });

  it.each(PLATFORM_NAMES)('sends a nutrition item once over two clients (%s)', async (platform) => {
    const { client, held } = await open({ platform });
    const stateDir = join(openHome({}).dir, 'state');
    for (const outcome of ['pushed', 'skipped']) {
      const made = client({ stateDir });
      expect(await made.pushNutrition({ date: '2026-05-17', items: [meal] })).toMatchObject({
        date: '2026-05-17',
        outcome,
      });
      await made.close();
    }
    const day = JSON.stringify(held().nutrition);
    expect(day.split('Oats')).toHaveLength(2);
  });

  it('warns once, without stateDir, that a platform replaces the days of the next client', async () => {
    const { client } = await open({ platform: 'interface' });
    const warnings: string[] = [];
    const onWarning = (text: string) => void warnings.push(text);
    const stateDir = join(openHome({}).dir, 'state');
    await client({ onWarning, stateDir }).pushNutrition({ date: '2026-05-17', items: [meal] });
    expect(warnings).toEqual([]);
    const made = client({ onWarning });
    for (const date of ['2026-05-17', '2026-05-18']) {
      const items = [{ ...meal, logged_at: `${date}T07:10:00+02:00` }];
      await made.pushNutrition({ date, items });
    }
    expect(warnings).toEqual([expect.stringContaining('Without stateDir')]);
  });

  it('uses the paths and the file part that its options name', async () => {
    const seen: string[] = [];
    const { url } = await openServer((request, response) => {
      let text = '';
      request.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        const [, part] = /name="(\w+)"; filename=/.exec(text) ?? [];
        seen.push([request.method, request.url, part].join(' ').trim());
        response.writeHead(request.url === '/me' ? 404 : 204).end();
      });
    });
    const made = createClient({
      baseUrl: url,
      timezone: 'Europe/Berlin',
      tokens: { accessToken: 'some-token' },
      endpoints: { uploadFit: '/v2/activities', wellness: '/v2/days', userinfo: '/me' },
      filePart: 'recording',
    });
    onTestFinished(() => made.close());
    expect(await made.upload(ride(1))).toMatchObject({ outcome: 'uploaded' });
    const day = await made.pushWellness({ date: '2026-05-17', hrv: 60 });
    expect(day).toMatchObject({ outcome: 'pushed' });
    expect(seen).toContain('POST /v2/activities recording');
    expect(seen).toContain('POST /v2/days');
  });

  it('names options, not settings of the program, in the hints of errors and results', async () => {
    const { url } = await openServer((_request, response) => void response.writeHead(404).end());
    const made = createClient({
      baseUrl: url,
      timezone: 'UTC',
      tokens: { accessToken: 'a-token' },
    });
    onTestFinished(() => made.close());
    expect((await failureOf(made.workouts())).hint).toBe(
      'Check the address (the option baseUrl); if the platform keeps it elsewhere: the option endpoints.workouts.',
    );
    expect(await made.upload(ride(1))).toMatchObject({
      hint: expect.stringContaining('the option endpoints.uploadFit') as unknown,
    });
  });

  it.each([{ wellness: 'v2' }, { food: '/v2' }])(
    'refuses endpoints that it cannot use: %j',
    (endpoints) => {
      const options = { baseUrl: 'http://127.0.0.1:1', tokens: {}, endpoints };
      expect(() => createClient(options)).toThrow(/^endpoints\.(?:wellness|food): /);
    },
  );

  it('asks no platform for its kind that its options state', async () => {
    const { client, sandbox } = await open({ platform: 'interface' });
    const made = client({ platformKind: 'interface' });
    await made.pushNutrition({ date: '2026-05-17', items: [meal] });
    expect(sandbox.requests().map(({ route }) => route)).not.toContain('nutrition-items');
  });

  describe.each(PLATFORM_NAMES)('with several calls for a nutrition day (%s)', (platform) => {
    const date = '2026-05-17';
    const itemAt = (hour: string, name: string, calories = 310) => ({
      ...{ name, calories, logged_at: `${date}T${hour}:10:00+02:00` },
    });
    const [oats, rice, soup] = [itemAt('07', 'Oats'), itemAt('12', 'Rice'), itemAt('19', 'Soup')];
    const openDay = async () => {
      const { client, held } = await open({ platform });
      const names = () =>
        Object.values(held().nutrition[0]?.record ?? {})
          .flatMap((meal) => (Array.isArray(meal) ? (meal as Meal[]) : []))
          .map(({ name, calories }) => `${name} ${calories}`)
          .sort();
      const made = client();
      const push = (items: NutritionItem[], options?: NutritionOptions) =>
        made.pushNutrition({ date, items }, options);
      return { push, names, made };
    };

    it('adds up the items of calls without an origin, and doubles none', async () => {
      const { push, names } = await openDay();
      for (const item of [oats, rice, soup, oats]) {
        const result = await push([item]);
        const warnings = 'warnings' in result ? result.warnings : [];
        expect(warnings.filter(({ message }) => !message.includes('is erased'))).toEqual([]);
      }
      expect(names()).toEqual(['Oats 310', 'Rice 310', 'Soup 310']);
      await push([{ ...rice, calories: 400 }]);
      await push([]);
      expect(names()).toEqual(['Oats 310', 'Rice 400', 'Soup 310']);
    });

    it('removes the items that only one origin holds, or all, on undo', async () => {
      const { push, names, made } = await openDay();
      await push([oats]);
      await push([oats, soup], { origin: 'diary' });
      expect(await made.undoNutrition(date, { origin: 'diary' })).toMatchObject({
        ...{ date, outcome: 'undone' },
      });
      expect(names()).toEqual(['Oats 310']);
      await made.undoNutrition(date);
      expect(names()).toEqual([]);
      expect(await made.undoNutrition(date)).toMatchObject({ outcome: 'skipped' });
      expect(await push([oats])).toMatchObject({ outcome: 'skipped', reason: 'undone' });
      expect(names()).toEqual([]);
      await push([oats], { force: true });
      expect(names()).toEqual(['Oats 310']);
    });

    it('adds up the items of calls at the same time', async () => {
      const { push, names } = await openDay();
      await Promise.all([oats, rice, soup, rice].map((item) => push([item])));
      expect(names()).toEqual(['Oats 310', 'Rice 310', 'Soup 310']);
    });

    it('replaces what the same origin sent before', async () => {
      const { push, names } = await openDay();
      await push([oats]);
      await push([rice, soup], { origin: 'diary' });
      await push([rice], { origin: 'diary' });
      expect(names()).toEqual(['Oats 310', 'Rice 310']);
      await push([soup], { origin: 'diary', merge: 'add' });
      await push([], { merge: 'update' });
      expect(names()).toEqual(['Rice 310', 'Soup 310']);
      await push([oats], { merge: 'replace-day' });
      expect(names()).toEqual(['Oats 310']);
    });
  });

  it('returns results with the fields that --json prints', async () => {
    const { client, sandbox } = await open();
    const made = client({ stateDir: join(openHome({}).dir, 'state') });
    const days = [{ date: '2026-05-16', restingHr: 'fast' }, { date: '2026-05-17', hrv: 62.4 }, 7];
    const wellness = await made.pushWellness(days as WellnessRecord[]);
    sandbox.control.addFaults('upload-fit:400');
    const uploads = [
      await made.upload(ride(4)),
      ...(await made.upload([ride(4), 'no-such.fit', 'rides.csv'])),
    ];
    const verified = await made.verify();
    const lines = [
      ...uploads.map((result) => ({ type: 'upload', v: JSON_VERSION, ...result })),
      ...wellness.map((result) => ({ type: 'wellness', v: JSON_VERSION, ...result })),
      ...verified.map((result) => ({ type: 'verify', v: JSON_VERSION, ...result })),
    ];
    expect(lines.map(({ type, outcome }) => `${type} ${outcome}`).sort()).toEqual([
      'upload invalid',
      'upload invalid',
      'upload rejected',
      'upload uploaded',
      'verify present',
      'wellness invalid',
      'wellness invalid',
      'wellness pushed',
    ]);
    expect(wrongJsonLine(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))).toBe(
      undefined,
    );
  });

  it('hints at new tokens in a failed result, and keeps the message of an error in JSON', async () => {
    const { client, sandbox, tokens } = await open();
    const made = client();
    await made.profile();
    sandbox.control.revoke();
    const error = await failureOf(made.profile());
    for (const secret of [tokens.accessToken, tokens.refreshToken ?? '']) {
      expect(JSON.stringify([error, error.message, error.stack])).not.toContain(secret);
    }
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      name: 'SyncError',
      code: 'AUTH_EXPIRED',
      message: error.message,
      hint: 'Log in again, and give the client the new tokens.',
    });
    const failed = await made.upload(ride(5));
    expect(failed).toMatchObject({ outcome: 'failed', code: 'AUTH_EXPIRED', hint: error.hint });
  });

  it('hints at new tokens, not at `sync login`, if a scope is missing', async () => {
    const { client, sandbox } = await open();
    const read = sandbox.control.tokens({ scopes: ['profile:read'] });
    const made = client({
      store: { load: () => Promise.resolve(read), save: () => Promise.resolve() },
    });
    const hint = 'Log in again, and give the client the new tokens.';
    expect(await failureOf(made.profile({ ftp: 250 }))).toMatchObject({
      code: 'SCOPE_MISSING',
      hint,
    });
    expect(await made.upload(ride(5))).toMatchObject({ code: 'SCOPE_MISSING', hint });
  });

  it('returns one result for one record, also if another day is sent with it', async () => {
    const { client, sandbox } = await open();
    const made = client({ stateDir: join(openHome({}).dir, 'state'), maxRetryWait: 5 });
    sandbox.control.addFaults('nutrition:503*4');
    expect(await made.pushNutrition({ date: '2026-05-17', items: [meal] })).toMatchObject({
      ...{ date: '2026-05-17', outcome: 'failed' },
    });
    const lunch = { ...meal, logged_at: '2026-05-18T12:00:00+02:00' };
    expect(await made.pushNutrition({ date: '2026-05-18', items: [lunch] })).toMatchObject({
      ...{ date: '2026-05-18', outcome: 'pushed' },
    });
    const odd = { items: [meal, lunch] } as unknown as NutritionRecord;
    expect(await failureOf(made.pushNutrition(odd))).toMatchObject({ code: 'USAGE' });
    expect(await made.pushNutrition([odd])).toHaveLength(2);
    expect(await made.pushWellness(null as unknown as WellnessRecord)).toMatchObject({
      outcome: 'invalid',
    });
  });

  it('pauses at most maxRetryWait before a retry', async () => {
    const { client } = await open({
      faults: ['userinfo:503', 'nutrition:503', 'nutrition:429', 'refresh:503', 'nutrition:401'],
    });
    const made = client({ maxRetryWait: 5 });
    const start = performance.now();
    expect(await made.pushNutrition({ date: '2026-05-17', items: [meal] })).toMatchObject({
      outcome: 'pushed',
    });
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('works with a sandbox whose clock it shares', async () => {
    const now = () => Date.parse('2026-05-18T12:00:00Z');
    const { client, sandbox, tokens } = await open({ now });
    expect(await client({ now }).pushWellness({ date: '2026-05-17', hrv: 60 })).toMatchObject({
      outcome: 'pushed',
    });
    expect(sandbox.requests().map(({ route }) => route)).not.toContain('token');
    // Without it, the token of May has ended.
    const made = createClient({ baseUrl: sandbox.url, tokens });
    onTestFinished(() => made.close());
    const error = await failureOf(made.profile());
    expect(error.code).toBe('CONFIG');
    expect(error.message).toContain('(2026-05-18T13:00:00.000Z), and a client without clientId');
    expect(error.hint).toContain('give the client the same');
    expect(sandbox.requests().map(({ route }) => route)).not.toContain('token');
  });

  it('warns of no erased day before it has sent one', async () => {
    const { client } = await open();
    const warnings: string[] = [];
    const made = client({ onWarning: (text) => void warnings.push(text) });
    await made.pushNutrition({ date: '2026-05-17', items: [] });
    expect(warnings).toEqual([]);
  });

  const call = {
    upload: (made: Client, options: object) => made.upload('no-such.fit', options),
    pushWellness: (made: Client, options: object) => made.pushWellness([], options),
    pushNutrition: (made: Client, options: object) => made.pushNutrition([], options),
    undoNutrition: (made: Client, options: object) => made.undoNutrition('2026-05-17', options),
    profile: (made: Client, options: object) => made.profile(options),
    workouts: (made: Client, options: object) => made.workouts(options),
  };

  it.each(Object.entries(call))('names an option that %s does not have', async (name, of) => {
    const { client } = await open();
    const error = await failureOf(of(client(), { dryRun: true }));
    expect(error).toMatchObject({ code: 'USAGE', message: `${name}: there is no option dryRun.` });
  });

  it('rejects with a SyncError what is no record, recording or day, before anything is sent', async () => {
    const { client, held } = await open();
    const made = client();
    const circle: Record<string, unknown> = { date: '2026-05-17' };
    circle['rawJson'] = circle;
    const nothing = undefined as unknown as string;
    for (const failed of [
      made.pushWellness({ date: '2026-05-17', restingHr: 48n }),
      made.pushWellness(circle as never),
      made.pushNutrition(nothing),
      made.upload(nothing),
      made.upload({ path: 'ride.fit', bytes: nothing as never }),
      made.upload([ride(1), { path: 'ride.fit', bytes: nothing as never }]),
      made.upload(ride(1), { metadata: { lap: 1n } }),
      made.undoNutrition(nothing),
    ]) {
      const failure = await failureOf(failed);
      expect(failure).toMatchObject({ name: 'SyncError', code: 'USAGE' });
      expect(failure).not.toMatchObject({
        message: expect.stringContaining('argument') as unknown,
      });
    }
    expect(held().recordings).toEqual([]);
  });

  it('names a value that is no number', async () => {
    const { client } = await open();
    const result = await client().pushWellness({ date: '2026-05-17', restingHr: NaN, steps: 9 });
    const said = expect.stringContaining('"NaN"') as unknown;
    expect(result).toMatchObject({
      outcome: 'pushed',
      warnings: [{ field: 'restingHr', message: said }],
    });
  });

  it('names an unknown option of createClient, and a word that an option does not take', async () => {
    const { client } = await open();
    const wrong: object = { clientID: 'sync' };
    expect(() => client(wrong)).toThrow('createClient: there is no option clientID.');
    const merge = 'replace' as 'replace-day';
    const error = await failureOf(client().pushNutrition([], { merge }));
    expect(error).toMatchObject({
      code: 'USAGE',
      message: 'merge: "replace" is none of its values.',
    });
    expect(error.hint).toContain('replace-day');
    const kind = { platformKind: 'coachwatts' as 'coach-watts' };
    expect(() => client(kind)).toThrow('platformKind');
    expect((await failureOf(client().profile({ weight: 700 }))).message).toMatch(/^weight 700: /);
  });

  it.each(['jobs', 'maxRetryWait'])('refuses a number that %s does not take', async (name) => {
    const { client } = await open();
    for (const wrong of [-1, NaN]) expect(() => client({ [name]: wrong })).toThrow(`${name}: `);
    expect(() => client({ jobs: 0 })).toThrow('jobs: 0 is not a number from 1 to 32.');
    const error = await failureOf(client({ maxRetryWait: 0 }).workouts({ limit: NaN }));
    expect(error).toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/^limit: NaN /) as unknown,
    });
  });

  it('names the field of a record that cannot be sent, and sends the others', async () => {
    const { client, held } = await open();
    const results = await client().pushWellness([
      { date: '2026-05-16', restingHr: 'fast' },
      { date: '2026-05-17', restingHr: 48 },
    ]);
    expect(results).toMatchObject([
      { outcome: 'invalid', problems: [{ field: 'restingHr' }] },
      { outcome: 'pushed', date: '2026-05-17' },
    ]);
    expect(held().wellness).toMatchObject([{ date: '2026-05-17', record: { restingHr: 48 } }]);
  });

  it.each(['since', 'until'])('refuses a day of workouts that does not exist: %s', async (name) => {
    const { client } = await open();
    const error = await failureOf(client().workouts({ [name]: '2026-02-30' }));
    expect(error).toMatchObject({ code: 'USAGE', hint: 'Write it as YYYY-MM-DD.' });
    expect(error.message).toContain(name);
  });

  it('refuses workouts since a day after the last one, as the command does', async () => {
    const { client } = await open();
    const error = await failureOf(client().workouts({ since: '2026-05-17', until: '2026-05-10' }));
    expect([error.code, error.message]).toEqual([
      'USAGE',
      'since 2026-05-17 is after until 2026-05-10.',
    ]);
  });

  it('saves refreshed tokens in the store before it uses them', async () => {
    const { sandbox, tokens, client } = await open({ settings: { refreshToken: 'rotate' } });
    const saved: Tokens[] = [];
    let kept: Tokens = tokens;
    const store = {
      load: () => Promise.resolve(kept),
      save(next: Tokens) {
        saved.push(next);
        kept = next;
        return Promise.resolve();
      },
    };
    sandbox.control.expire();
    await client({ store }).profile();
    expect(saved[0]?.refreshToken).toBe(tokens.refreshToken);
    expect(saved.at(-1)?.accessToken).not.toBe(tokens.accessToken);
    expect(saved.at(-1)?.refreshToken).not.toBe(tokens.refreshToken);
    expect(await client({ store }).profile()).toMatchObject({ id: 'athlete-1' });
  });

  it('refreshes nothing if the store cannot save', async () => {
    const { sandbox, tokens, client } = await open();
    const store = {
      load: () => Promise.resolve(tokens),
      save: () => Promise.reject(new Error('the disk is full')),
    };
    sandbox.control.expire();
    const error = await failureOf(client({ store }).profile());
    expect(error).toMatchObject({ code: 'STORAGE' });
    expect(error.message).toContain('the disk is full');
    expect(sandbox.requests().filter(({ path }) => path.endsWith('/token'))).toEqual([]);
  });

  it('trims tokens, and reports one that cannot be sent by its name alone', async () => {
    const { tokens, client } = await open();
    const withToken = (accessToken: string) => {
      const load = () => Promise.resolve({ ...tokens, accessToken });
      return client({ store: { load, save: () => Promise.resolve() } }).profile();
    };
    expect(await withToken(`${tokens.accessToken}\n`)).toMatchObject({ id: 'athlete-1' });
    const { code, message } = await failureOf(withToken('s3cret\nsecond line'));
    expect([code, message]).toEqual(['CONFIG', 'accessToken holds characters that no secret has.']);
  });

  it('takes null from a store for no login', async () => {
    const { client } = await open();
    const store = { load: () => Promise.resolve(null), save: () => Promise.resolve() };
    expect(await failureOf(client({ store }).profile())).toMatchObject({ code: 'AUTH_REQUIRED' });
  });

  it('works again after a failure of its first operation', async () => {
    const { client } = await open({ faults: ['any:503*4'] });
    const made = client();
    expect(await failureOf(made.profile())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await made.profile()).toMatchObject({ id: 'athlete-1' });
  });

  it('runs many operations at once without a warning of Node.js', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { client } = await open({ faults: ['profile:delay=100ms*inf'] });
    const made = client();
    await Promise.all(Array.from({ length: 20 }, () => made.profile()));
    expect(warnings).not.toContain('MaxListenersExceededWarning');
  });

  it('ends the operations in flight when it is closed', async () => {
    const { sandbox, client } = await open({ faults: ['upload-fit:hang'] });
    const made = client();
    const failed = failureOf(made.upload(ride(1)));
    await expect.poll(() => sandbox.requests().at(-1)?.route).toBe('upload-fit');
    await made.close();
    expect(await failed).toMatchObject({ code: 'INTERRUPTED', message: 'The client was closed.' });
  });

  it('deletes its temporary folder when it is closed', async () => {
    const { client } = await open();
    const made = client();
    await made.pushWellness({ date: '2026-05-17', restingHr: 48 });
    await made.close();
    await made.close();
    expect(await failureOf(made.profile())).toMatchObject({ code: 'INTERRUPTED' });
  });

  it('ends an operation with its signal', async () => {
    const { client } = await open({ faults: ['any:delay=60s*inf'] });
    const stop = new AbortController();
    const asked = client({ signal: stop.signal }).profile();
    setImmediate(() => stop.abort(new Error('enough')));
    await expect(asked).rejects.toThrow('enough');
  });

  it.each([
    ['baseUrl', { baseUrl: 'http://training.example' }],
    ['timezone', { timezone: 'Europe/Atlantis' }],
  ])('refuses an option that cannot be used: %s', (name, changes) => {
    const make = () => createClient({ baseUrl: 'http://127.0.0.1:1', tokens: {}, ...changes });
    expect(make).toThrow(SyncError);
    expect(make).toThrow(name);
  });

  it.each<[string, unknown]>([
    ['createClient: an object', undefined],
    ['tokens: ', { tokens: 'abc' }],
    ['tokens: there is no option access_token.', { tokens: { access_token: 'abc' } }],
    ['either tokens or store', {}],
    ['either tokens or store', { tokens: {}, store: {} }],
    ['store: ', { store: { load: () => undefined } }],
  ])('refuses a login that cannot be used: %s %j', (name, login) => {
    const options = login === undefined ? login : { baseUrl: 'http://127.0.0.1:1', ...login };
    const make = () => createClient(options as ClientOptions);
    expect(make).toThrow(SyncError);
    expect(make).toThrow(name);
  });

  it('reports a state folder that cannot be made', async () => {
    const { client } = await open();
    const home = openHome({});
    const file = join(home.dir, 'file');
    writeFileSync(file, '');
    const error = await failureOf(client({ stateDir: file }).profile());
    expect(error).toMatchObject({ code: 'USAGE' });
    expect(error.message).toContain(file);
  });
});
