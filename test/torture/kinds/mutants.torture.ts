import { join } from 'node:path';
import { readMessages } from '../../../src/fit/messages.ts';
import { readSummary } from '../../../src/fit/summary.ts';
import { identify } from '../../../src/upload/identify.ts';
import { type World, openLoggedInWorld, sha256 } from '../../support/acceptance.ts';
import { ndjson } from '../../support/program.ts';
import { anyRecording } from '../fit-shapes.ts';
import { type Walk, holdsActivity, walkFit } from '../fit-walker.ts';
import { judgeOutput, judgeRecordings } from '../judge.ts';
import { type Round, torture } from '../kind.ts';
import { type Mutant, mutateFit } from '../mutate.ts';

/** Mutants of a round that are read in this process. */
const READ = 1_200;
/** Mutants of each recording. */
const OF_ONE = 20;
/** Mutants of a round that the built program uploads. */
const UPLOADED = 60;
/** CPU time that one mutant may take (ms). Usually less than 5. */
const LONGEST_MS = 1_500;
/** Memory that reading a round's mutants may take (bytes). They have 300 KB each at most. */
const MOST_MEMORY = 400 * 1024 * 1024;

/** Global message numbers of `session`, `lap` and `record`. */
const COUNTED = [18, 19, 20];
const FIT_EPOCH_SECS = 631_065_600;

torture({
  name: 'mutants',
  title: 'mutated recordings against another reader',
  rounds: { short: 6, full: 50 },
  run: async (round) => {
    const memory = process.memoryUsage().rss;
    const mutants: Mutant[] = [];
    while (mutants.length < READ) {
      const whole = anyRecording(round.random);
      for (let i = 0; i < OF_ONE; i++) {
        const mutant = mutateFit(round.random, whole);
        compare(round, mutant);
        mutants.push(mutant);
      }
    }
    const grown = process.memoryUsage().rss - memory;
    if (grown > MOST_MEMORY) {
      round.failed('wrong report', `reading took ${Math.round(grown / 1e6)} MB of memory`);
    }
    const world = await openLoggedInWorld();
    const files = new Map<string, Mutant>();
    for (let i = 0; i < UPLOADED; i++) {
      const mutant = mutants[round.random.integer(0, READ - 1)];
      if (mutant !== undefined) files.set(world.write(`mutants/${i}.fit`, mutant.bytes), mutant);
    }
    await upload(round, world, files);
    await inspect(round, world, files);
  },
});

/** Compares what the program finds in a mutant with what the walker finds. */
function compare(round: Round, { bytes: written, how }: Mutant): void {
  const walk = walkFit(written);
  // Readers of files leave out the padding.
  const bytes = walk.whole ? written.subarray(0, walk.length) : written;
  const started = performance.now();
  const cpu = process.cpuUsage();
  const identity = identify(Buffer.from(bytes));
  const counts = new Map<number, number>();
  const visitors = COUNTED.map((number) => {
    const visit = () => {
      counts.set(number, (counts.get(number) ?? 0) + 1);
    };
    return [number, visit] as const;
  });
  readMessages(bytes, Object.fromEntries(visitors));
  const { startTime, sessions } = readSummary(bytes);
  if (performance.now() - started > LONGEST_MS) {
    const { user, system } = process.cpuUsage(cpu);
    if (user + system > LONGEST_MS * 1000) round.failed('hang', evidence(how, bytes, 'slow'));
  }
  const wrong = (what: string) => round.failed('wrong report', evidence(how, bytes, what));
  round.count('mutants');
  const isWhole = 'sha256' in identity;
  if (isWhole !== walk.whole) wrong(`whole: ${walk.whole}; found: ${identity.verdict}`);
  if (!isWhole || !walk.whole) return;
  round.count('whole');
  if (identity.sha256 !== sha256(bytes)) wrong(`another hash: ${identity.sha256}`);
  if (walk.records === 'unclear') return;
  round.count('compared');
  const isActivity = holdsActivity(walk);
  if (isActivity !== 'unclear' && isActivity !== (identity.verdict === 'activity')) {
    wrong(`type ${String(walk.fileType)}; found: ${identity.verdict}`);
  }
  for (const number of COUNTED) {
    const count = walk.messages.get(number) ?? 0;
    const found = counts.get(number) ?? 0;
    if (found !== count) wrong(`${count} messages ${number}; found: ${found}`);
  }
  const start = earliestStart(walk);
  const found = startTime === undefined ? undefined : startTime.getTime() / 1000 - FIT_EPOCH_SECS;
  if (found !== start) wrong(`start ${String(start)}; found: ${String(found)}`);
  const least = distinctSessions(walk);
  const most = walk.sessionStarts.length;
  if (most > 0 && (sessions.length < least || sessions.length > most)) {
    wrong(`${least} to ${most} sessions; found: ${sessions.length}`);
  }
}

/** Counts the sessions with a start of their own: a joined file may have one twice, which counts once. */
function distinctSessions({ sessionStarts }: Walk): number {
  const unknown = sessionStarts.filter((start) => start === undefined);
  return new Set(sessionStarts).size + Math.max(0, unknown.length - 1);
}

function earliestStart({ sessionStarts }: Walk): number | undefined {
  const starts = sessionStarts.filter((start) => start !== undefined);
  return starts.length === 0 ? undefined : Math.min(...starts);
}

/** Uploads mutants with the built program: the whole activities arrive, and no other file. */
async function upload(
  round: Round,
  world: World,
  files: ReadonlyMap<string, Mutant>,
): Promise<void> {
  const result = await world.program(['upload', join(world.home.dir, 'mutants'), '--json']);
  round.note(`${String(result.code)}\n${result.stdout}${result.stderr}`);
  judgeOutput(round, 'upload --json', result);
  const lines = ndjson(result.stdout);
  const outcomes = new Map<unknown, unknown>(lines.map(({ path, outcome }) => [path, outcome]));
  // A shorter recording would replace the workout of a longer one with its start and file ID.
  const shorter = new Set(
    lines.filter(({ reason }) => reason === 'shorter').map(({ path }) => path),
  );
  const sent = new Map<string, Uint8Array>();
  for (const [path, { bytes, how }] of files) {
    const walk = walkFit(bytes);
    const { whole } = walk;
    const holds = holdsActivity(walk);
    const outcome = outcomes.get(path);
    // A second copy of a recording is skipped.
    const saysSent = outcome === 'uploaded' || outcome === 'duplicate';
    const isActivity = whole && (holds === 'unclear' ? saysSent : holds);
    if (isActivity && !shorter.has(path)) sent.set(path, bytes.subarray(0, walk.length));
    const fits = isActivity ? saysSent || outcome === 'skipped' : !saysSent;
    if (outcome === undefined || !fits) {
      round.failed('wrong report', evidence(how, bytes, `${path}: ${String(outcome)}`));
    }
  }
  judgeRecordings(round, world.sandbox, sent);
  round.count('uploaded', files.size);
}

/** Decodes mutants in full with the built program, as lines and with their pictures. */
async function inspect(
  round: Round,
  world: World,
  files: ReadonlyMap<string, Mutant>,
): Promise<void> {
  const lines = await world.program(['inspect', ...files.keys(), '--json']);
  judgeOutput(round, 'inspect --json', lines);
  const states = new Map(ndjson(lines.stdout).map(({ path, state }) => [path, state]));
  for (const [path, { bytes, how }] of files) {
    const state = states.get(path);
    if (state === undefined || (state === 'whole') !== walkFit(bytes).whole) {
      round.failed('wrong report', evidence(how, bytes, `inspect ${path}: ${String(state)}`));
    }
  }
  const text = await world.program(['inspect', ...files.keys()]);
  // Its words about a file that is not whole are its results.
  judgeOutput(round, 'inspect', { ...text, stderr: text.stdout + text.stderr });
  if (text.code !== lines.code) round.failed('wrong report', `exit code ${String(text.code)}`);
}

/** Returns a finding with the mutant's bytes, if they are few. */
function evidence(how: string, bytes: Uint8Array, what: string): string {
  const hex = bytes.length > 3_000 ? '' : `: ${Buffer.from(bytes).toString('hex')}`;
  return `${what} (${how}, ${bytes.length} bytes${hex})`;
}
