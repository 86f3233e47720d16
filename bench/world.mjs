import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Below `nohup`, the program would start its watchdog of signals at once.
delete process.env['_'];

// Node reads this bundle at every start: 36 ms for 144 certificates, on both sides of a ratio. Few users have it.
delete process.env['NODE_EXTRA_CA_CERTS'];

export const root = fileURLToPath(new URL('..', import.meta.url));
export const program = join(root, 'bin', 'sync.js');

/** What rows make: folders of recordings, homes. It exists until the bench ends. */
export const scratch = mkdtempSync(join(tmpdir(), 'sync-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

/** Returns the environment of a run with a home of its own, as users have it: nothing is preset. */
function environment(baseUrl) {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('SYNC_'));
  const home = mkdtempSync(join(scratch, 'home-'));
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    SYNC_CONFIG_DIR: join(home, 'config'),
    SYNC_STATE_DIR: join(home, 'state'),
    SYNC_BASE_URL: baseUrl,
    SYNC_CLIENT_ID: 'bench',
    SYNC_TOKEN_STORE: 'file',
  };
}

/** Makes a home with a login that the sink accepts. @returns the environment of its runs */
export async function logIn(baseUrl) {
  const env = environment(baseUrl);
  const input = JSON.stringify({
    access_token: 'bench',
    token_type: 'Bearer',
    expires_in: 86_400,
    refresh_token: 'bench',
    scope: 'workout:write health:write nutrition:write',
  });
  await runProgram(['login', '--with-token'], env, input);
  return env;
}

/** Runs the program, unmeasured. @throws Error with its stderr if it fails */
export async function runProgram(args, env, input = '') {
  const child = spawn(process.execPath, [program, ...args], {
    env,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.end(input);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`sync ${args.join(' ')} ended with ${code}: ${stderr.trim()}`);
}

/** Removes the ledger of a home, so that the next run sends everything again. */
export function forget(env) {
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(env.SYNC_STATE_DIR, `ledger.db${end}`), { force: true });
}
