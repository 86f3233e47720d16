import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeRecording } from '../support/fit-maker.ts';
import { loginWithToken, openWorld } from '../support/world.ts';

it('sends the name of a recording, and neither its folder nor the names of user and computer', async () => {
  const world = await openWorld({ env: { USER: 'lovelace', LOGNAME: 'lovelace' } });
  await loginWithToken(world);
  const folder = join(world.home.dir, 'private-folder');
  world.write('private-folder/ride.fit', makeRecording());
  world.write('private-folder/days.json', '[{"date":"2026-02-15","restingHr":50}]');
  expect((await world.sync(['upload', folder])).code).toBe(0);
  expect((await world.sync(['push', 'wellness', join(folder, 'days.json')])).code).toBe(0);
  expect((await world.sync(['status', '--check'])).code).toBe(0);

  const sent = JSON.stringify(world.sandbox.control.requests());
  expect(sent).toContain('ride.fit');
  expect(sent).toContain('restingHr');
  expect(sent).not.toContain('private-folder');
  expect(sent).not.toContain(world.home.dir);
  expect(sent).not.toContain('lovelace');
  expect(sent).not.toContain(`"${hostname()}"`);
});
