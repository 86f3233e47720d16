import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { EXCHANGES } from '../../../src/sandbox/http/request-log.ts';
import type { RequestRecord } from '../../../src/sandbox/types.ts';
import { type World, expireAccess } from '../../support/acceptance.ts';
import { mountCrashDisk, whyNoCrashDisk } from '../../support/crash-disk.ts';
import { type SmallDisk, mountSmallDisk, whyNoMount } from '../../support/disk.ts';
import type { Finished } from '../../support/program.ts';
import { complete } from '../completion.ts';
import { drawErrand, prepare } from '../errands.ts';
import { type Round, torture } from '../kind.ts';
import { followTokens, isLoginLost } from '../login-state.ts';
import { judgeLines } from '../reports.ts';
import { logIn, openSceneBehind } from '../scene.ts';

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
    const [errand, platform] = drawErrand(round);
    const trouble = random.pick(TROUBLES);
    // Only an import writes temporary files.
    const place =
      errand === 'import' && trouble !== 'fails' ? random.pick(['state', 'tmp']) : 'state';
    const open = ({ sandbox, home }: World) => {
      home.env['TMPDIR'] = join(home.dir, 'tmp');
      mkdirSync(home.env['TMPDIR']);
      return Promise.resolve({
        url: sandbox.url,
        ...openDisk(join(home.dir, place), trouble),
      });
    };
    // Processes: what this one opens would keep a failed disk from being unmounted.
    const options = { platform, program: true };
    const { scene, line: disk } = await openSceneBehind(round, open, options);
    const { world } = scene;
    const issued = followTokens();
    const job = await prepare(errand, scene, random);
    if (random.chance(0.5)) expireAccess(world);

    const nth = trouble === 'read-only' ? 0 : random.integer(0, 4);
    const stop = failAtAnswer(nth, disk);
    round.note(`${place} ${trouble} at answer ${nth}`);
    for (let run = 1; run <= 2; run++) {
      const finished = await scene.run(job.args);
      judgeLines(scene, job.args.join(' '), finished, job.claim);
      judgeWords(round, place === 'tmp' ? UNPACKING : DISK, finished);
      round.count(finished.code === 0 ? 'runs that ended well' : 'failed runs');
    }
    const route = stop();
    disk.repair();
    if (isLoginLost(world, issued)) {
      // Space is reserved before a refresh. A disk that fails during it takes the new tokens with it.
      if (trouble !== 'fails' || route !== 'token') round.failed('lost', 'the login');
      round.count('logins lost with an answer');
      await logIn(scene);
    }
    await complete(scene, [job]);
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
