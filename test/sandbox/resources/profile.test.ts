import { describe, expect, it } from 'vitest';
import { bearer, expectError, openApp, postJson } from '../support.ts';

type Sandbox = ReturnType<typeof openApp>;

const patch = (sandbox: Sandbox, body: unknown, athlete = 'athlete-1') =>
  Promise.resolve(
    sandbox.app.request('/api/profile', {
      method: 'PATCH',
      headers: { ...bearer(sandbox, undefined, athlete), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );

const ada = {
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

describe('the profile', () => {
  it('belongs to the athlete of the token', async () => {
    const sandbox = openApp();
    const response = await sandbox.app.request('/api/profile', { headers: bearer(sandbox) });
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        connected: true,
        profile: expect.objectContaining({
          ...ada,
          effectiveWeight: 62.5,
          effectiveWeightSource: null,
        }) as object,
      },
    ]);
  });

  it('accepts any of its figures and answers with the whole profile', async () => {
    const sandbox = openApp();
    const response = await patch(sandbox, {
      ftp: 260,
      maxHr: 190,
      lthr: 170,
      name: 'Eve',
      shoe: 42,
    });
    const profile = { ...ada, ftp: 260, maxHr: 190, lthr: 170 };
    expect([response.status, await response.json()]).toEqual([
      200,
      { success: true, profile: expect.objectContaining(profile) as object },
    ]);
    expect(sandbox.control.state('athlete-1').athletes[0]?.profile).toEqual(profile);
    expect(sandbox.control.state('athlete-2').athletes[0]?.profile.ftp).toBe(292);
  });

  it.each([
    ['athlete-1', { weight: 61.2 }, 61.2, 'Kilograms'],
    ['athlete-1', { weight: 61.2, weightUnits: 'Kilograms' }, 61.2, 'Kilograms'],
    ['athlete-1', { weight: 150, weightUnits: 'Pounds' }, 68.04, 'Pounds'],
    // This athlete's display unit is pounds, so a weight without a unit is in pounds.
    ['athlete-2', { weight: 80 }, 36.29, 'Pounds'],
    ['athlete-2', { weight: 80, weightUnits: 'Kilograms' }, 80, 'Kilograms'],
  ])('for %s reads %o as %d kg', async (athlete, body, weight, weightUnits) => {
    const sandbox = openApp();
    expect(await (await patch(sandbox, body, athlete)).json()).toMatchObject({
      profile: { weight, weightUnits },
    });
  });

  it('stores implausible values, truncates decimals and ignores null', async () => {
    const sandbox = openApp();
    for (const [body, stored] of [
      [{ ftp: 246.5 }, { ftp: 246 }],
      [{ ftp: -1 }, { ftp: -1 }],
      [
        { weight: null, lthr: null },
        { weight: 62.5, lthr: 168 },
      ],
    ]) {
      expect(await (await patch(sandbox, body)).json()).toMatchObject({ profile: stored });
    }
  });

  it('shows the newest weight of the wellness records and updates as effective', async () => {
    const sandbox = openApp();
    for (const [date, weight] of [
      ['2026-05-30', 73.9],
      ['2026-05-29', 74.5],
    ] as const) {
      await postJson(sandbox, '/api/wellness', { date, weight }, bearer(sandbox));
    }
    const response = await sandbox.app.request('/api/profile', { headers: bearer(sandbox) });
    expect(await response.json()).toMatchObject({
      profile: {
        weight: 62.5,
        effectiveWeight: 73.9,
        effectiveWeightSource: { type: 'wellness', date: '2026-05-30T00:00:00.000Z' },
      },
    });
    await patch(sandbox, { weight: 60 });
    const updated = await sandbox.app.request('/api/profile', { headers: bearer(sandbox) });
    expect(await updated.json()).toMatchObject({ profile: { effectiveWeight: 60 } });
  });

  it('refuses a weight as text', async () => {
    const response = await patch(openApp(), { weight: '70' });
    const issue = {
      code: 'invalid_type',
      ...{ expected: 'number', received: 'string', path: ['weight'] },
      message: 'Expected number, received string',
    };
    const more = { statusMessage: 'Invalid input', data: [issue] };
    await expectError(response, '/api/profile', 400, 'Invalid input', more);
  });
});
