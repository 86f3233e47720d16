import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRecording, wrapRecords } from './fit-maker.ts';
import { HOSTILE, hostileName } from './hostile.ts';
import type { World } from './world.ts';
import { makeZip } from './zip-maker.ts';
import { openServer } from './local-server.ts';

/** Returns a message of strings in a FIT file. @param strings by field number */
function stringMessage(number: number, strings: Readonly<Record<number, string>>): Buffer {
  const fields = Object.entries(strings).map(([field, text]) => ({
    field: Number(field),
    bytes: Buffer.from(`${text.slice(0, 60)}\0`),
  }));
  const STRING = 7;
  const definition = [0x4f, 0, 0, number & 0xff, number >> 8, fields.length];
  return Buffer.concat([
    Buffer.from([
      ...definition,
      ...fields.flatMap(({ field, bytes }) => [field, bytes.length, STRING]),
    ]),
    Buffer.from([0x0f]),
    ...fields.map(({ bytes }) => bytes),
  ]);
}

/** Makes a recording whose names of sport, workout, devices and developer fields are hostile. */
function hostileRecording(seed: number): Uint8Array {
  const whole = Buffer.from(makeRecording({ seed, developerField: true }));
  const names = [
    stringMessage(0, { 8: HOSTILE }),
    stringMessage(12, { 3: HOSTILE }),
    stringMessage(26, { 8: HOSTILE }),
    stringMessage(23, { 19: HOSTILE, 27: HOSTILE }),
    stringMessage(206, { 3: HOSTILE, 8: HOSTILE }),
  ];
  return wrapRecords(Buffer.concat([whole.subarray(14, -2), ...names]));
}

/** Writes input files with hostile names and contents. @returns the home, and paths relative to it */
export function writeHostileFiles(world: World) {
  const { home } = world;
  const write: World['write'] = (path, contents) => world.write(path, contents);
  const folder = hostileName('rides');
  const day = { [HOSTILE]: HOSTILE, hrv: HOSTILE, date: '2026-01-01' };
  const files = {
    home: home.dir,
    folder,
    ride: join(folder, hostileName('ride', '.fit')),
    broken: join(folder, hostileName('broken', '.fit')),
    zip: join(folder, hostileName('export', '.zip')),
    wellness: hostileName('wellness', '.json'),
    unreadable: hostileName('wellness-broken', '.json'),
    nutrition: hostileName('nutrition', '.json'),
    csv: hostileName('table', '.csv'),
  };
  write(files.ride, hostileRecording(1));
  write(files.broken, 'no recording');
  write(files.zip, makeZip([{ name: hostileName('member', '.fit'), bytes: hostileRecording(2) }]));
  write(files.wellness, JSON.stringify([day, { date: HOSTILE }, { date: '2026-01-02', hrv: 50 }]));
  write(files.unreadable, `{"date": ${HOSTILE}`);
  write(
    files.nutrition,
    JSON.stringify([
      { date: '2026-01-01', breakfast: [{ name: HOSTILE, calories: 1, [HOSTILE]: 1 }] },
      { date: '2026-01-02', [HOSTILE]: 1 },
    ]),
  );
  write(files.csv, `Date,${JSON.stringify(HOSTILE)}\n2026-01-01,${JSON.stringify(HOSTILE)}\n`);
  leaveWatcher(home.env['SYNC_STATE_DIR'] ?? '', join(home.dir, folder));
  return files;
}

/** Leaves the record and the log of a watcher that ended. */
function leaveWatcher(stateDir: string, folder: string): void {
  const dir = join(stateDir, 'watch', '0123456789abcdef');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const at = Date.now();
  const updatedAt = new Date(at).toISOString();
  const state = {
    version: 1,
    ...{ profile: 'default', folders: [folder, HOSTILE], kind: 'daemon', passOn: [HOSTILE] },
    ...{ pid: 2_147_483, processStart: HOSTILE, startedAt: at, readyAt: at },
    ended: { at, exitCode: 1, message: HOSTILE },
    health: {
      updatedAt,
      account: HOSTILE,
      folders: [{ path: folder, state: 'polling', reason: HOSTILE }],
      queue: { waiting: 1, sending: 0, kept: 0, unfinished: 1 },
      connection: { state: 'offline', message: HOSTILE },
      login: { state: 'needed', message: HOSTILE },
      lastError: { at: updatedAt, message: HOSTILE },
    },
  };
  writeFileSync(join(dir, 'watcher.json'), JSON.stringify(state), { mode: 0o600 });
  const line = HOSTILE.replaceAll('\n', ' ');
  writeFileSync(join(dir, 'daemon.log'), `${updatedAt}  ${line}\n`, { mode: 0o600 });
  writeFileSync(join(dir, 'crash.log'), line, { mode: 0o600 });
}

/** Opens a service whose every answer is hostile. @returns its address */
export async function openHostileService(status: number, body: 'json' | 'text'): Promise<string> {
  const thing = {
    ...{ id: HOSTILE, sub: HOSTILE, name: HOSTILE, email: HOSTILE, timezone: HOSTILE },
    ...{ title: HOSTILE, type: HOSTILE, date: HOSTILE, sport: HOSTILE, [HOSTILE]: HOSTILE },
    ...{ error: HOSTILE, error_description: HOSTILE, message: HOSTILE, detail: HOSTILE },
    ...{ errors: [HOSTILE, { field: HOSTILE, message: HOSTILE }], scope: HOSTILE },
    ...{ workoutId: HOSTILE, fileId: HOSTILE, success: true, status: HOSTILE, data: HOSTILE },
    ...{ access_token: 'a'.repeat(40), token_type: HOSTILE, refresh_token: 'r'.repeat(40) },
  };
  const { url } = await openServer((request, response) => {
    request.resume();
    const path = request.url ?? '';
    const answer = path.startsWith('/api/workouts') && request.method === 'GET' ? [thing] : thing;
    // Headers hold Latin-1, C1 characters included.
    response.writeHead(status, {
      'content-type': body === 'json' ? 'application/json' : 'text/html',
      'retry-after': '\u009b2J',
      location: 'http://127.0.0.1:1/\u009d52;c;x\u009c',
      'www-authenticate': 'Bearer error="\u009b2J"',
    });
    response.end(body === 'json' ? JSON.stringify(answer) : `<title>${HOSTILE}</title>${HOSTILE}`);
  });
  return url;
}
