import { describe, expect, it } from 'vitest';
import { bearer, openApp } from './support.ts';

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
  it('is that of the athlete whose token it is', async () => {
    const sandbox = openApp();
    const response = await sandbox.app.request('/api/profile', { headers: bearer(sandbox) });
    expect([response.status, await response.json()]).toEqual([200, { profile: ada }]);
  });

  it('takes any of its figures, and answers with the whole', async () => {
    const sandbox = openApp();
    const response = await patch(sandbox, {
      ftp: 260,
      maxHr: 190,
      lthr: 170,
      name: 'Eve',
      shoe: 42,
    });
    const profile = { ...ada, ftp: 260, maxHr: 190, lthr: 170 };
    expect([response.status, await response.json()]).toEqual([200, { success: true, profile }]);
    expect(sandbox.control.state('athlete-1').athletes[0]?.profile).toEqual(profile);
    expect(sandbox.control.state('athlete-2').athletes[0]?.profile.ftp).toBe(292);
  });

  it.each([
    ['athlete-1', { weight: 61.2 }, 61.2, 'Kilograms'],
    ['athlete-1', { weight: 61.2, weightUnits: 'Kilograms' }, 61.2, 'Kilograms'],
    ['athlete-1', { weight: 150, weightUnits: 'Pounds' }, 68.04, 'Pounds'],
    // The trap: this athlete reads pounds, so a bare weight is one in pounds.
    ['athlete-2', { weight: 80 }, 36.29, 'Pounds'],
    ['athlete-2', { weight: 80, weightUnits: 'Kilograms' }, 80, 'Kilograms'],
  ])('of %s reads %o as %d kg', async (athlete, body, weight, weightUnits) => {
    const sandbox = openApp();
    expect(await (await patch(sandbox, body, athlete)).json()).toMatchObject({
      profile: { weight, weightUnits },
    });
  });

  it.each([
    ['weight', '72'],
    ['weight', 0],
    ['weightUnits', 'kg'],
    ['ftp', 250.5],
    ['ftp', 0],
    ['maxHr', 180.2],
    ['lthr', null],
  ])('refuses %s: %o and stays as it is', async (field, value) => {
    const sandbox = openApp();
    const response = await patch(sandbox, { ftp: 300, [field]: value });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ data: [{ path: [field] }] });
    expect(sandbox.control.state('athlete-1').athletes[0]?.profile).toEqual(ada);
  });
});
