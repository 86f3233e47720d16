import { expect, it } from 'vitest';
import { doctor } from '../../src/commands/doctor.ts';
import { scratchDir, testClock, testSystem } from '../auth/support.ts';
import { startCommand } from '../support/command.ts';
import { ndjson } from '../support/program.ts';

/** What doctor finds about the zone data at a time. */
async function zoneDataAt(now: string) {
  const clock = { ...testClock(), now: () => Date.parse(now) };
  const dir = scratchDir();
  const env = { TZDIR: dir };
  const run = startCommand(doctor, testSystem({ homeDir: dir, clock, env }), ['--json']);
  await run.done;
  return ndjson(run.stdout.join('\n')).find(({ check }) => check === 'zone-data');
}

it('names the release of the zone data, and notes it if it is more than a year old', async () => {
  expect(await zoneDataAt('2026-11-22T12:00:00Z')).toMatchObject({ state: 'good' });
  const old = await zoneDataAt('2199-01-01T12:00:00Z');
  expect(old).toMatchObject({ state: 'odd' });
  expect(old?.['message']).toMatch(/^Zone data \d{4}[a-z]+, .*, is more than a year old: /);
});
