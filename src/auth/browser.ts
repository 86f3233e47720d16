import type { Env } from '../base/env.ts';

/** Why no browser is opened here. */
export type NoBrowser = 'asked' | 'no-display' | 'ssh';

/**
 * Is there a screen on which a browser could show? A browser that opens where nobody sits, or an
 * opener that fails without a word, would leave the user waiting.
 *
 * @returns why not, or undefined if there is one.
 */
export function whyNoBrowser(env: Env, platform: NodeJS.Platform): NoBrowser | undefined {
  const has = (...names: string[]) => names.some((name) => (env[name] ?? '') !== '');
  if (has('DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER')) return undefined;
  if (has('SSH_CONNECTION', 'SSH_TTY')) return 'ssh';
  // Linux under Windows shows Windows' own browser.
  if (platform === 'linux' && !has('WSL_DISTRO_NAME')) return 'no-display';
  return undefined;
}

/**
 * The command that, typed on the computer with the browser, makes the callback reach this one.
 *
 * @param hostName this machine's name, where the SSH session does not tell its address.
 */
export function sshForwardCommand(env: Env, hostName: string, redirectUri: string): string {
  const { hostname, port } = new URL(redirectUri);
  const to = port === '' ? '80' : port;
  // The listening side is 127.0.0.1 or localhost by itself; any other address has to be named.
  const bind = hostname === '127.0.0.1' || hostname === 'localhost' ? '' : `${hostname}:`;
  const forward = `${bind}${to}:${hostname}:${to}`;
  // SSH_CONNECTION: client address, client port, server address, server port.
  const [, , address, sshPort] = (env['SSH_CONNECTION'] ?? '').split(' ');
  const user = env['USER'] || env['LOGNAME'] || 'USER';
  const host = address || hostName;
  const portFlag = sshPort === undefined || sshPort === '22' ? '' : ` -p ${sshPort}`;
  return `ssh -N -L ${/[[\]]/.test(forward) ? `'${forward}'` : forward}${portFlag} ${user}@${host}`;
}
