import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLoggedInWorld } from '../support/acceptance.ts';

it.skipIf(process.platform !== 'linux')(
  'sync daemon install writes the flags that the user gave into the service',
  async () => {
    const world = await openLoggedInWorld();
    const { dir } = world.home;
    const folder = join(dir, 'Garmin');
    mkdirSync(folder);
    const [unit, copy] = [
      join(dir, '.config/systemd/user/athlete-sync.service'),
      join(dir, 'copy'),
    ];
    // Nothing starts: the service is refused, and removed again.
    const tool = `#!/bin/sh\ncase "$*" in *restart*) cp '${unit}' '${copy}'; exit 1;; esac\n`;
    chmodSync(world.write('bin/systemctl', tool), 0o755);
    const env = { PATH: `${join(dir, 'bin')}:${process.env['PATH'] ?? ''}` };
    for (const [args, given] of [
      [['--wellness'], true],
      [[], false],
    ] as const) {
      const { code } = await world.sync(['daemon', 'install', folder, ...args], { env });
      expect(code).toBe(1);
      expect(readFileSync(copy, 'utf8').includes('--wellness')).toBe(given);
    }
  },
);
