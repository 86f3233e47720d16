import { describe, expect, it } from 'vitest';
import { openApp } from '../support.ts';
import { act, HTML, tokenOf } from './support.ts';

describe('an action of the page', () => {
  it('adds faults, and removes one', async () => {
    const sandbox = openApp();
    const token = await tokenOf(sandbox);
    const specs = () => sandbox.control.faults().map(({ spec }) => spec);
    const added = await act(sandbox, 'add-fault', { token, spec: ' upload-fit:503*2 ' });
    expect(await added.json()).toEqual({ message: 'Added the fault upload-fit:503*2.' });
    await act(sandbox, 'add-fault', { token, spec: 'any:delay=1ms' });
    expect(specs()).toEqual(['upload-fit:503*2', 'any:delay=1ms']);
    await act(sandbox, 'remove-fault', { token, spec: 'upload-fit:503*2' });
    expect(specs()).toEqual(['any:delay=1ms']);
    expect((await act(sandbox, 'remove-fault', { token, spec: 'any:503' })).status).toBe(404);
  });

  it('refuses a fault that cannot be read, and says why', async () => {
    const sandbox = openApp();
    const response = await act(sandbox, 'add-fault', {
      token: await tokenOf(sandbox),
      spec: 'x:1',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: /no route "x"/ });
  });

  it('leads a browser without JavaScript back to the athlete that it showed', async () => {
    const sandbox = openApp();
    const fields = { token: await tokenOf(sandbox), spec: 'any:503' };
    const locationAfter = async (referer: string) => {
      const response = await act(sandbox, 'add-fault', fields, { ...HTML, referer });
      expect(response.status).toBe(303);
      return response.headers.get('location');
    };
    expect(await locationAfter('http://localhost/?athlete=athlete-2')).toBe('/?athlete=athlete-2');
    expect(await locationAfter('http://evil.example/?athlete=athlete-2')).toBe('/');
    expect(await locationAfter('http://localhost/elsewhere?a=b')).toBe('/');
    expect(await locationAfter('')).toBe('/');
  });

  it.each([
    ['without a token', {}],
    ['with an empty token', { token: '' }],
    ['with the token of another sandbox', { token: 'other' }],
  ])('is refused %s, and changes nothing', async (_what, given: { token?: string }) => {
    const sandbox = openApp();
    const token = given.token === 'other' ? await tokenOf(openApp()) : given.token;
    const response = await act(sandbox, 'add-fault', {
      spec: 'any:503',
      ...(token === undefined ? {} : { token }),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ message: 'The page is out of date: reload it' });
    expect(sandbox.control.faults()).toEqual([]);
  });

  it('is refused as JSON, as GET, under an unknown name, and beyond 16 KiB', async () => {
    const sandbox = openApp();
    const token = await tokenOf(sandbox);
    const json = { 'content-type': 'application/json', accept: 'application/json' };
    expect((await act(sandbox, 'add-fault', { token, spec: 'any:503' }, json)).status).toBe(415);
    expect((await act(sandbox, 'constructor', { token })).status).toBe(404);
    const big = { token, spec: 'x'.repeat(20_000) };
    expect((await act(sandbox, 'add-fault', big, { 'content-length': '20000' })).status).toBe(413);
    const { status } = await sandbox.app.request(`/_sandbox/page/add-fault?token=${token}`);
    expect(status).toBe(404);
  });
});

it('the number of changes is another one after a request, its answer, and a change by the control endpoints', async () => {
  const { app, world } = openApp({ faults: ['workouts:delay=50ms'] });
  const read = async () => Number(await (await app.request('/_sandbox/page/changes')).text());
  const seen = [await read(), await read()];
  const answer = app.request('/api/workouts');
  seen.push(await read());
  await answer;
  seen.push(await read());
  await app.request('/_sandbox/faults', { method: 'DELETE' });
  seen.push(await read());
  expect(seen.map((each) => each - (seen[0] ?? 0))).toEqual([0, 0, 1, 2, 3]);
  expect(openApp().world.changes).not.toBe(world.changes);
});
