import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type KeychainOptions, keychainStore } from '../../src/credentials/keychain.ts';
import { type KeychainState, startKeychain, whyNoKeychain } from '../support/keychain.ts';
import { PROGRAM } from '../support/program.ts';
import { everythingShownOf, failure, never, scratchDir } from '../auth/support.ts';
import { plain, someCredentials } from './support.ts';

const unavailable = whyNoKeychain();
if (unavailable !== undefined) console.warn(`Keychain tests are skipped: ${unavailable}.`);

/** Of the built program. */
const CHILD = join(dirname(PROGRAM), 'keychain-child.cjs');

async function keychain(state: KeychainState = 'unlocked') {
  const scratch = await startKeychain(state);
  onTestFinished(() => scratch.stop());
  const open = (over: Partial<KeychainOptions> = {}) => storeIn(scratch.env, over);
  return { scratch, open };
}

function storeIn(env: Record<string, string>, over: Partial<KeychainOptions> = {}) {
  return keychainStore({
    account: 'default',
    childPath: CHILD,
    env,
    platform: process.platform,
    attended: false,
    ...over,
  });
}

/** Counts the calls that would show a prompt. */
async function watchUnlocks(env: Readonly<Record<string, string>>) {
  const rule = (member: string) => `type='method_call',member='${member}'`;
  const monitor = spawn('dbus-monitor', ['--session', rule('Unlock'), rule('AddMatch')], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let seen = '';
  monitor.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text));
  onTestFinished(() => void monitor.kill('SIGKILL'));
  /** Shows that the monitor has seen everything up to now. */
  const catchUp = async () => {
    const marks = () => seen.split('member=AddMatch').length;
    const before = marks();
    await expect
      .poll(() => {
        spawnSync('gdbus', ['wait', '--session', 'org.freedesktop.secrets'], { env });
        return marks();
      })
      .toBeGreaterThan(before);
  };
  await catchUp();
  return {
    async end() {
      await catchUp();
      return seen.split('member=Unlock').length - 1;
    },
  };
}

/** Returns the child processes of this process. */
function children(): string[] {
  return readdirSync(`/proc/${String(process.pid)}/task`).flatMap((task) =>
    readFileSync(`/proc/${String(process.pid)}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((pid) => pid !== '')
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('keychain-child');
        } catch {
          return false;
        }
      }),
  );
}

describe.skipIf(unavailable !== undefined)('a real Secret Service', () => {
  it('saves, replaces and deletes a login', async () => {
    const { open, scratch } = await keychain();
    const store = open();
    const credentials = someCredentials();
    expect(await store.load(never)).toBeUndefined();
    await store.probe(never);
    expect(await scratch.count('athlete-sync')).toBe(0);
    await store.save(credentials, never);
    expect(await scratch.count('athlete-sync')).toBe(1);
    expect(plain(await store.load(never))).toEqual(plain(credentials));
    const next = someCredentials('next');
    await store.save(next, never);
    // Another store, as another process would open it.
    expect(plain(await open().load(never))).toEqual(plain(next));
    expect(await store.delete(never)).toBe(true);
    expect(await store.delete(never)).toBe(false);
    expect(await store.load(never)).toBeUndefined();
  });

  it('keeps profiles apart', async () => {
    const { open } = await keychain();
    await open({ account: 'a' }).save(someCredentials('of a'), never);
    await open({ account: 'b' }).save(someCredentials('of b'), never);
    expect(await open({ account: 'b' }).delete(never)).toBe(true);
    expect(plain(await open({ account: 'a' }).load(never))).toEqual(plain(someCredentials('of a')));
  });

  it('keeps a long login in pieces, and leaves none behind', async () => {
    const { open, scratch } = await keychain();
    const store = open({ maxUnits: 60 });
    await store.save(someCredentials('first'), never);
    await store.save(someCredentials('second'), never);
    expect(plain(await store.load(never))).toEqual(plain(someCredentials('second')));
    expect(await scratch.count('athlete-sync')).toBeGreaterThan(5);
    expect(await store.delete(never)).toBe(true);
    expect(await scratch.count('athlete-sync')).toBe(0);
  });

  it('survives a restart of the keychain, which is then locked, without losing the login', async () => {
    const { open, scratch } = await keychain();
    const credentials = someCredentials();
    await open().save(credentials, never);
    await scratch.lock();
    const error = await failure(open().load(never));
    expect(error).toMatchObject({ code: 'KEYCHAIN_LOCKED', details: { keychain: 'locked' } });
    expect(error.message).toBe('The keychain (Secret Service) is locked.');
    await scratch.unlock();
    expect(plain(await open().load(never))).toEqual(plain(credentials));
  });

  it.each([
    ['locked', 'KEYCHAIN_LOCKED', 'locked', 'Unlock it'],
    ['no-keyring', 'KEYCHAIN_MISSING', 'no-keyring', 'Create a password keyring'],
    ['no-service', 'KEYCHAIN_MISSING', 'no-service', 'gnome-keyring, KWallet or KeePassXC'],
    ['silent', 'KEYCHAIN_LOCKED', 'not-answering', 'a prompt that asks to unlock it'],
  ] as const)('fails the probe with a fix if its state is %s', async (state, code, kind, hint) => {
    const { open } = await keychain(state);
    const error = await failure(open({ limitMs: 1_000 }).probe(never));
    expect(error).toMatchObject({ code, details: { keychain: kind } });
    expect(String(error.hint)).toContain(hint);
    expect(children()).toEqual([]);
  });

  it.each([
    ['is never asked to unlock by an unattended process', false, 0],
    ['is asked to unlock by a process with a person at it', true, 1],
  ])('%s if it is locked', async (_who, attended, least) => {
    const { open, scratch } = await keychain();
    await open().save(someCredentials(), never);
    await scratch.lock();
    const watched = await watchUnlocks(scratch.env);
    const store = open({ attended });
    for (const attempt of [() => store.load(never), () => store.probe(never)]) {
      expect(await failure(attempt())).toMatchObject({
        code: 'KEYCHAIN_LOCKED',
        details: { keychain: 'locked' },
      });
    }
    const unlocks = await watched.end();
    if (least === 0) expect(unlocks).toBe(0);
    else expect(unlocks).toBeGreaterThanOrEqual(least);
  });

  it('saves refreshed tokens after an unlock if it was locked before', async () => {
    const { open, scratch } = await keychain();
    const prepared = await open().prepareSave(someCredentials('before'), never);
    await scratch.lock();
    const saving = prepared.commit(someCredentials('after'));
    await expect.poll(children).toHaveLength(1);
    await scratch.unlock();
    await saving;
    expect(plain(await open().load(never))).toEqual(plain(someCredentials('after')));
  });

  it('saves refreshed tokens after the keychain was restarted', async () => {
    const { open, scratch } = await keychain();
    const prepared = await open().prepareSave(someCredentials('before'), never);
    await scratch.leave();
    const saving = prepared.commit(someCredentials('after'));
    const outcome = saving.then(
      () => 'saved',
      (error: unknown) => error,
    );
    // The child has found no keychain in this time.
    expect(await Promise.race([outcome, delay(1_500, 'waiting')])).toBe('waiting');
    await scratch.unlock();
    expect(await outcome).toBe('saved');
    expect(plain(await open().load(never))).toEqual(plain(someCredentials('after')));
  });

  it('ends the child after the time limit if the keychain does not answer', async () => {
    const { open } = await keychain('silent');
    const began = Date.now();
    const error = await failure(open({ limitMs: 500 }).load(never));
    expect(error.code).toBe('KEYCHAIN_LOCKED');
    expect(Date.now() - began).toBeGreaterThanOrEqual(500);
    expect(children()).toEqual([]);
  });

  it('waits for a library that takes longer to load than its answer may take', async () => {
    const { open } = await keychain();
    const childPath = join(scratchDir(), 'slow.cjs');
    const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500)';
    const child = JSON.stringify(CHILD);
    writeFileSync(
      childPath,
      `const load = process.dlopen;
process.dlopen = (...args) => (${wait}, load.apply(process, args));
require(${child});`,
    );
    expect(await open({ childPath, limitMs: 1_000 }).load(never)).toBeUndefined();
  });

  it('saves refreshed tokens late, after the program stopped waiting for them', async () => {
    const { open, scratch } = await keychain();
    await open().save(someCredentials('before'), never);
    const store = open({ saveLimitMs: 300 });
    const prepared = await store.prepareSave(
      { ...someCredentials('before'), refreshStartedAt: 1 },
      never,
    );
    expect(await scratch.count('athlete-sync')).toBe(1);
    scratch.freeze();
    expect((await failure(prepared.commit(someCredentials('after')))).code).toBe('KEYCHAIN_LOCKED');
    scratch.thaw();
    await expect.poll(children).toEqual([]);
    expect(plain(await open().load(never))).toEqual(plain(someCredentials('after')));
  });

  it('does not save late if another login has replaced the tokens', async () => {
    const { open } = await keychain();
    const store = open();
    const prepared = await store.prepareSave(someCredentials('before'), never);
    await store.save(someCredentials('another'), never);
    await failure(prepared.commit(someCredentials('after')));
    expect(plain(await store.load(never))).toEqual(plain(someCredentials('another')));
  });

  it('ends the child when the caller is interrupted', async () => {
    const { open } = await keychain('silent');
    const stop = new AbortController();
    const asked = open({ limitMs: 60_000 }).load(stop.signal);
    await expect.poll(children).toHaveLength(1);
    stop.abort(new DOMException('enough', 'AbortError'));
    await expect(asked).rejects.toThrow('enough');
    expect(children()).toEqual([]);
  });

  it('passes no secret in arguments or variables of the child', async () => {
    const { open } = await keychain('silent');
    const stop = new AbortController();
    const saving = open({ limitMs: 60_000 }).save(someCredentials('hidden'), stop.signal);
    await expect.poll(children).toHaveLength(1);
    const [pid = ''] = children();
    const seen = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
    expect(seen.join('\n')).not.toContain('hidden');
    stop.abort(new DOMException('enough', 'AbortError'));
    await expect(saving).rejects.toThrow('enough');
  });

  it('runs a child that only SIGKILL can interrupt', async () => {
    const { open } = await keychain('silent');
    const stop = new AbortController();
    const saving = open({ limitMs: 60_000 }).save(someCredentials(), stop.signal);
    await expect.poll(children).toHaveLength(1);
    const [pid = ''] = children();
    const caught = () => {
      const mask = /^SigCgt:\t(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      const bits = BigInt(`0x${mask ?? '0'}`);
      return [1, 2, 15].filter((signal) => (bits >> BigInt(signal - 1)) & 1n);
    };
    // SIGHUP, SIGINT, SIGTERM.
    await expect.poll(caught).toEqual([1, 2, 15]);
    stop.abort(new DOMException('enough', 'AbortError'));
    await expect(saving).rejects.toThrow('enough');
    expect(children()).toEqual([]);
  });

  it('continues after a Ctrl-C that reaches the program', async () => {
    const { open } = await keychain();
    await open().save(someCredentials('before'), never);
    const saving = open().save(someCredentials('after'), never);
    await expect.poll(children).toHaveLength(1);
    const [pid = '0'] = children();
    // Another process group: Ctrl-C at the terminal does not reach it.
    const group = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2];
    expect(group).toBe(pid);
    await saving;
    expect(plain(await open().load(never))).toEqual(plain(someCredentials('after')));
  });
});

it.skipIf(process.platform !== 'linux')('reports a missing bus with its own fix', async () => {
  const env = { PATH: process.env['PATH'] ?? '', HOME: scratchDir() };
  for (const address of [undefined, 'unix:path=/nowhere/bus']) {
    const store = storeIn(
      address === undefined ? env : { ...env, DBUS_SESSION_BUS_ADDRESS: address },
    );
    const error = await failure(store.load(never));
    expect(error).toMatchObject({ code: 'KEYCHAIN_MISSING', details: { keychain: 'no-bus' } });
    expect(String(error.hint)).toContain('sync login --store file');
    expect(String(error.hint)).toContain('SYNC_ACCESS_TOKEN');
  }
});

it.each([
  ['dies', 'process.exit(3)', 'KEYCHAIN_LOCKED'],
  ['cannot load its library', "throw new Error('Cannot find native binding')", 'KEYCHAIN_MISSING'],
  ['talks nonsense', "console.log('hello'); console.log('{}')", 'KEYCHAIN_LOCKED'],
])('reports a child that %s as a keychain failure without a secret', async (_n, code, error) => {
  const childPath = join(scratchDir(), 'child.cjs');
  writeFileSync(childPath, `${code};\nprocess.on('message', () => process.disconnect());\n`);
  const store = storeIn({ PATH: process.env['PATH'] ?? '' }, { childPath });
  const thrown = await failure(store.save(someCredentials('hidden'), never));
  expect(thrown.code).toBe(error);
  expect(everythingShownOf(thrown)).not.toContain('hidden');
});
