import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readHealth } from '../../src/watch/health.ts';
import { HealthKeeper } from '../../src/watch/health-keeper.ts';
import { manualClock } from './manual-clock.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'sync-health-keeper-'));
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

it('goes on writing when the clock is set back', async () => {
  const clock = manualClock();
  const start = { id: 'aaaaaaaaaaaaaaaa', pid: 1, profile: 'default' };
  const keeper = new HealthKeeper(start, ['/rides'], { stateDir, clock });
  keeper.write(true);
  clock.jump(-3_600_000);
  await clock.advance(1_000);
  keeper.note({ account: 'mine' });
  keeper.write(false);
  const now = clock.now();
  expect(readHealth(stateDir, now)).toMatchObject([{ updatedAt: new Date(now).toISOString() }]);
});
