import type { Env } from '../../base/env.ts';
import { shellWord } from '../../base/printable.ts';
import { type Text, joinTexts } from '../../base/phrase.ts';
import { isLoopback } from '../../config/settings.ts';

/** Why the user opens the address by hand, and where. */
const BY_HAND = {
  asked: 'Open this page in a browser, and approve the login there:',
  'no-display': 'This machine has no desktop. Open this page in a browser, and approve there:',
  ssh: 'You are here over SSH. Open this page in the browser of your own machine:',
  failed: 'No browser could be started. Open this page in one:',
} as const;
export type WhyByHand = keyof typeof BY_HAND;

/**
 * Returns why a browser would not show here, or undefined if it would. Without a screen a browser
 * opens unseen, or the opener fails silently, and the user would wait for nothing.
 */
export function whyNoBrowser(
  env: Env,
  platform: NodeJS.Platform,
): 'no-display' | 'ssh' | undefined {
  const has = (...names: string[]) => names.some((name) => (env[name] ?? '') !== '');
  if (has('DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER')) return undefined;
  if (has('SSH_CONNECTION', 'SSH_TTY')) return 'ssh';
  // WSL opens the browser of Windows.
  if (platform === 'linux' && !has('WSL_DISTRO_NAME')) return 'no-display';
  return undefined;
}

/**
 * Returns the command that, typed on the machine with the browser, forwards to this one what the browser
 * opens: the callback, and the page of a platform that runs here.
 *
 * @param hostName this machine's name, if the SSH session does not show its address.
 */
export function sshForwardCommand(
  env: Env,
  hostName: string,
  addresses: readonly string[],
): string {
  const forwards = addresses
    .map((address) => new URL(address))
    .filter(isLoopback)
    .map(({ hostname, port }) => {
      const to = port === '' ? '80' : port;
      // ssh listens on 127.0.0.1 and localhost by default; any other address must be named.
      const isDefault = hostname === '127.0.0.1' || hostname === 'localhost';
      const forward = `${isDefault ? '' : `${hostname}:`}${to}:${hostname}:${to}`;
      return ` -L ${/[[\]]/.test(forward) ? `'${forward}'` : forward}`;
    });
  // SSH_CONNECTION: client address, client port, server address, server port.
  const [, , address, sshPort] = (env['SSH_CONNECTION'] ?? '').split(' ');
  const user = env['USER'] || env['LOGNAME'] || 'USER';
  const host = address || hostName;
  const portFlag = sshPort === undefined || sshPort === '22' ? '' : ` -p ${sshPort}`;
  return `ssh -N${forwards.join('')}${portFlag} ${shellWord(`${user}@${host}`)}`;
}

export function byHandText(
  why: WhyByHand,
  options: {
    readonly url: string;
    readonly sshCommand: string;
    readonly paste: boolean;
    readonly limit: string;
  },
): Text {
  const { url, sshCommand, paste, limit } = options;
  const lines = [
    BY_HAND[why],
    '',
    `  ${url}`,
    '',
    'If that browser is on another machine, first run this there:',
    '',
    `  ${sshCommand}`,
    '',
    ...(paste
      ? ['Or paste the address of the last page below, even if that page does not load.']
      : []),
    limit,
  ];
  return joinTexts(lines);
}
