import { openLoggedInWorld, sha256 } from '../../support/acceptance.ts';
import { ndjson } from '../../support/program.ts';
import { hasNoEnd, readGzip, readZip } from '../archive-reader.ts';
import { anyArchive, gzip } from '../archive-shapes.ts';
import { plainRecording } from '../fit-shapes.ts';
import { holdsActivity, walkFit } from '../fit-walker.ts';
import { judgeOutput, judgeRecordings } from '../judge.ts';
import { type Round, torture } from '../kind.ts';
import { mutateBytes } from '../mutate.ts';

/** Archives and gzip files of a round: one command uploads them. */
const FILES = 50;
/** Archives in one another that are read. */
const DEEPEST = 4;

/** What the readers find in one file. */
interface Findings {
  /** Recordings that must arrive, and all that may: those that only some readers find. */
  readonly sure: Map<string, Uint8Array>;
  readonly possible: Map<string, Uint8Array>;
}

torture({
  name: 'archives',
  title: 'mutated zip archives and gzip files',
  rounds: { short: 4, full: 40 },
  run: async (round) => {
    const world = await openLoggedInWorld();
    const found: Findings = { sure: new Map(), possible: new Map() };
    const files = new Map<string, Buffer>();
    for (let i = 0; i < FILES; i++) {
      const [name, bytes] = anyFile(round, i);
      const path = world.write(name, bytes);
      files.set(path, bytes);
      if (name.endsWith('.zip')) findInZip(bytes, found, 1, true);
      else findInFile(bytes, found, true);
    }
    const args = ['upload', '--json', ...files.keys()];
    const result = await (round.number % 4 === 0 ? world.program(args) : world.sync(args));
    round.note(`${String(result.code)}\n${result.stdout}${result.stderr}`);
    judgeOutput(round, 'upload --json', result);

    const lines = ndjson(result.stdout).filter(({ type }) => type === 'upload');
    for (const [path, bytes] of files) {
      const isRefused = lines.some(
        (line) => line['path'] === path && line['outcome'] === 'invalid',
      );
      if (path.endsWith('.zip') && hasNoEnd(bytes) && !isRefused) {
        round.failed('wrong report', `${path} has no end, and is not refused`);
      }
    }
    const saidSent = new Set(
      lines
        .filter(({ outcome }) => outcome === 'uploaded' || outcome === 'duplicate')
        .map((line) => line['sha256']),
    );
    const held = world.sandbox.control.state('athlete-1').athletes[0]?.recordings ?? [];
    for (const { sha256: hash } of held) {
      if (!saidSent.delete(hash)) round.failed('wrong report', `${hash} arrived without a line`);
      const bytes = found.possible.get(hash);
      if (bytes !== undefined) found.sure.set(hash, bytes);
    }
    for (const hash of saidSent) round.failed('wrong report', `${String(hash)} did not arrive`);
    judgeRecordings(round, world.sandbox, found.sure);
    round.count('files', files.size);
    round.count('recordings', found.sure.size);
  },
});

/** Returns an archive or a gzip file; two of three are mutated. */
function anyFile({ random }: Round, i: number): [name: string, bytes: Buffer] {
  const isZip = random.chance(0.7);
  const whole = isZip ? anyArchive(random) : gzip(random, plainRecording(random));
  const bytes = random.chance(0.65) ? Buffer.from(mutateBytes(random, whole).bytes) : whole;
  return [isZip ? `${i}.zip` : `${i}.fit.gz`, bytes];
}

function findInZip(zip: Buffer, found: Findings, depth: number, isOuterSure: boolean): void {
  if (zip.length < 22) return;
  for (const { name, bytes, isSure } of readZip(zip)) {
    const text = name.toString('latin1');
    const sure = isOuterSure && isSure && isPlainName(text);
    if (/\.zip$/i.test(text)) findInZip(bytes, found, depth + 1, sure && depth < DEEPEST);
    else findInFile(bytes, found, sure && /\.fit(\.gz)?$/i.test(text));
  }
}

function findInFile(file: Buffer, { sure, possible }: Findings, isSureFile: boolean): void {
  const isGzip = file[0] === 0x1f && file[1] === 0x8b;
  const content = isGzip ? readGzip(file) : { bytes: file, isSure: true };
  if (content === undefined) return;
  const { bytes, isSure } = content;
  const walk = walkFit(bytes);
  const holds = holdsActivity(walk);
  if (!walk.whole || holds === false) return;
  const recording = bytes.subarray(0, walk.length);
  possible.set(sha256(recording), recording);
  if (isSureFile && isSure && holds === true) sure.set(sha256(recording), recording);
}

/** Whether any program takes a member of this name for a file of its own, not for a system's. */
function isPlainName(name: string): boolean {
  const parts = name.split('/');
  return (
    /^[ -~\u00a0-\u00ff]+$/.test(name) &&
    parts.every((part) => part === '..' || !part.startsWith('.')) &&
    !/(^|\/)__macosx(\/|$)/i.test(name)
  );
}
