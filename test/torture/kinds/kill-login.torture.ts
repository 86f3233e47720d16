import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type World,
  expireAccess,
  freePort,
  loginWithToken,
  openWorld,
  ownerOf,
  startLogin,
  tokenFile,
  visit,
} from '../../support/acceptance.ts';
import { type Finished, type Running, ndjson } from '../../support/program.ts';
import { gpx, ridePoints } from '../../support/tracks.ts';
import { judgeOutput } from '../judge.ts';
import { type Round, torture } from '../kind.ts';
import {
  followTokens,
  isLoginLost,
  liveLogins,
  storedRefreshToken,
  wasUsed,
} from '../login-state.ts';
import { type MomentProxy, openMomentProxy, strike } from '../moment-proxy.ts';

const PROCEDURES = [
  refresh,
  login,
  registration,
  refresh,
  logout,
  convert,
  refresh,
  configSet,
] as const;

torture({
  name: 'kill-login',
  title: 'kill -9 of refresh, login, registration, logout, config set, convert',
  rounds: { short: 12, full: 96 },
  run: async (round) => {
    const procedure = round.turn(PROCEDURES);
    const refreshToken = round.random.pick(['rotate', 'rotate', 'keep'] as const);
    const reuseRevokesFamily = round.random.chance(0.5);
    const settings = { refreshToken, reuseRevokesFamily };
    const world = await openWorld({ platform: 'coach-watts', sandbox: { settings } });
    const proxy = await openMomentProxy(world);
    world.home.env['SYNC_BASE_URL'] = proxy.url;
    round.note(`${procedure.name}, refresh tokens: ${refreshToken}`);
    await procedure(round, world, proxy);
  },
});

/** The service may rotate the refresh token: if its answer was not stored, the loss is unavoidable. */
async function refresh(round: Round, world: World, proxy: MomentProxy): Promise<void> {
  await loginWithToken(world);
  const issued = followTokens();
  for (let kills = round.random.integer(1, 4); kills > 0; kills--) {
    expireAccess(world);
    const [command, path] = round.random.pick([
      ['token', /oauth\/token/],
      ['token', /oauth\/token/],
      ['profile', /api\/profile/],
    ] as const);
    const killed = await kill(round, proxy, path, world.start([command]));
    judgeKilled(round, command, killed);
    const isLost = isLoginLost(world, issued);
    if (isLost && wasUsed(world)) {
      round.failed('lost', 'the login: its new token was used before it was stored');
    }
    await judgeState(round, world);
    const next = await run(round, world, ['token']);
    if (isLost) {
      round.count('logins lost with an answer');
      if (next.code !== 4 || !next.stderr.includes('sync login')) {
        round.failed('wrong report', `token of an ended login: ${next.code} ${next.stderr}`);
      }
      return;
    }
    if (next.code !== 0) round.failed('lost', `the login: ${next.stderr}`);
    const owner = await ownerOf(world.sandbox, next.stdout.trim());
    if (owner !== 'athlete-1') round.failed('wrong report', 'token printed an invalid token');
  }
}

/** The killed logins may replace an earlier one, also that of another athlete. */
async function login(round: Round, world: World, proxy: MomentProxy): Promise<void> {
  const before = round.random.pick([undefined, 'athlete-1', 'athlete-2']);
  if (before !== undefined) await loginWithToken(world, { athlete: before });
  const issued = followTokens();
  for (let kills = round.random.integer(1, 3); kills > 0; kills--) {
    const path = round.random.pick([/oauth\/token/, /userinfo/, /revoke/]);
    const { running, authorizeUrl } = await startLogin(world);
    const ended = kill(round, proxy, path, running);
    // The killed program does not answer the browser.
    await visit(authorizeUrl).catch(() => undefined);
    judgeKilled(round, 'login', await ended);
    await judgeState(round, world);
    if (before === undefined && storedRefreshToken(world) === undefined) continue;
    const next = await run(round, world, ['token']);
    // A first login that is killed between storing its tokens and its settings is incomplete: the next login completes it.
    if (next.code === 4 && before !== 'athlete-1') continue;
    if (next.code !== 0) round.failed('lost', `the login before: ${next.stderr}`);
  }
  await completeLogin(round, world);
  // A login that was killed with its tokens in memory stays at the service.
  const allowed = 1 + issued.count();
  if (liveLogins(world) > allowed) {
    round.failed('wrong report', `${liveLogins(world)} logins live at the service`);
  }
}

async function completeLogin(round: Round, world: World): Promise<void> {
  const { running, authorizeUrl } = await startLogin(world);
  await visit(authorizeUrl);
  const { code, stderr } = await running.finished;
  if (code !== 0) round.failed('wrong report', `login: ${String(code)} ${stderr}`);
  const { stdout } = await run(round, world, ['token']);
  const owner = await ownerOf(world.sandbox, stdout.trim());
  if (owner !== 'athlete-1') round.failed('lost', `the new login: ${String(owner)}`);
}

/** A client whose answer was lost stays at the platform; one that was kept is used again. */
async function registration(round: Round, world: World, proxy: MomentProxy): Promise<void> {
  const redirectUri = `http://127.0.0.1:${await freePort()}/login`;
  const args = ['login', proxy.url, '--register', '--redirect-uri', redirectUri];
  const env = { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined };
  const registered = () => world.sandbox.control.requests({ route: 'register' }).length;
  for (let kills = round.random.integer(1, 3); kills > 0; kills--) {
    const path = round.random.pick([/oauth\/register/, /well-known/, /authorize/]);
    const running = world.start([...args, '--start'], { env });
    judgeKilled(round, 'login --register', await kill(round, proxy, path, running));
    await judgeState(round, world);
  }
  const isKept = existsSync(join(world.home.dir, 'state', 'clients.json'));
  const before = registered();
  const first = await world.sync([...args, '--start', '--json'], { env });
  if (first.code !== 0) round.failed('wrong report', `login --register: ${first.stderr}`);
  if (registered() - before > (isKept ? 0 : 1)) round.failed('duplicated', 'a client');
  const again = await world.sync([...args, '--start', '--json'], { env });
  const clients = [first, again].map(({ stdout }) => {
    const [line = {}] = ndjson(stdout) as { authorizeUrl?: string }[];
    return new URL(line.authorizeUrl ?? 'about:blank').searchParams.get('client_id');
  });
  if (clients[0] === null || clients[0] !== clients[1]) {
    round.failed('lost', `the client that was kept: ${clients.join(', ')}`);
  }
  const { authorizeUrl = '' } = (ndjson(again.stdout)[0] ?? {}) as { authorizeUrl?: string };
  const { headers } = await fetch(authorizeUrl, { redirect: 'manual' });
  const input = `${headers.get('location') ?? ''}\n`;
  const last = await world.sync(['login', '--finish'], { env, input });
  if (last.code !== 0) round.failed('lost', `the login after a registration: ${last.stderr}`);
}

async function logout(round: Round, world: World, proxy: MomentProxy): Promise<void> {
  await loginWithToken(world);
  for (let kills = round.random.integer(1, 3); kills > 0; kills--) {
    judgeKilled(round, 'logout', await kill(round, proxy, /revoke/, world.start(['logout'])));
    await judgeState(round, world);
  }
  const last = await run(round, world, ['logout']);
  if (last.code !== 0) round.failed('wrong report', `logout: ${String(last.code)} ${last.stderr}`);
  if (liveLogins(world) > 0) round.failed('wrong report', 'the login lives at the service');
  if (existsSync(tokenFile(world))) round.failed('wrong report', 'the token file is there');
}

const KEPT = { 'platform.kind': 'coach-watts', redirectPort: '9001' };
const ZONES = ['Europe/Berlin', 'Asia/Tokyo', 'America/New_York', 'Africa/Cairo', 'UTC'] as const;

async function configSet(round: Round, world: World): Promise<void> {
  for (const [key, value] of Object.entries({ ...KEPT, timezone: ZONES[0] })) {
    await run(round, world, ['config', 'set', key, value]);
  }
  for (let kill = 1; kill < ZONES.length; kill++) {
    const before = await setting(world, 'timezone');
    const after = ZONES[kill] ?? ZONES[0];
    const running = world.start(['config', 'set', 'timezone', after]);
    judgeKilled(round, 'config set', await killWithin(round, 300, running));
    const now = await setting(world, 'timezone');
    if (now !== before && now !== after) round.failed('lost', `timezone: "${now}"`);
    for (const [key, value] of Object.entries(KEPT)) {
      const kept = await setting(world, key);
      if (kept !== value) round.failed('lost', `${key}: "${kept}" instead of "${value}"`);
    }
  }
  const last = await run(round, world, ['config', 'set', 'timezone', 'Asia/Tokyo']);
  if (last.code !== 0 || (await setting(world, 'timezone')) !== 'Asia/Tokyo') {
    round.failed('wrong report', `config set: ${String(last.code)} ${last.stderr}`);
  }
}

/** A copy that a kill left is whole, or `upload` takes it for no recording. */
async function convert(round: Round, world: World): Promise<void> {
  const points = ridePoints(round.random.integer(2_000, 9_000), { hr: 140 });
  const track = world.write(
    'ride.gpx',
    gpx([{ segments: [points] }], { start: Date.UTC(2026, 3, 1, 7) }),
  );
  const whole = join(world.home.dir, 'whole.fit');
  await run(round, world, ['convert', track, '--out', whole]);
  const copy = join(world.home.dir, 'copy.fit');
  for (let kills = round.random.integer(2, 4); kills > 0; kills--) {
    const running = world.start(['convert', track, '--out', copy]);
    judgeKilled(round, 'convert', await killWithin(round, 1_200, running));
    if (!existsSync(copy)) continue;
    if (!readFileSync(copy).equals(readFileSync(whole))) {
      const { code } = await run(round, world, ['upload', copy, '--dry-run']);
      if (code === 0) round.failed('wrong report', 'upload takes a part of a copy');
    }
    rmSync(copy);
  }
  const last = await run(round, world, ['convert', track, '--out', copy]);
  if (last.code !== 0 || !readFileSync(copy).equals(readFileSync(whole))) {
    round.failed('lost', `the copy: ${String(last.code)} ${last.stderr}`);
  }
}

async function setting(world: World, key: string): Promise<string> {
  return (await world.sync(['config', 'get', key])).stdout.trim();
}

/** Kills at a moment of a request to `path`, or at any time. */
async function kill(
  round: Round,
  proxy: MomentProxy,
  path: RegExp,
  running: Running,
): Promise<Finished> {
  if (round.random.chance(0.3)) return await killWithin(round, 450, running);
  const end = () => void running.child.kill('SIGKILL');
  const { finished } = await strike(round, proxy, running, end, path);
  round.count(finished.code === null ? 'kills' : 'runs without that request');
  return finished;
}

/** Kills at a random moment. @param ms about the duration of the command */
async function killWithin(round: Round, ms: number, running: Running): Promise<Finished> {
  const delay = round.random.between(0.2, 1) * ms;
  round.note(`kill after ${Math.round(delay)} ms`);
  await Promise.race([sleep(delay), running.finished]);
  running.child.kill('SIGKILL');
  const finished = await running.finished;
  round.count(finished.code === null ? 'kills' : 'kills that came too late');
  return finished;
}

async function run(round: Round, world: World, args: readonly string[]): Promise<Finished> {
  const finished = await world.sync(args);
  round.note(`${args.join(' ')}: ${String(finished.code)}\n${finished.stderr}`);
  judgeOutput(round, args.join(' '), finished);
  return finished;
}

function judgeKilled(round: Round, command: string, finished: Finished): void {
  round.note(`${command}: ${String(finished.code)}\n${finished.stderr}`);
  judgeOutput(round, command, finished);
}

/** After any kill, `status` can be read, and names the athlete of the stored login. */
async function judgeState(round: Round, world: World): Promise<void> {
  const status = await run(round, world, ['status', '--json']);
  if (![0, 4, 5].includes(status.code ?? -1)) {
    round.failed('wrong report', `status: ${String(status.code)} ${status.stdout}`);
    return;
  }
  const [line] = ndjson(status.stdout) as { account?: { id: string } }[];
  const token = await run(round, world, ['token']);
  if (token.code !== 0) return;
  const owner = await ownerOf(world.sandbox, token.stdout.trim());
  if (line?.account !== undefined && owner !== undefined && line.account.id !== owner) {
    round.failed('wrong report', `status names ${line.account.id}, the login is of ${owner}`);
  }
}
