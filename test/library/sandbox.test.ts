import { describe, expect, it, onTestFinished } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { type SandboxOptions, startSandbox } from '../../src/library/sandbox.ts';

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

  it('refuses faults, settings and scopes that it does not know', async () => {
    await expect(startSandbox({ faults: ['nowhere:503'] })).rejects.toThrow('nowhere');
    await expect(startSandbox({ settings: { unheard: 1 } })).rejects.toThrow('unheard');
    const sandbox = await open();
    expect(() => sandbox.control.tokens({ scopes: ['everything'] })).toThrow(/scopes/);
  });

  it('can be closed twice, and frees its port', async () => {
    const first = await startSandbox();
    await first.close();
    await first.close();
    await (await startSandbox({ port: first.port })).close();
  });
});
