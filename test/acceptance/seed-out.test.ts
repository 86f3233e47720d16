import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome, openWorld } from '../support/acceptance.ts';
import { startSync } from '../support/program.ts';

const DAYS = ['--days', '3', '--until', '2026-05-17', '--seed', '22', '--tz', 'Europe/Berlin'];

async function openFolder() {
  const world = await openWorld();
  const folder = join(world.home.dir, 'season');
  const write = (...more: string[]) => world.sync(['seed', ...DAYS, ...more, '--out', folder]);
  /** Writes with other variables of the environment. */
  const writeWith = (options: { readonly env: Record<string, string> }) =>
    world.sync(['seed', ...DAYS, '--out', folder], options);
  /** Every file with its bytes, or the target of a link. */
  const contents = () =>
    Object.fromEntries(
      readdirSync(folder)
        .sort()
        .map((name) => {
          const path = join(folder, name);
          const stats = lstatSync(path);
          return [name, stats.isFile() ? readFileSync(path).toString('base64') : stats.mode];
        }),
    );
  return { folder, write, writeWith, contents };
}

describe('sync seed --out', () => {
  it('leaves files that it would write just so, and completes the others', async () => {
    const { folder, write, contents } = await openFolder();
    const { code, stdout } = await write();
    expect([code, stdout]).toEqual([
      0,
      /: \d+ recordings?, wellness\.json and nutrition\.json of 3 days\.$/m,
    ]);
    const before = contents();
    const [ride = ''] = Object.keys(before);
    const { mtimeMs } = lstatSync(join(folder, 'wellness.json'));
    rmSync(join(folder, ride));
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    expect((await write()).code).toBe(0);
    expect(contents()).toEqual({ ...before, 'notes.txt': 'bWluZQ==' });
    expect(lstatSync(join(folder, 'wellness.json')).mtimeMs).toBe(mtimeMs);
  });

  it('writes the same bytes on a machine in another zone and language', async () => {
    const [one, other] = [await openFolder(), await openFolder()];
    const [kathmandu, apia] = [
      { TZ: 'Asia/Kathmandu', LC_ALL: 'ne_NP.UTF-8' },
      { TZ: 'Pacific/Apia', LC_ALL: 'ar_EG.UTF-8' },
    ];
    expect((await one.writeWith({ env: kathmandu })).code).toBe(0);
    expect((await other.writeWith({ env: apia })).code).toBe(0);
    expect(other.contents()).toEqual(one.contents());
  });

  it('refuses a folder of another seed, and writes nothing', async () => {
    const { folder, write, contents } = await openFolder();
    await write();
    const before = contents();
    for (const other of [
      ['--seed', '8'],
      ['--days', '4'],
      ['--tz', 'Asia/Tokyo'],
    ]) {
      const { code, stderr } = await write(...other);
      expect(code).toBe(2);
      expect(stderr).toContain(`${folder}/`);
      expect(stderr).toContain('is there already, and has other content. Nothing was written.');
      expect(stderr).toContain('Name another folder');
      expect(contents()).toEqual(before);
    }
  });

  it.each(['wellness.json', 'nutrition.json'])("never overwrites the user's %s", async (name) => {
    const { folder, write, contents } = await openFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, name), '[]');
    const { code, stderr } = await write();
    expect(code).toBe(2);
    expect(stderr).toContain(join(folder, name));
    expect(contents()).toEqual({ [name]: 'W10=' });
  });

  it('does not follow a link, even a broken one', async () => {
    const { folder, write, contents } = await openFolder();
    mkdirSync(folder);
    const elsewhere = join(folder, '..', 'elsewhere.json');
    symlinkSync(elsewhere, join(folder, 'nutrition.json'));
    const { code, stderr } = await write();
    expect(code).toBe(2);
    expect(stderr).toContain(
      `${join(folder, 'nutrition.json')} is there already, and is not a plain file.`,
    );
    expect(Object.keys(contents())).toEqual(['nutrition.json']);
    expect(() => lstatSync(elsewhere)).toThrow('ENOENT');
    rmSync(join(folder, 'nutrition.json'));
    mkdirSync(join(folder, 'nutrition.json'));
    expect((await write()).stderr).toContain('is there already, and is not a plain file.');
  });

  it('continues an interrupted run', async () => {
    const home = openHome();
    const folder = join(home.dir, 'season');
    const args = ['seed', '--days', '40', '--until', '2026-05-17', '--out', folder];
    const running = startSync(args, { home });
    await expect.poll(() => namesIn(folder).length, { interval: 10 }).toBeGreaterThan(4);
    running.child.kill('SIGINT');
    expect((await running.finished).code).toBe(130);
    expect(namesIn(folder)).not.toContain('wellness.json');
    const first = namesIn(folder).length;
    expect((await startSync(args, { home }).finished).code).toBe(0);
    expect(namesIn(folder).length).toBeGreaterThan(first);
    expect(JSON.parse(readFileSync(join(folder, 'wellness.json'), 'utf8'))).toHaveLength(40);
  });

  it.each([['--dry-run'], ['--accounts', 'list.json']])('is refused with %s', async (...more) => {
    const { write, folder } = await openFolder();
    const { code, stderr } = await write(...more);
    expect(code).toBe(2);
    expect(stderr).toContain(more[0]);
    expect(() => lstatSync(folder)).toThrow('ENOENT');
  });
});

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
