import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  expireAccess,
  loginWithToken,
  ownerOf,
  sha256,
  startLogin,
  tokenFile,
  visit,
} from '../../support/acceptance.ts';
import { newRecordings, uploadOf } from '../errands.ts';
import { judgeCargo, judgeOutput } from '../judge.ts';
import { torture } from '../kind.ts';
import { liveLogins } from '../login-state.ts';
import { type Race, type Racer, judgeOwners, race, readers } from '../racers.ts';
import { type Scene, openScene } from '../scene.ts';

const RACES: readonly [Race, ...Race[]] = [
  expiredTokens,
  logoutAndUploads,
  settings,
  loginAndRefreshes,
  twoProfiles,
];

/** The seed decides what each process does, and their order; the system decides who comes first. */
torture({
  name: 'race-login',
  title: '20 processes with one login at once',
  rounds: { short: 3, full: 15 },
  run: async (round) => {
    const runRace = round.turn(RACES);
    // Only userinfo and the revocation of Coach Watts show whose login lives.
    const platform = 'coach-watts';
    const refreshToken = round.random.pick(['keep', 'rotate'] as const);
    const settings = { refreshToken, reuseRevokesFamily: true };
    const scene = await openScene(round, { platform, settings });
    scene.world.sandbox.control.addFaults('any:delay=15ms*inf');
    round.note(`${runRace.name} on ${platform}`);
    await runRace(scene);
  },
});

/** The token ended: by its time, or early, so that only the service knows. */
async function expiredTokens(scene: Scene): Promise<void> {
  const { round, world, cargo } = scene;
  const { random } = round;
  if (random.chance(0.5)) expireAccess(world);
  else world.sandbox.control.expire();
  const uploads = [...newRecordings(scene, random, 8)].map(([name, bytes]): Racer =>
    uploadOf(world.write(join('card', name), bytes), new Map([[name, bytes]])),
  );
  const others = Array.from({ length: 10 }, (): Racer => ({
    args: random.pick([
      ['profile', '--json'],
      ['workouts', '--json'],
      ['status', '--check'],
    ]),
  }));
  await race(scene, [...uploads, ...others, ...readers(random, 2)]);
  const refreshes = world.sandbox.control.requests({ route: 'token' }).length;
  if (refreshes !== 1) round.failed('wrong report', `${refreshes} refreshes`);
  if (liveLogins(world) !== 1) round.failed('lost', 'the login');
  judgeOwners(round, world);
  judgeCargo(round, world.sandbox, cargo);
}

/** Uploads that come too late report the missing login. The logout leaves no login, here or there. */
async function logoutAndUploads(scene: Scene): Promise<void> {
  const { round, world, cargo } = scene;
  const { random } = round;
  const recordings = newRecordings(scene, random, 10);
  for (const [name, bytes] of recordings) world.write(join('card', name), bytes);
  if (random.chance(0.5)) expireAccess(world);
  const upload: Racer = { ...uploadOf('card', recordings), codes: [0, 4] };
  const logout: Racer = { args: ['logout', '--json'] };
  await race(scene, [logout, ...Array.from({ length: 5 }, () => upload)]);
  if (liveLogins(world) > 0) round.failed('wrong report', 'the login lives at the service');
  if (existsSync(tokenFile(world))) round.failed('wrong report', 'the token file is there');
  await loginWithToken(world);
  await race(scene, [{ ...upload, codes: [0] }]);
  judgeOwners(round, world);
  judgeCargo(round, world.sandbox, cargo);
}

/** Each process sets another setting of one of several profiles. */
async function settings(scene: Scene): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  const wanted = Array.from({ length: 20 }, (_, index) => {
    const profile = `profile-${index % 5}`;
    const choices = [
      ['timezone', random.pick(['Asia/Tokyo', 'Europe/Paris', 'America/Lima'])],
      ['platform.kind', random.pick(['interface', 'coach-watts'])],
      ['redirectPort', String(random.integer(9_000, 9_999))],
      ['clientId', `client-${random.uint32()}`],
    ] as const;
    const [key, value] = choices[Math.floor(index / 5)] ?? choices[0];
    return { profile, key, value };
  });
  await race(
    scene,
    wanted.map(({ profile, key, value }) => ({
      args: ['config', 'set', key, value, '--profile', profile],
    })),
  );
  for (const { profile, key, value } of wanted) {
    const get = ['config', 'get', key, '--profile', profile];
    const env = { SYNC_CLIENT_ID: undefined };
    const { stdout } = await world.sync(get, { env });
    if (stdout.trim() !== value) {
      round.failed('lost', `${key} of ${profile}: "${stdout.trim()}" instead of "${value}"`);
    }
  }
}

/** A login replaces an expired one, while others refresh that. */
async function loginAndRefreshes(scene: Scene): Promise<void> {
  const { round, world } = scene;
  expireAccess(world);
  const { running, authorizeUrl } = await startLogin(world);
  const token: Racer = { args: ['token'] };
  const [, , finished] = await Promise.all([
    race(scene, [...Array.from({ length: 10 }, () => token), ...readers(round.random, 4)]),
    visit(authorizeUrl),
    running.finished,
  ]);
  judgeOutput(round, 'login', finished);
  if (finished.code !== 0) round.failed('wrong report', `login: ${finished.stderr}`);
  const { stdout } = await world.sync(['token']);
  const owner = await ownerOf(world.sandbox, stdout.trim());
  if (owner !== 'athlete-1') round.failed('lost', 'the new login');
  if (liveLogins(world) !== 1) {
    round.failed('wrong report', `${liveLogins(world)} logins live at the service`);
  }
}

/** Two athletes upload from one folder each, with expired tokens. */
async function twoProfiles(scene: Scene): Promise<void> {
  const { round, world } = scene;
  const { random } = round;
  const { control } = world.sandbox;
  const input = JSON.stringify(control.mint({ athlete: 'athlete-2' }));
  await world.sync(['login', '--with-token', '--profile', 'ben'], { input });
  control.expire();
  const athletes = [
    { athlete: 'athlete-1', folder: 'ada', flags: [] },
    { athlete: 'athlete-2', folder: 'ben', flags: ['--profile', 'ben'] },
  ].map((each) => ({ ...each, recordings: newRecordings(scene, random, 6) }));
  const racers = athletes.flatMap(({ folder, flags, recordings }) => {
    for (const [name, bytes] of recordings) world.write(join(folder, name), bytes);
    const upload: Racer = { args: ['upload', folder, ...flags, '--json'] };
    return Array.from({ length: 8 }, () => upload);
  });
  await race(scene, racers);
  for (const { athlete, recordings } of athletes) {
    const held = control.state(athlete).athletes[0]?.recordings ?? [];
    const wanted = new Map([...recordings].map(([name, bytes]) => [sha256(bytes), name]));
    for (const [hash, name] of wanted) {
      const one = held.find((each) => each.sha256 === hash);
      if (one === undefined) round.failed('lost', `${athlete}: ${name}`);
      else if (one.receivedCount > 1) round.failed('duplicated', `${athlete}: ${name}`);
    }
    const foreign = held.filter((each) => !wanted.has(each.sha256));
    if (foreign.length > 0) round.failed('wrong report', `${athlete} holds others' recordings`);
  }
  const refreshes = control.requests({ route: 'token' }).length;
  if (refreshes !== 2) round.failed('wrong report', `${refreshes} refreshes of two logins`);
}
