// What scripts share that play a user of the program: a home, a sandbox, the browser of a login, a device.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../bin/sync.js', import.meta.url));

/** Makes a home of a user without a keychain. @param variables beside those of the program */
export function openHome(variables, program = PROGRAM) {
  const home = mkdtempSync(join(tmpdir(), 'sync-play-'));
  const env = {
    ...variables,
    HOME: home,
    SYNC_TOKEN_STORE: 'file',
    SYNC_TIMEZONE: 'Europe/Berlin',
    // In place of /media: a folder is a device that was plugged in.
    SYNC_DEVICE_FOLDERS: join(home, 'media'),
  };
  /** Starts the program with arguments. */
  const start = (args) =>
    spawn(process.execPath, [program, ...args], {
      env,
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return { home, env, start };
}

/** The description that a bike computer of Garmin holds. */
export const GARMIN_DEVICE = `<?xml version="1.0" encoding="UTF-8"?>
<Device xmlns="http://www.garmin.com/xmlschemas/GarminDevice/v2">
  <Model><PartNumber>006-B4062-00</PartNumber><Description>Edge 840</Description></Model>
  <Id>3412345678</Id>
</Device>
`;

/**
 * Plays on a sandbox with a free port that approves each login, and removes the home afterwards.
 *
 * @param play gets the sandbox's process, its address, and its first line on stdout
 */
export async function onSandbox({ home, env, start }, play) {
  const flags = ['--port', '0', '--auto-approve', '--set', 'exactRedirectUris=false', '--json'];
  const sandbox = start(['sandbox', ...flags]);
  const ended = once(sandbox, 'close');
  try {
    const early = ended.then(() => {
      throw new Error('The sandbox ended at once.');
    });
    const [line] = await Promise.race([once(sandbox.stdout, 'data'), early]);
    const { url, clientId } = JSON.parse(line);
    Object.assign(env, { SYNC_BASE_URL: url, SYNC_CLIENT_ID: clientId });
    await play({ sandbox, url, line: String(line) });
  } finally {
    sandbox.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

/** Adds faults, which the next requests meet. */
export async function addFaults(url, ...faults) {
  await fetch(`${url}/_sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ faults }),
  });
}

/** Starts a login and opens the printed address once. */
export function startLogin(start, ...flags) {
  const login = start(['login', '--no-browser', '--port', '0', ...flags]);
  let text = '';
  let isAsked = false;
  login.stderr.setEncoding('utf8').on('data', (piece) => {
    text += piece;
    const address = /^\s+(http\S+authorize\S+)$/m.exec(text)?.[1];
    if (address === undefined || isAsked) return;
    isAsked = true;
    fetch(address).catch(() => login.kill());
  });
  return login;
}
