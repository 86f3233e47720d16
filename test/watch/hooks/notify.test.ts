import { expect, it } from 'vitest';
import { notifyCommand } from '../../../src/watch/hooks/notify.ts';

it('shows a desktop notification without making its text part of a program', () => {
  const note = { title: 'sync', text: '"; rm -rf ~ #' };
  const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus' };
  expect(notifyCommand('linux', {}, note)).toBeUndefined();
  expect(notifyCommand('linux', bus, note)).toEqual([
    'notify-send',
    '--app-name=sync',
    '--',
    'sync',
    note.text,
  ]);
  const marked = { title: 'sync', text: String.raw`<a href="x">&amp; \074b\076` };
  expect(notifyCommand('linux', bus, marked)?.at(-1)).toBe(
    String.raw`&lt;a href="x"&gt;&amp;amp; \\074b\\076`,
  );
  const mac = notifyCommand('darwin', {}, note);
  expect(mac?.slice(-3)).toEqual(['--', 'sync', note.text]);
  expect(mac?.slice(0, -1).join(' ')).not.toContain('rm');
  expect(notifyCommand('win32', {}, note)).toBeUndefined();
});
