import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type World,
  loginWithToken,
  openLoggedInWorld,
  requestLines,
  sha256,
} from '../support/acceptance.ts';
import { hastyClock } from '../support/delivery.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';

const ride = makeRecording({ seed: 5 });

/** Uploads the recording. @returns the fields of its item that differ between tests */
async function uploadRide(world: World) {
  const path = world.write('ride.fit', ride);
  const { code, stdout } = await world.sync(['upload', '--json', path], { clock: hastyClock });
  const [item = {}, summary] = ndjson(stdout);
  const { type, path: itemPath, activity, sha256: hash, size, service, ...rest } = item;
  expect({ type, itemPath, hash, size }).toEqual({
    ...{ type: 'upload', itemPath: path },
    ...{ hash: sha256(ride), size: ride.length },
  });
  if (rest['outcome'] !== 'skipped') expect(activity).toMatchObject({ name: 'Ride' });
  expect(summary).toMatchObject({ total: 1, [String(rest['outcome'])]: 1 });
  return { code, item: rest, service };
}

const receivedCounts = ({ sandbox }: World) =>
  sandbox.control.state('athlete-1').athletes[0]?.recordings.map((one) => one.receivedCount);

describe('a temporary fault', () => {
  const cases: readonly [string, string, { outcome: string; attempts: number }, number][] = [
    ['503 twice', 'upload-fit:503*2', { outcome: 'uploaded', attempts: 3 }, 1],
    ['500', 'upload-fit:500', { outcome: 'uploaded', attempts: 2 }, 1],
    ['408', 'upload-fit:408', { outcome: 'uploaded', attempts: 2 }, 1],
    ['429', 'upload-fit:429(retry-after=0)', { outcome: 'uploaded', attempts: 2 }, 1],
    ['a page of a proxy', 'upload-fit:html', { outcome: 'uploaded', attempts: 2 }, 1],
    [
      'a page that calls itself a success',
      'upload-fit:html(status=200)',
      { outcome: 'uploaded', attempts: 2 },
      1,
    ],
    ['a connection reset', 'upload-fit:reset', { outcome: 'uploaded', attempts: 2 }, 1],
    // The service took it but the answer was lost: the retry learns of the duplicate.
    ['a reset after the fact', 'upload-fit:reset-after', { outcome: 'duplicate', attempts: 2 }, 2],
    ['half of an answer', 'upload-fit:reset-mid', { outcome: 'duplicate', attempts: 2 }, 2],
    ['an answer closed early', 'upload-fit:close-mid', { outcome: 'duplicate', attempts: 2 }, 2],
    ['JSON cut in the middle', 'upload-fit:truncate', { outcome: 'duplicate', attempts: 2 }, 2],
    ['an expired token', 'upload-fit:401', { outcome: 'uploaded', attempts: 2 }, 1],
  ];
  it.each(cases)('is retried until it succeeds (%s)', async (_what, fault, item, received) => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults(fault);
    const first = await uploadRide(world);
    expect({ code: first.code, item: first.item }).toEqual({ code: 0, item });
    expect(world.sandbox.control.requests({ route: 'upload-fit' })).toHaveLength(item.attempts);
    // One recording, after one or two requests.
    expect(receivedCounts(world)).toEqual([received]);
    expect(Buffer.from(world.sandbox.control.recordingBytes(sha256(ride)) ?? []).equals(ride)).toBe(
      true,
    );
    world.sandbox.control.clearRequests();
    expect((await uploadAgain(world)).item).toEqual({
      outcome: 'skipped',
      reason: 'already-uploaded',
    });
    expect(requestLines(world.sandbox)).toEqual([]);
  });
});

it('sync upload reports a pause once for any number of waiting requests', async () => {
  const world = await openLoggedInWorld();
  const rides = [1, 2, 3].map((n) => world.write(`${n}.fit`, makeRecording({ seed: n })));
  world.sandbox.control.addFaults('upload-fit:429(retry-after=3)*3');
  const { code, stdout, stderr } = await world.sync(['upload', ...rides]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('3 files: 3 uploaded (the platform is processing them).'),
  ]);
  expect(stderr).toBe(
    'The platform says that it gets too many requests (429): A scripted fault of the sandbox. Continuing in 3 s.\n',
  );
});

/** Uploads the same file again. @returns the fields of its item that differ between tests */
async function uploadAgain(world: World) {
  const { code, stdout } = await world.sync(['upload', '--json', join(world.home.dir, 'ride.fit')]);
  const [item = {}] = ndjson(stdout);
  return { code, item: { outcome: item['outcome'], reason: item['reason'] } };
}

describe('a permanent fault', () => {
  it.each<[string, string, number, Record<string, unknown>]>([
    ['an overload', '503*inf', 5, { attempts: 4, code: 'SERVICE_UNAVAILABLE' }],
    ['an overload of an hour', '429(retry-after=3600)*inf', 5, { code: 'SERVICE_UNAVAILABLE' }],
    ['a login page of a hotel', 'html(status=200)*inf', 5, { attempts: 4, code: 'NETWORK' }],
    ['a refusal without a scope', '403', 5, {}],
    ['a page, 403', 'html(status=403)', 5, {}],
    ['a page, 404', 'html(status=404)', 5, {}],
    ['501', '501', 5, {}],
    ['a success that is none', 'success-false', 6, { message: /\.fit: storage is full$/ }],
    ['a refusal', '422', 6, { status: 422, message: 'A scripted fault of the sandbox' }],
    ['a limit of size', '413', 6, { status: 413, message: /^The recording is too large for / }],
  ])('is reported, and the same command later continues (%s)', async (_what, fault, code, more) => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults(`upload-fit:${fault}`);
    const first = await uploadRide(world);
    const words =
      code === 6
        ? { outcome: 'rejected' }
        : { outcome: 'failed', message: /^[A-Z1].*\.$/, hint: /^[A-Z]/ };
    const item = { attempts: 1, ...words, ...more };
    expect(first).toMatchObject({ code, item });
    expect(receivedCounts(world)).toEqual([]);
    expect(world.sandbox.control.requests({ route: 'upload-fit' })).toHaveLength(item.attempts);
    world.sandbox.control.clearFaults();
    expect((await uploadRide(world)).item).toEqual({ outcome: 'uploaded', attempts: 1 });
    expect(receivedCounts(world)).toEqual([1]);
  });

  it('exits 4 and stops sending if the login was revoked, and all arrive after a login', async () => {
    const world = await openLoggedInWorld();
    for (let seed = 0; seed < 12; seed++) {
      world.write(`card/${seed}.fit`, makeRecording({ seed, durationSecs: 20 }));
    }
    world.sandbox.control.revoke();
    const { code, stdout } = await world.sync(['upload', '--json', 'card']);
    const lines = ndjson(stdout);
    expect(code).toBe(4);
    expect(lines.pop()).toMatchObject({ total: 12, failed: 12 });
    expect(new Set(lines.map((line) => `${String(line['code'])} ${String(line['hint'])}`))).toEqual(
      new Set(['AUTH_EXPIRED Run `sync login`.']),
    );
    // The requests in flight and one refresh, not twelve refused requests.
    expect(requestLines(world.sandbox).length).toBeLessThanOrEqual(5);
    expect(requestLines(world.sandbox).filter((line) => line === 'token 400')).toHaveLength(1);

    await loginWithToken(world);
    expect((await world.sync(['upload', 'card'])).code).toBe(0);
    expect(receivedCounts(world)).toEqual(Array(12).fill(1));
  });
});
