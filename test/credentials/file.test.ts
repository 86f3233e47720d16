import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileStore, storedProfiles, tokenFilePath } from '../../src/credentials/file.ts';
import { everythingShownOf, failure, never, scratchDir } from '../auth/support.ts';
import { whyNoMount } from '../support/disk.ts';
import { plain, someCredentials } from './support.ts';

const posix = process.platform !== 'win32';
const root = process.getuid?.() === 0;

function store(profile = 'default') {
  const path = tokenFilePath(scratchDir(), profile);
  return { path, store: fileStore(path, process.platform) };
}

describe('a token file', () => {
  it('saves, replaces and deletes a login', async () => {
    const { store: file } = store();
    expect(await file.load(never)).toBeUndefined();
    await file.save(someCredentials(), never);
    expect(plain(await file.load(never))).toEqual(plain(someCredentials()));
    await file.save(someCredentials('next'), never);
    expect(plain(await file.load(never))).toEqual(plain(someCredentials('next')));
    expect(await file.delete(never)).toBe(true);
    expect(await file.delete(never)).toBe(false);
    expect(await file.load(never)).toBeUndefined();
  });

  it.skipIf(!posix)('creates file and folder for their owner alone', async () => {
    const { path, store: file } = store();
    await file.save(someCredentials(), never);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    chmodSync(path, 0o666);
    await file.save(someCredentials('next'), never);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.skipIf(!posix).each([0o644, 0o640, 0o604, 0o620, 0o601])(
    'refuses a file with mode %o, with the command that fixes it',
    async (mode) => {
      const { path, store: file } = store();
      await file.save(someCredentials('hidden'), never);
      chmodSync(path, mode);
      const error = await failure(file.load(never));
      expect(error.code).toBe('CONFIG');
      expect(error.message).toContain(path);
      expect(String(error.hint)).toContain(`chmod 600 ${path}`);
      expect(everythingShownOf(error)).not.toContain('hidden');
    },
  );

  describe.skipIf(!posix).each([
    ['the folder of logins', 1],
    ['the state folder', 2],
    ['the folder above it', 3],
  ])('a token file where others can write to %s', (_what, levels) => {
    it('neither writes nor reads the file, with the command that fixes it', async () => {
      const path = tokenFilePath(join(scratchDir(), 'state'), 'default');
      const file = fileStore(path, process.platform);
      await file.save(someCredentials('hidden'), never);
      let folder = path;
      for (let level = 0; level < levels; level++) folder = dirname(folder);
      chmodSync(folder, 0o777);
      const before = readFileSync(path, 'utf8');
      for (const attempt of [
        () => file.load(never),
        () => file.probe(never),
        () => file.save(someCredentials('next'), never),
        () => file.prepareSave(someCredentials('next'), never),
      ]) {
        const error = await failure(attempt());
        expect(error.code).toBe('CONFIG');
        expect(error.message).toContain(`${folder} can be changed by other users (mode 0777)`);
        expect(String(error.hint)).toContain(`chmod go-w ${folder}`);
        expect(everythingShownOf(error)).not.toContain('hidden');
      }
      expect(readFileSync(path, 'utf8')).toBe(before);
      expect(readdirSync(dirname(path))).toEqual(['login-default.json']);
      // The login can be deleted nevertheless.
      expect(await file.delete(never)).toBe(true);
    });
  });

  it.skipIf(!root)(
    'refuses a file of another user as root, and creates none for them (run as root only)',
    async () => {
      const { path, store: file } = store();
      await file.save(someCredentials(), never);
      chownSync(path, 65_534, 65_534);
      expect((await failure(file.load(never))).message).toContain('belongs to another user');
      await file.save(someCredentials('next'), never);
      expect(statSync(path).uid).toBe(0);
      chownSync(dirname(path), 65_534, 65_534);
      const error = await failure(file.save(someCredentials(), never));
      expect(error.message).toContain(`${dirname(path)} belongs to another user (uid 65534)`);
      expect(String(error.hint)).toContain("sudo -u '#65534' sync");
    },
  );

  it.skipIf(!posix)('reports a pipe in its place at once', async () => {
    const { path, store: file } = store();
    await file.save(someCredentials(), never);
    unlinkSync(path);
    execFileSync('mkfifo', ['-m', '600', path]);
    const { code, message } = await failure(file.load(never));
    expect([code, message]).toEqual([
      'STORAGE',
      `${path} cannot be read: It is a pipe or a device, not a file: save it as one first.`,
    ]);
  });

  it('reserves space before a refresh, and releases it', async () => {
    const { path, store: file } = store();
    const marked = { ...someCredentials(), refreshStartedAt: 5 };
    const prepared = await file.prepareSave(marked, never);
    expect(plain(await file.load(never))).toEqual(plain(marked));
    const [reserved = ''] = readdirSync(dirname(path)).filter((name) => name.endsWith('.tmp'));
    expect(statSync(join(dirname(path), reserved)).size).toBeGreaterThan(8_192);
    await prepared.commit(someCredentials('a longer one than before'));
    expect(plain(await file.load(never))).toEqual(
      plain(someCredentials('a longer one than before')),
    );
    const unused = await file.prepareSave(someCredentials(), never);
    unused.discard();
    prepared.discard();
    expect(readdirSync(dirname(path))).toEqual(['login-default.json']);
    expect(existsSync(path)).toBe(true);
  });

  it('replaces the file atomically', async () => {
    const { store: file } = store();
    await file.save(someCredentials('0'), never);
    const written = new AbortController();
    const reads: unknown[] = [];
    const reading = (async () => {
      while (!written.signal.aborted) {
        reads.push((await file.load(never))?.tokens.accessToken?.reveal());
      }
    })();
    for (let i = 1; i <= 20; i++) await file.save(someCredentials(String(i)), never);
    written.abort();
    await reading;
    expect(reads.length).toBeGreaterThan(0);
    for (const read of reads) expect(read).toMatch(/^access-\d+-x{200}$/);
  });

  it('deletes leftovers of a killed process together with the login', async () => {
    const { path, store: file } = store();
    await file.save(someCredentials(), never);
    writeFileSync(`${path}.0123456789abcdef.tmp`, 'tokens of a writer that was killed');
    await file.delete(never);
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it.each([
    ['not JSON', '{"accessToken": "hidden', 'it is not JSON'],
    ['nested too deep', `{"hidden":${'['.repeat(200_000)}`, 'nested more than 200 deep'],
    ['a list', '[]', 'service'],
    ['another version', '{"version":2}', 'it was written by another version of this program'],
    ['a field', '{"version":1,"accessToken":5,"obtainedAt":1}', 'accessToken is not a string'],
    ['no token', '{"version":1,"obtainedAt":1}', 'it contains no token'],
  ])('throws AUTH_REQUIRED for damage (%s), without quoting it', async (_w, text, words) => {
    const { path, store: file } = store();
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
    const error = await failure(file.load(never));
    expect(error).toMatchObject({ code: 'AUTH_REQUIRED', details: { damaged: true } });
    if (words !== 'service') expect(error.message).toContain(words);
    expect(everythingShownOf(error)).not.toContain('hidden');
  });

  const whyNot = whyNoMount();
  it.skipIf(whyNot !== undefined)(
    `names the folder to mount if the file alone is mounted, as in a container (${whyNot ?? 'mounted'})`,
    async () => {
      const { path, store: file } = store();
      await file.save(someCredentials('kept'), never);
      const before = readFileSync(path, 'utf8');
      expect(spawnSync('mount', ['--bind', path, path]).status).toBe(0);
      onTestFinished(() => void spawnSync('umount', ['-l', path]));
      for (const attempt of [
        () => file.save(someCredentials('new'), never),
        // Before a refresh: no token is rotated that cannot be saved.
        () => file.prepareSave(someCredentials('new'), never),
        () => file.delete(never),
      ]) {
        expect(await failure(attempt())).toMatchObject({
          code: 'STORAGE',
          message: `${path} cannot be replaced, because it is mounted as a single file.`,
          hint: `Mount its folder ${dirname(path)} instead, so that the file can be replaced as a whole.`,
        });
      }
      expect(readFileSync(path, 'utf8')).toBe(before);
      expect(readdirSync(dirname(path))).toEqual(['login-default.json']);
    },
  );

  it('probes the folder without leaving files behind', async () => {
    const { path, store: file } = store();
    await file.probe(never);
    expect(readdirSync(dirname(path))).toEqual([]);
    expect((await failure(fileStore('/dev/null/login.json', 'linux').probe(never))).code).toBe(
      'STORAGE',
    );
  });

  it('names files of profiles differently on case-insensitive file systems', () => {
    const names = ['home', 'Home', 'HOME', 'h', 'con', 'a.b', 'a_b'].map((profile) =>
      tokenFilePath('/state', profile).toLowerCase(),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('is listed by its profile, apart from the logins that wait to be finished', () => {
    const dir = scratchDir();
    const made = [tokenFilePath(dir, 'Coach'), tokenFilePath(dir, 'b-2', 'pending')];
    for (const path of made) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
    }
    expect([storedProfiles(dir), storedProfiles(dir, 'pending')]).toEqual([['Coach'], ['b-2']]);
  });

  it('writes ASCII, and every field', async () => {
    const { path, store: file } = store();
    await file.save(someCredentials(), never);
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(/^[\x20-\x7e]+\n$/);
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      'version',
      'service',
      'clientId',
      'clientSecret',
      'accountId',
      'accessToken',
      'refreshToken',
      'scopes',
      'obtainedAt',
      'accessExpiresAt',
    ]);
  });
});
