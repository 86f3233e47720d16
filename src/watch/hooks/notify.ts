import type { Env } from '../../base/env.ts';
import { startTool } from '../../system/child-call.ts';

/**
 * Returns the command that shows a desktop notification; undefined without a desktop.
 *
 * @param note plain texts that are safe to show
 */
export function notifyCommand(
  platform: NodeJS.Platform,
  env: Env,
  { title, text }: { readonly title: string; readonly text: string },
): readonly [command: string, ...args: string[]] | undefined {
  switch (platform) {
    case 'linux': {
      const desktop = env['DBUS_SESSION_BUS_ADDRESS'] ?? env['DISPLAY'] ?? env['WAYLAND_DISPLAY'];
      if (desktop === undefined || desktop === '') return undefined;
      return ['notify-send', '--app-name=sync', '--', title, notifySendBody(text)];
    }
    case 'darwin':
      // The texts are arguments of the script, not parts of it.
      return [
        'osascript',
        '-e',
        'on run argv',
        '-e',
        'display notification (item 2 of argv) with title (item 1 of argv)',
        '-e',
        'end run',
        '--',
        title,
        text,
      ];
    default:
      return undefined;
  }
}

/**
 * Escapes the body for notify-send, which expands backslashes, and for the desktop, which reads markup:
 * https://specifications.freedesktop.org/notification/latest/markup.html
 */
function notifySendBody(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Shows a notification if there is a desktop. Ignores failures. */
export function notify(
  platform: NodeJS.Platform,
  env: Env,
  note: { readonly title: string; readonly text: string },
): void {
  const command = notifyCommand(platform, env, note);
  if (command !== undefined) startTool(command, env);
}
