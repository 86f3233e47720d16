import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { ignoresHangup } from '../../src/system/signals.ts';

it.skipIf(process.platform !== 'linux').each([
  ['ignored', `trap '' HUP`, true],
  ['not ignored', ':', false],
])('SIGHUP is %s as by the parent', async (_, trap, expected) => {
  const parent = spawn('sh', ['-c', `${trap}; echo ready; read line`]);
  onTestFinished(() => void parent.kill('SIGKILL'));
  await once(parent.stdout, 'data');
  expect(ignoresHangup({}, 'linux', parent.pid ?? 0)).toBe(expected);
});
