import { posix, win32 } from 'node:path';
import { type Env, SECRET_VARIABLES } from '../base/env.ts';

/**
 * Returns a copy of this process's environment, and removes the secrets from the process's own: a
 * library that starts a child without `childEnv` passes none on. Relative folders leave the `PATH` too.
 *
 * @param own `process.env`
 */
export function takeEnvironment(own: NodeJS.ProcessEnv, platform: NodeJS.Platform): Env {
  const env = { ...own };
  // Not a loop over `own`: on Windows, deleting ignores the case of the name.
  for (const name of SECRET_VARIABLES) Reflect.deleteProperty(own, name);
  if (own['PATH'] !== undefined) own['PATH'] = absoluteFolders(own['PATH'], platform);
  return platform === 'win32' ? ignoringCase(env) : env;
}

function ignoringCase(env: Env): Env {
  const names = new Map(Object.keys(env).map((name) => [name.toUpperCase(), name]));
  return new Proxy(env, {
    get: (target, name) =>
      typeof name === 'string' ? target[names.get(name.toUpperCase()) ?? name] : undefined,
  });
}

export type Inheritance =
  /** Everything: this program in the background, which uses the tokens. */
  | 'all'
  /** Everything but the tokens and systemd's socket for this service: a program that the user chose. */
  | 'no-secrets'
  /** Neither tokens nor passwords of proxies: a part of this program that uses no network. */
  | 'no-passwords'
  /** Only what finds files, the session and the language: a tool of the system. */
  | 'session';

/** The names of the variables that `session` keeps. */
const SESSION =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|LANG|LANGUAGE|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|(LC|XDG)_.*)$/i;

/**
 * Builds the environment of a child process. ESLint requires it for every child. The `PATH` loses
 * relative folders: a program in the working directory must not run in place of the system's.
 *
 * On Windows, Node adds the variables that every program there needs.
 */
export function childEnv(
  env: Env,
  inheritance: Inheritance,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name, value]) => {
    if (inheritance === 'all') return true;
    if (inheritance === 'session') return SESSION.test(name);
    // Also the other accounts of the CI action: `SYNC_ACCESS_TOKEN_2`.
    if (SECRET_VARIABLES.some((secret) => name.toUpperCase().startsWith(secret))) return false;
    if (name === 'NOTIFY_SOCKET') return false;
    const isProxy = /_proxy$/i.test(name);
    return inheritance === 'no-secrets' || !isProxy || !hasPassword(value ?? '');
  });
  return Object.fromEntries(
    kept.map(([name, value]) =>
      name.toUpperCase() === 'PATH' && value !== undefined
        ? [name, absoluteFolders(value, platform)]
        : [name, value],
    ),
  );
}

/** Returns a `PATH` without its relative and empty entries, which mean the working directory. */
export function absoluteFolders(path: string, platform: NodeJS.Platform): string {
  const { delimiter, ...paths } = platform === 'win32' ? win32 : posix;
  return path
    .split(delimiter)
    .filter((folder) => paths.isAbsolute(folder))
    .join(delimiter);
}

/** Returns whether the address of a proxy contains a user name or a password. */
export function hasPassword(address: string): boolean {
  // The scheme is optional.
  const text = address.includes('://') ? address : `http://${address}`;
  if (!URL.canParse(text)) return address.includes('@');
  const { username, password } = new URL(text);
  return username !== '' || password !== '';
}

/** The `PATH` of tools that every system has, independent of the user's `PATH`. */
export const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';
