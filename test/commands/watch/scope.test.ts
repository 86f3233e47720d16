import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { configFor } from '../../../src/app/config.ts';
import { createContext } from '../../../src/app/context.ts';
import { scopeToWatch } from '../../../src/commands/watch/scope.ts';
import { scratchDir, testIo, testSystem } from '../../auth/support.ts';
import { makeEdge } from '../../support/device.ts';
import { PROGRAM } from '../../support/program.ts';
import { anotherRecording } from '../../watch/support.ts';

let home: string;
let media: string;
beforeEach(() => {
  home = scratchDir();
  media = scratchDir();
});

/** Asks for the scope of `sync watch` on a terminal, where the user gives these answers. */
async function chooseOnTerminal(answers: Record<string, string[]>) {
  const said: string[] = [];
  const io = testIo({ interactive: true, answers });
  const system = testSystem({
    homeDir: home,
    env: {
      HOME: home,
      SYNC_CONFIG_DIR: join(home, 'config'),
      SYNC_STATE_DIR: join(home, 'state'),
      SYNC_BASE_URL: 'http://127.0.0.1:9',
      SYNC_DEVICE_FOLDERS: media,
    },
    programDir: dirname(PROGRAM),
    io: { ...io, err: (line) => said.push(line) },
  });
  const flags = { profile: undefined, json: false, quiet: false, verbose: false };
  const context = createContext(system, flags);
  const scope = await scopeToWatch(context, configFor(context), [], false, ['watch']);
  return { scope, said: said.join('\n'), saved: configFor(context).saved.watch };
}

describe('sync watch without a folder on a terminal', () => {
  it('shows the device that is plugged in, asks once, and remembers the answer', async () => {
    const { activities } = makeEdge(join(media, 'GARMIN'), '3412345678', [anotherRecording()]);
    const first = await chooseOnTerminal({ 'Watch these': [''] });
    expect(first.said).toContain(`Garmin Edge 840: ${activities}`);
    expect(first.scope).toEqual({ folders: [], devices: true });
    expect(first.saved).toBe('devices');
    // A question would wait for ever: there is no answer.
    expect(await chooseOnTerminal({})).toMatchObject({ scope: first.scope, said: '' });
  });

  it('watches and remembers nothing after a no', async () => {
    const { scope, saved, said } = await chooseOnTerminal({ 'Watch for any': ['n'] });
    expect([scope, saved]).toEqual([undefined, undefined]);
    expect(said).toContain('sync watch DIR');
  });
});
