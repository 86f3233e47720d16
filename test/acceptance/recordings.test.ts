import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLoggedInWorld, openWorld, requestCounts, sha256 } from '../support/acceptance.ts';
import { makeRecording, unfinished } from '../support/fit-maker.ts';
import { START, fitFile, fitMessage } from '../support/fit-messages.ts';
import { ndjson } from '../support/program.ts';

/** Peak memory of the program for a recording of 10 MB (MB). Node.js 24 and later keep more room for new objects. */
const MOST_MB = Number.parseInt(process.versions.node) < 24 ? 200 : 240;

const ride = makeRecording({ durationSecs: 600, localOffsetMinutes: 60 });

it.skipIf(process.platform !== 'linux')(
  `10 MB are inspected in ${MOST_MB} MB of memory`,
  async () => {
    const world = await openWorld();
    const path = world.write('long.fit', makeRecording({ sizeBytes: 10_000_000 }));
    const usage = join(world.home.dir, 'status');
    const preload = world.write(
      'usage.cjs',
      `const fs = require('node:fs'); process.on('exit', () => fs.writeFileSync(${JSON.stringify(usage)}, fs.readFileSync('/proc/self/status')));`,
    );
    const { code, stdout } = await world.program(['inspect', path, '--json'], {
      env: { NODE_OPTIONS: `--require=${preload}` },
    });
    expect(code).toBe(0);
    expect(ndjson(stdout)[0]).toMatchObject({ state: 'whole', size: 10_000_000, laps: 1 });
    // process.resourceUsage() counts the memory of the process that started it, too.
    const [, peakKb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(usage, 'latin1')) ?? [];
    expect(Number(peakKb) / 1024).toBeLessThan(MOST_MB);
  },
);

it('a recording that a device could not finish arrives after sync repair, when the user asks for it', async () => {
  const world = await openLoggedInWorld();
  const path = world.write('rides/ride.fit', unfinished(ride));
  const folder = join(world.home.dir, 'rides');

  const refused = await world.sync(['upload', path]);
  expect(refused.code).toBe(3);
  expect(refused.stdout).toContain(`\`sync repair ${path}\``);

  const repaired = await world.sync(['repair', path]);
  const copy = join(folder, 'ride.repaired.fit');
  expect(repaired).toMatchObject({ code: 0, stderr: '' });
  expect(repaired.stdout).toContain(`\`sync upload ${copy}\` sends the copy.`);
  expect(readFileSync(copy).equals(ride)).toBe(true);
  expect(readFileSync(path).equals(unfinished(ride))).toBe(true);

  expect((await world.sync(['upload', folder])).code).toBe(3);
  expect(requestCounts(world.sandbox)).toEqual({});

  expect((await world.sync(['upload', copy])).code).toBe(0);
  const held = world.sandbox.control.state('athlete-1').athletes[0]?.recordings ?? [];
  expect(held).toMatchObject([{ sha256: sha256(ride) }]);
});

it('a recording without a type arrives if it has records', async () => {
  const world = await openLoggedInWorld();
  const bytes = fitFile(
    fitMessage('fileId', { manufacturer: 260 }),
    fitMessage('record', { timestamp: START, heartRate: 120 }),
  );
  world.write('rides/typeless.fit', bytes);
  world.write('rides/settings.fit', fitFile(fitMessage('fileId', { type: 2 })));
  expect((await world.sync(['upload', join(world.home.dir, 'rides')])).code).toBe(0);
  const held = world.sandbox.control.state('athlete-1').athletes[0]?.recordings ?? [];
  expect(held).toMatchObject([{ sha256: sha256(bytes) }]);
});
