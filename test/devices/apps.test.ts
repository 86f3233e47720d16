import { expect, it } from 'vitest';
import { APPS, appVariables, variableOf } from '../../src/devices/apps.ts';

it('appVariables keeps the variables that name folders of apps, and no secret', () => {
  const env = { LOCALAPPDATA: 'C:\\Local', SYNC_ACCESS_TOKEN: 'secret', HOME: '/home/ada' };
  const kept = appVariables(env);
  expect(kept['LOCALAPPDATA']).toBe('C:\\Local');
  expect(JSON.stringify(kept)).not.toContain('secret');
  expect(Object.keys(kept)).not.toContain('HOME');
});

it('the folders of apps begin with the home folder or a variable', () => {
  for (const folder of APPS.flatMap((app) => Object.values(app.folders).flat())) {
    expect(folder.startsWith('~/') || variableOf(folder) !== undefined).toBe(true);
  }
});
