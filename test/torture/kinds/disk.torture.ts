import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { EXCHANGES } from '../../../src/sandbox/http/request-log.ts';
import type { RequestRecord } from '../../../src/sandbox/types.ts';
import { expireAccess, loginWithToken, openWorld } from '../../support/acceptance.ts';
import { mountCrashDisk, whyNoCrashDisk } from '../../support/crash-disk.ts';
import { type SmallDisk, mountSmallDisk, whyNoMount } from '../../support/disk.ts';
import type { Finished } from '../../support/program.ts';
import { type Round, torture } from '../kind.ts';
import { followTokens, isLoginLost } from '../login-state.ts';
import { judgeRun } from '../sent.ts';
import { SENDING, drawCase } from '../sending.ts';
import { finish } from '../until-done.ts';

/** How a disk fails: before the command, or at the nth answer of the service. */
const TROUBLES = ['full', 'almost full', 'no inodes', 'read-only', 'fails'] as const;
type Trouble = (typeof TROUBLES)[number];

torture({
  name: 'disk',
  title: 'a full, read-only or failing disk',
  rounds: { short: 7, full: 77 },
  missing: () => whyNoMount() ?? whyNoCrashDisk(),
  run: async (round) => {
    const { random } = round;
    const [name, platform] = drawCase(round);
    const trouble = random.pick(TROUBLES);
    // Only an import writes temporary files.
    const place =
      name === 'import' && trouble !== 'fails' ? random.pick(['state', 'tmp']) : 'state';
    const world = await openWorld({ platform });
    const { sandbox, home } = world;
    home.env['TMPDIR'] = join(home.dir, 'tmp');
    mkdirSync(home.env['TMPDIR']);
    const disk = openDisk(join(home.dir, place), trouble);
    await loginWithToken(world);
    const issued = followTokens();
    // A process: what this one opens would keep a failed disk from being unmounted.
    const sending = await SENDING[name](world, random);
    if (random.chance(0.5)) expireAccess(world);

    const nth = trouble === 'read-only' ? 0 : random.integer(0, 4);
    const stop = failAtAnswer(nth, disk);
    round.note(`${place} ${trouble} at answer ${nth}`);
    for (let run = 1; run <= 2; run++) {
      const json = [...sending.args, '--json'];
      const finished = await world.program(json);
      judgeRun(round, sandbox, sending.sent, json, finished);
      judgeWords(round, place === 'tmp' ? UNPACKING : DISK, finished);
      round.count(finished.code === 0 ? 'runs that ended well' : 'failed runs');
    }
    const route = stop();
    disk.repair();
    if (isLoginLost(world, issued)) {
      // Space is reserved before a refresh. A disk that fails during it takes the new tokens with it.
      if (trouble !== 'fails' || route !== 'token') round.failed('lost', 'the login');
      round.count('logins lost with an answer');
      await loginWithToken(world);
    }
    await finish(round, world, sending);
  },
});

interface Disk {
  readonly fail: () => void;
  readonly repair: () => void;
}

function openDisk(dir: string, trouble: Trouble): Disk {
  if (trouble === 'fails') {
    const disk = mountCrashDisk(dir);
    return { fail: () => disk.failReadOnly(), repair: () => disk.restart() };
  }
  const disk = mountSmallDisk(dir);
  const fail: Readonly<Record<typeof trouble, (disk: SmallDisk) => void>> = {
    full: ({ fill }) => fill(0),
    'almost full': ({ fill }) => fill(4_096),
    'no inodes': ({ useUpInodes }) => useUpInodes(),
    'read-only': ({ makeReadOnly }) => makeReadOnly(),
  };
  return {
    fail: () => fail[trouble](disk),
    repair: () => (trouble === 'read-only' ? disk.makeWritable() : disk.makeRoom()),
  };
}

/**
 * Fails a disk while the service sends its nth answer; 0: now.
 *
 * @returns a function that stops the attack, and returns the route of that answer
 */
function failAtAnswer(nth: number, disk: Disk): () => string | null {
  let answers = 0;
  let route: string | null = null;
  const onExchange = (message: unknown) => {
    if (++answers !== nth) return;
    ({ route } = message as RequestRecord);
    disk.fail();
  };
  if (nth === 0) disk.fail();
  subscribe(EXCHANGES, onExchange);
  const stop = () => void unsubscribe(EXCHANGES, onExchange);
  onTestFinished(stop);
  return () => {
    stop();
    return route;
  };
}

/** The words for the disk of the state folder, and those for an archive that needs space to be unpacked. */
const DISK = /The disk of \S+ (is full|is read-only|reports)/;
const UNPACKING = /unpacked.* (Free some space, or n|N)ame another folder with TMPDIR/;

/** A failed run names the disk and its state, and does not blame the ledger. */
function judgeWords(round: Round, words: RegExp, { code, stdout, stderr }: Finished): void {
  if (code === 0) return;
  const text = stdout + stderr;
  if (!words.test(text)) {
    round.failed('wrong report', `nothing is said of the disk: ${String(code)} ${text}`);
  }
  if (/damaged|move it/i.test(text)) round.failed('wrong report', `the ledger is blamed: ${text}`);
}
