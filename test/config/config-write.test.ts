import {
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { changeProfile } from '../../src/config/config-write.ts';
import type { Paths } from '../../src/config/paths.ts';
import { useWorkers } from '../ledger/support.ts';
import { failure } from '../support/failure.ts';
import { scratchDir } from '../support/scratch-dir.ts';

const startWorker = useWorkers();

function scratch(): Paths & { dir: string; read: () => unknown; write: (text: string) => void } {
  const dir = scratchDir();
  const configFile = join(dir, 'config', 'config.json');
  return {
    dir,
    configFile,
    stateDir: join(dir, 'state'),
    read: () => JSON.parse(readFileSync(configFile, 'utf8')) as unknown,
    write(text) {
      mkdirSync(dirname(configFile), { recursive: true });
      writeFileSync(configFile, text);
    },
  };
}

it('creates the file and its folder for the owner only', async () => {
  const place = scratch();
  await changeProfile(place, 'default', { settings: { clientId: 'x' } });
  expect(place.read()).toEqual({ profiles: { default: { clientId: 'x' } } });
  expect(readFileSync(place.configFile, 'utf8').endsWith('}\n')).toBe(true);
  if (process.platform === 'win32') return;
  expect(statSync(place.configFile).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(place.configFile)).mode & 0o777).toBe(0o700);
});

it('changes the given settings, removes those set to null, and keeps the rest', async () => {
  const place = scratch();
  const work = { baseUrl: 'https://w.example', account: { id: 'w', name: 'W', email: 'w@x' } };
  place.write(
    JSON.stringify({
      profiles: { work, default: { clientId: 'x', timezone: 'Europe/Rome', account: { id: 'd' } } },
    }),
  );
  await changeProfile(place, 'default', { settings: { clientId: 'y', timezone: null } });
  expect(place.read()).toEqual({
    profiles: { work, default: { clientId: 'y', account: { id: 'd' } } },
  });
  await changeProfile(place, 'default', { account: { id: 'e', name: 'E' } });
  await changeProfile(place, 'constructor', { settings: { clientId: 'c' } });
  expect(place.read()).toEqual({
    profiles: {
      work,
      default: { clientId: 'y', account: { id: 'e', name: 'E' } },
      constructor: { clientId: 'c' },
    },
  });
  await changeProfile(place, 'default', { account: null });
  expect(place.read()).toMatchObject({ profiles: { default: { clientId: 'y' } } });
  expect(JSON.stringify(place.read())).not.toContain('"e"');
});

it('keeps another profile that has a fault as it is, and does not change the faulty one', async () => {
  const place = scratch();
  const broken = { baseURL: 'x', account: { id: 'b', email: 7 } };
  place.write(JSON.stringify({ profiles: { broken } }));
  await changeProfile(place, 'default', { settings: { clientId: 'x' } });
  expect(place.read()).toEqual({ profiles: { broken, default: { clientId: 'x' } } });
  await expect(changeProfile(place, 'broken', { settings: { clientId: 'x' } })).rejects.toThrow(
    'profile "broken": there is no setting "baseURL"',
  );
  expect(place.read()).toEqual({ profiles: { broken, default: { clientId: 'x' } } });
});

it('keeps a profile called __proto__ that a user wrote', async () => {
  const place = scratch();
  place.write('{"profiles": {"__proto__": {"clientId": "p"}}}');
  await changeProfile(place, 'default', { settings: { clientId: 'x' } });
  expect(readFileSync(place.configFile, 'utf8')).toContain('"__proto__": {\n      "clientId": "p"');
});

it('does not overwrite an unreadable file', async () => {
  for (const text of ['{"profiles": ', '{"profiles": {"default": {"nonsense": "x"}}}']) {
    const place = scratch();
    place.write(text);
    await expect(
      changeProfile(place, 'default', { settings: { clientId: 'x' } }),
    ).rejects.toMatchObject({ code: 'CONFIG' });
    expect(readFileSync(place.configFile, 'utf8')).toBe(text);
  }
});

it('reports the path that it could not write', async () => {
  const place = scratch();
  // Nothing to read, and no folder to write into.
  symlinkSync(join(place.dir, 'nowhere', 'x'), join(place.dir, 'config'));
  const error = await failure(changeProfile(place, 'default', { settings: { clientId: 'x' } }));
  expect(error).toMatchObject({ code: 'STORAGE', details: { path: place.configFile } });
  expect(error.message).toContain(join(place.dir, 'config'));
});

it('loses no change if several processes write at the same time', async () => {
  const place = scratch();
  const names = Array.from({ length: 12 }, (_, i) => `profile-${i}`);
  const all = names.map((name) =>
    startWorker('change-profile-when-told', place.dir, name, `scope-of-${name}`),
  );
  await Promise.all(all.map((worker) => worker.line()));
  for (const worker of all) worker.tell();
  expect(await Promise.all(all.map((worker) => worker.line()))).toEqual(Array(12).fill('done'));
  expect(place.read()).toEqual({
    profiles: Object.fromEntries(names.map((name) => [name, { scope: `scope-of-${name}` }])),
  });
  // Nothing half-written is left beside it.
  expect(readdirSync(dirname(place.configFile))).toEqual(['config.json']);
});

it('loses no change if one process writes several at the same time', async () => {
  const place = scratch();
  await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      changeProfile(place, `p${i}`, { settings: { clientId: String(i) } }),
    ),
  );
  expect(Object.keys((place.read() as { profiles: object }).profiles)).toHaveLength(8);
});
