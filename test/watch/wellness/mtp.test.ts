import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { filesystemType } from '../../../src/watch/find/filesystem-type.ts';
import { type MtpDevice, mountMtp, whyNoMtp } from '../../support/mtp-mount.ts';
import { wellnessFile } from '../../support/wellness-files.ts';
import {
  folder,
  happened,
  held,
  sandbox,
  start,
  useFolderReader,
  useWatchedFolder,
} from '../in-process.ts';
import { anotherRecording, put, until } from '../support.ts';

useWatchedFolder();

const noMtp = whyNoMtp();
const note = noMtp === undefined ? '' : ` (skipped: ${noMtp})`;

const reader = useFolderReader();

const FEB14 = { date: '2026-02-14', restingHr: 52 };
const bodies = () => sandbox.control.requests({ route: 'wellness' }).map(({ body }) => body);

describe.skipIf(noMtp !== undefined)(`the wellness of a device over MTP${note}`, () => {
  let device: MtpDevice;
  const onDevice = (path: string) => join(device.source, 'Internal Storage', 'GARMIN', path);
  beforeEach(async () => {
    device = await mountMtp();
    mkdirSync(onDevice('Activity'), { recursive: true });
    put(onDevice('Monitor/1.FIT'), wellnessFile({ restingHr: { '2026-02-14T22:00:00': 52 } }));
    put(onDevice('HRVStatus/2.FIT'), wellnessFile({ hrv: { '2026-02-15T06:50:00': 66 } }));
  });

  function watch(silenceMs?: number) {
    const remote = { ...reader(), silenceMs };
    return start({
      folders: [folder, join(device.mount, 'Internal Storage', 'GARMIN', 'Activity')],
      ...{ remote, pollMs: 1_000, wellness: true },
      filesystemType,
    });
  }

  it('is read once, by one reader, and sent once', async () => {
    put(onDevice('Activity/ride.fit'), anotherRecording());
    const first = watch();
    await until(() => happened(first.events, 'day').length === 2);
    await until(() => held().length === 1);
    await first.end();
    const { opens } = device.counts();
    const second = watch();
    await until(() => happened(second.events, 'ready').length === 1);
    const listed = device.counts().calls['readdir'] ?? 0;
    await until(() => (device.counts().calls['readdir'] ?? 0) > listed + 5);
    await second.end();
    const { most, refused, opens: after } = device.counts();
    expect({ most, refused, after }).toEqual({ most: 1, refused: 0, after: opens });
    expect(opens['/Internal Storage/GARMIN/Monitor/1.FIT']).toBe(1);
    expect(bodies()).toEqual([FEB14, { date: '2026-02-15', hrv: 66 }]);
  });

  it('does not keep the days of another folder waiting for long if the device hangs', async () => {
    put(join(folder, 'Monitor/3.FIT'), wellnessFile({ restingHr: { '2026-02-13T22:00:00': 50 } }));
    device.behave({ state: 'hanging' });
    const { events, end } = watch(300);
    await until(() => happened(events, 'day').length === 1);
    expect(bodies()).toEqual([{ date: '2026-02-13', restingHr: 50 }]);
    await end();
  });
});
