import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type World,
  loginWithToken,
  openHome,
  openLoggedInWorld,
  openSandbox,
  ownerOf,
  requestLines,
  tokenFile,
  worldOf,
} from '../support/acceptance.ts';
import { type DiskOptions, fillFiles, mountSmallDisk, whyNoMount } from '../support/disk.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { makeUnwritable, syncAsNobody } from '../support/nobody.ts';
import { ndjson } from '../support/program.ts';
import { until } from '../support/until.ts';

const noMount = whyNoMount();
const note = noMount === undefined ? '' : ` (skipped: ${noMount})`;

const FREE_SPACE = 'Free some space there. Nothing is lost: the next run continues.';
const DELETE_FILES = 'Delete some files there. Nothing is lost: the next run continues.';

/** A login, whose settings and state are on a separate small disk. */
async function openOnSmallDisk(options?: DiskOptions) {
  const sandbox = await openSandbox();
  const home = openHome({
    SYNC_BASE_URL: sandbox.url,
    SYNC_CLIENT_ID: sandbox.clientId,
    SYNC_TOKEN_STORE: 'file',
  });
  const folder = join(home.dir, 'disk');
  const disk = mountSmallDisk(folder, options);
  Object.assign(home.env, {
    SYNC_CONFIG_DIR: join(folder, 'config'),
    SYNC_STATE_DIR: join(folder, 'state'),
  });
  const world = worldOf(sandbox, home);
  await loginWithToken(world);
  sandbox.control.clearRequests();
  return { world, disk, folder };
}

const storedLogin = ({ home }: World) =>
  join(home.env['SYNC_STATE_DIR'] ?? '', 'logins', 'login-default.json');
const accessTokenOf = (path: string) =>
  (JSON.parse(readFileSync(path, 'utf8')) as { accessToken: string }).accessToken;
const receivedCounts = ({ sandbox }: World) =>
  sandbox.control.state('athlete-1').athletes[0]?.recordings.map((one) => one.receivedCount);

describe.skipIf(noMount !== undefined)(`a disk that takes no data${note}`, () => {
  it.each(['full', 'without room for a file', 'read-only'] as const)(
    'is reported in the same words by every command that writes (%s)',
    async (trouble) => {
      const { world, disk, folder } = await openOnSmallDisk(
        trouble === 'without room for a file' ? { files: 40 } : {},
      );
      const ride = world.write('ride.fit', makeRecording({ seed: 1 }));
      const day = world.write('day.json', '{"date":"2026-01-01","hrv":50}');
      expect((await world.program(['push', 'wellness', day])).code).toBe(0);
      world.sandbox.control.clearRequests();
      if (trouble === 'full') disk.fill(0);
      else if (trouble === 'read-only') disk.makeReadOnly();
      else fillFiles(folder);

      const words = {
        full: 'is full',
        'without room for a file': 'is full: it cannot hold more files',
        'read-only': 'is read-only',
      }[trouble];
      const fix = (variable: string | undefined) => {
        if (trouble === 'full') return FREE_SPACE;
        if (trouble === 'without room for a file') return DELETE_FILES;
        const elsewhere =
          variable === undefined ? '' : `; if it never is, name another folder with ${variable}`;
        return `Make it writable${elsewhere}. Nothing is lost.`;
      };
      const commands: readonly (readonly [string, ...string[]])[] = [
        ['SYNC_STATE_DIR', 'upload', ride],
        ['SYNC_STATE_DIR', 'push', 'wellness', day],
        ['SYNC_STATE_DIR', 'import', ride, '--yes'],
        ['SYNC_STATE_DIR', 'watch', dirname(ride), '--once'],
        ['SYNC_STATE_DIR', 'watch', dirname(ride), '--daemon'],
        ['SYNC_STATE_DIR', 'login', '--no-browser', '--port', '0'],
        [
          trouble === 'read-only' ? 'SYNC_CONFIG_DIR' : 'SYNC_STATE_DIR',
          ...['config', 'set', 'timezone', 'Asia/Tokyo'],
        ],
        ['', 'seed', '--days', '2', '--out', join(folder, 'seed')],
        ['', 'sandbox', '--port', '0', '--data', join(folder, 'sandbox')],
      ];
      for (const [variable, ...args] of commands) {
        const { code, stderr } = await world.sync(args);
        const said = stderr.split('\n');
        expect([args, code]).toEqual([args, 1]);
        expect(said[0]).toMatch(/^Error: The disk of \S+ is [^.]*\.$/);
        expect(said[0]).toContain(` ${words}.`);
        expect(said[0]).toContain(`The disk of ${folder}`);
        expect(said[1]).toBe(`  ${fix(variable === '' ? undefined : variable)}`);
      }
      const status = await world.sync(['status']);
      expect([status.code, status.stderr]).toEqual([1, '']);
      expect(status.stdout).toContain(`\nDisk      The disk of ${folder}`);
      expect(status.stdout).toContain(` ${words}.\n          ${fix('SYNC_STATE_DIR')}\n`);
      // A login first checks the address that it would open.
      expect(requestLines(world.sandbox)).toEqual(['authorize 302']);
    },
  );

  it.each(['full', 'read-only'] as const)(
    'is named by status beside the login, and by doctor, before there is a ledger (%s)',
    async (trouble) => {
      const { world, disk, folder } = await openOnSmallDisk();
      if (trouble === 'full') disk.fill(0);
      else disk.makeReadOnly();
      const message = `The disk of ${join(folder, 'state')} is ${trouble}.`;
      const hint =
        trouble === 'full'
          ? FREE_SPACE
          : 'Make it writable; if it never is, name another folder with SYNC_STATE_DIR. Nothing is lost.';
      const shown = await world.sync(['status']);
      expect([shown.code, shown.stderr]).toEqual([1, '']);
      expect(shown.stdout).toMatch(/^Login {5}good/m);
      expect(shown.stdout).toContain(`\nDisk      ${message}\n          ${hint}\n`);
      const json = await world.sync(['status', '--json']);
      expect(ndjson(json.stdout)).toMatchObject([{ disk: { code: 'STORAGE', message, hint } }]);
      const all = await world.sync(['status', '--all-profiles']);
      expect([all.code, all.stdout]).toEqual([1, expect.stringContaining(message)]);
      const doctor = await world.sync(['doctor', '--json']);
      const finding = { check: 'disk', state: 'bad', message, hint };
      expect(ndjson(doctor.stdout)).toContainEqual(expect.objectContaining(finding));
      disk.makeWritable();
    },
  );

  it('is named by status and daemon status while a daemon has the ledger open', async () => {
    const { world, disk, folder } = await openOnSmallDisk();
    world.write('rides/a.fit', makeRecording({ seed: 1 }));
    const rides = join(world.home.dir, 'rides');
    const started = await world.sync(['watch', rides, '--daemon', '--json']);
    const [{ pid } = { pid: 0 }] = ndjson(started.stdout) as { pid: number }[];
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    disk.fill(0);
    world.write('rides/b.fit', makeRecording({ seed: 2 }));
    const full = `The disk of ${join(folder, 'state')} is full.`;
    const { code, stdout, stderr } = await world.sync(['status']);
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(full)]);
    expect(stdout).toContain(`${full} The last report of the watcher is from `);
    const [line] = ndjson((await world.sync(['status', '--json'])).stdout);
    expect(line).toMatchObject({ watching: [{ connection: { state: 'storage' } }] });
    const daemon = await world.sync(['daemon', 'status']);
    expect([daemon.code, daemon.stdout]).toEqual([5, expect.stringContaining(full)]);
    rmSync(join(folder, 'filler'));
    await until(() => receivedCounts(world)?.length === 2);
    expect((await world.sync(['daemon', 'status'])).code).toBe(0);
  });

  it('costs no recording if it fills up in the middle of an upload', async () => {
    const { world, disk, folder } = await openOnSmallDisk();
    const paths = [1, 2, 3].map((n) => world.write(`${n}.fit`, makeRecording({ seed: n })));
    world.sandbox.control.addFaults('upload-fit:delay=500ms');
    const running = world.start(['upload', '--jobs', '1', ...paths]);
    await until(() => world.sandbox.control.requestCount() > 0);
    disk.fill(0);
    const { code, stderr } = await running.finished;
    expect(code).toBe(1);
    expect(stderr).toMatch(/The disk of \S+\/state\S* is full\./);
    expect(stderr).toContain(FREE_SPACE);
    expect(stderr).not.toContain('away');
    rmSync(join(folder, 'filler'));
    expect((await world.sync(['upload', ...paths])).code).toBe(0);
    expect(receivedCounts(world)).toHaveLength(3);
  });

  it('is not filled up by the copies of a watcher, which sends more than it has room for', async () => {
    const { world } = await openOnSmallDisk();
    for (let n = 1; n <= 30; n++) {
      world.write(`rides/${n}.fit`, makeRecording({ seed: n, sizeBytes: 100_000 }));
    }
    const { code } = await world.sync(['watch', join(world.home.dir, 'rides'), '--once']);
    expect(receivedCounts(world)).toEqual(Array.from({ length: 30 }, () => 1));
    expect(code).toBe(0);
  });

  it('costs a daemon lines of its log, but no recording', async () => {
    const { world, disk, folder } = await openOnSmallDisk();
    const rides = join(world.home.dir, 'rides');
    mkdirSync(rides);
    const started = await world.sync(['watch', rides, '--daemon', '--json']);
    const [{ pid } = { pid: 0 }] = ndjson(started.stdout) as { pid: number }[];
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    disk.fill(0);
    world.write('rides/a.fit', makeRecording({ seed: 1 }));
    const health = async () => {
      const { stdout } = await world.sync(['daemon', 'status', '--json']);
      return ndjson(stdout)[0] as { running: boolean };
    };
    expect((await health()).running).toBe(true);
    rmSync(join(folder, 'filler'));
    await until(() => receivedCounts(world)?.length === 1);
    expect((await health()).running).toBe(true);
  });
});

describe.skipIf(noMount !== undefined)(`sync logout on a disk that takes no data${note}`, () => {
  it('revokes nothing if the disk is read-only, and ends the login after the fix', async () => {
    const { world, disk } = await openOnSmallDisk();
    const token = accessTokenOf(storedLogin(world));
    disk.makeReadOnly();
    const { code, stdout, stderr } = await world.sync(['logout']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^Error: Nothing was revoked: the login could not be deleted afterwards\. The disk of \S+ is read-only\.\n/,
    );
    expect(stderr).toContain('Then run `sync logout` again.');
    expect(requestLines(world.sandbox)).toEqual([]);
    expect(await ownerOf(world.sandbox, token)).toBe('athlete-1');
    disk.makeWritable();
    expect((await world.sync(['status'])).stdout).toMatch(/^Login {5}good/m);
    expect((await world.sync(['logout'])).code).toBe(0);
    expect(await ownerOf(world.sandbox, token)).toBeUndefined();
    expect(existsSync(storedLogin(world))).toBe(false);
  });

  it.each([0, 4_096, 8_192])('leaves no login on one side alone (%d bytes free)', async (bytes) => {
    const { world, disk, folder } = await openOnSmallDisk();
    const token = accessTokenOf(storedLogin(world));
    disk.fill(bytes);
    const { code, stderr } = await world.sync(['logout']);
    const isLive = (await ownerOf(world.sandbox, token)) !== undefined;
    expect(existsSync(storedLogin(world))).toBe(isLive);
    // The account in the settings may need space that is not there.
    expect(code).toBe(isLive || stderr.includes('The login was deleted, but ') ? 1 : 0);
    expect(stderr.includes('is full.')).toBe(code === 1);
    rmSync(join(folder, 'filler'));
    expect((await world.sync(['status'])).stdout).toMatch(
      isLive ? /^Login {5}good/m : /^Login {5}none/m,
    );
  });
});

describe.skipIf(process.platform === 'win32')('sync logout', () => {
  it('revokes nothing if the folder of logins cannot be written', async () => {
    const world = await openLoggedInWorld();
    const token = accessTokenOf(tokenFile(world));
    const folder = dirname(tokenFile(world));
    makeUnwritable(world, folder);
    const { code, stderr } = await syncAsNobody(world, ['logout']);
    expect(code).toBe(1);
    expect(stderr).toContain(`This user may not use ${folder}.`);
    expect(stderr).toContain('Nothing was revoked');
    expect(await ownerOf(world.sandbox, token)).toBe('athlete-1');
  });

  it('marks the login as ended before the service hears of it', async () => {
    const world = await openLoggedInWorld();
    const token = accessTokenOf(tokenFile(world));
    world.sandbox.control.addFaults('revoke:delay=5s');
    const running = world.start(['logout']);
    await until(() => readFileSync(tokenFile(world), 'utf8').includes('endedAt'));
    running.child.kill('SIGKILL');
    await running.finished;
    const { stdout } = await world.sync(['status']);
    expect(stdout).toMatch(/^Login {5}ended\. This login has ended/m);
    // The tokens are still known, so that the next logout revokes them.
    world.sandbox.control.clearFaults();
    expect((await world.sync(['logout'])).code).toBe(0);
    expect(await ownerOf(world.sandbox, token)).toBeUndefined();
  });
});
