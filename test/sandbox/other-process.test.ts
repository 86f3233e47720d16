import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openHome } from '../support/acceptance.ts';
import { documentedCommands, expectKnown } from '../support/documented-commands.ts';
import { startSync } from '../support/program.ts';
import { openSandbox } from './support.ts';

it('the page of an empty sandbox names commands that exist', async () => {
  const { url } = await openSandbox();
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  const codes = (await response.text()).matchAll(/<code>\s*(sync [^<]+?)\s*<\/code>/g);
  const commands = documentedCommands([...codes].map(([, code = '']) => code).join('\n'));
  expect(commands.map(({ text }) => text)).toEqual([
    'sync seed --days 14',
    'sync upload ride.fit',
    'sync push wellness morning.json',
    'sync push nutrition meals.json',
  ]);
  const home = openHome();
  for (const command of commands) await expectKnown(home, command);
});

it('a sandbox in another process reports its exchanges to the test that started it', async () => {
  const home = openHome();
  const running = startSync(['sandbox', '--port', '0', '--platform', 'interface'], { home });
  const [, url = ''] = await running.waitFor(/SYNC_BASE_URL=(\S+)/);
  expect((await fetch(`${url}/api/workouts`)).status).toBe(401);
  const file = process.env['TEST_EXCHANGES'] ?? '';
  await expect.poll(() => existsSync(file)).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain('"route":"workouts"');
  running.child.kill('SIGTERM');
  expect((await running.finished).code).toBe(0);
});
