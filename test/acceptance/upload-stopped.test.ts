import { expect, it } from 'vitest';
import { systemClock } from '../../src/system/this-process.ts';
import { openLoggedInWorld } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { until } from '../support/until.ts';

it.runIf(process.platform === 'linux')(
  'sync upload names a stopped process for which it waits, and its recording is sent when that ends',
  async () => {
    const world = await openLoggedInWorld();
    const { control } = world.sandbox;
    const ride = world.write('ride.fit', makeRecording({ sizeBytes: 3_000 }));
    control.addFaults('upload-fit:hang');
    const { child, finished } = world.start(['upload', ride]);
    await until(() => control.requests({ route: 'upload-fit' }).length === 1);
    child.kill('SIGSTOP');
    let longWaits = 0;
    const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
      const isLong = ms === 30_000;
      await systemClock.sleep(isLong ? 10 : ms, signal);
      if (isLong) longWaits++;
    };
    const waiting = world.sync(['upload', ride], { clock: { ...systemClock, sleep } });
    await until(() => longWaits > 0);
    child.kill('SIGKILL');
    child.kill('SIGCONT');
    await finished;
    const { code, stdout, stderr } = await waiting;
    expect([code, stdout]).toEqual([0, expect.stringContaining('uploaded')]);
    expect(stderr).toContain('Another sync is sending 1 recording just now; waiting for it.');
    expect(stderr).toContain(`Process ${child.pid ?? 0} holds them, and is stopped: `);
    expect(stderr.match(/is stopped/g)).toHaveLength(1);
  },
);
