import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Archives } from '../archive/archives.ts';
import { SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import { STDIN as STDIN_INPUT } from '../records/nutrition/day-plan.ts';
import { type Input, fileInput } from '../records/read/input.ts';
import { matchFit } from '../records/engine/recognise.ts';
import type { RecordKind, SourceOptions } from '../records/types.ts';
import { plural } from '../terminal/words.ts';
import { isRecordingName } from '../upload/recording-names.ts';
import type { AppContext } from './context.ts';
import { STDIN } from '../upload/find-files.ts';

/** The inputs that a command line names. */
export interface NamedInputs {
  readonly inputs: readonly Input[];
  /** Closes the archives that the inputs are in. */
  close(): Promise<void>;
}

/**
 * Returns the inputs of files, folders and zip archives. Of a folder or an archive, the files with records
 * of this kind count; one without such files is an input that cannot be read.
 */
export async function namedInputs(
  context: AppContext,
  paths: readonly string[],
  kind: RecordKind,
  sources: SourceOptions,
): Promise<NamedInputs> {
  if (!paths.some((path) => holdsFiles(path, context.cwd))) {
    return { inputs: paths.map((path) => inputOf(path, context)), close: () => Promise.resolve() };
  }
  const { Archives } = await import('../archive/archives.ts');
  const archives = new Archives(context.signal, tmpdir());
  const inputs: Input[] = [];
  for (const path of paths) {
    if (!holdsFiles(path, context.cwd)) inputs.push(inputOf(path, context));
    else inputs.push(...(await inputsIn(context, path, kind, sources, archives)));
  }
  return { inputs, close: () => archives.close() };
}

function inputOf(path: string, { io }: AppContext): Input {
  return path === STDIN ? { name: STDIN_INPUT, chunks: io.readStdin() } : fileInput(path);
}

/** Checks for a folder, or a file with the name of an archive or a packed FIT file. */
function holdsFiles(path: string, cwd: string): boolean {
  if (path === STDIN) return false;
  if (/\.(?:zip|fit\.gz)$/i.test(path)) return true;
  return statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() === true;
}

async function inputsIn(
  context: AppContext,
  path: string,
  kind: RecordKind,
  sources: SourceOptions,
  archives: Archives,
): Promise<readonly Input[]> {
  const { walk } = await import('../import/walk.ts');
  const { RecordStock } = await import('../import/take-records.ts');
  const { Findings } = await import('../import/findings.ts');
  const { FitStock } = await import('../import/take-fit.ts');
  const { cwd, output, warn } = context;
  const findings = new Findings();
  const report = (unreadable: { path: string; problem: string }) =>
    warn(`${unreadable.path}: ${unreadable.problem}`);
  const stock = new RecordStock(findings, sources.list, report);
  const takesFit = kind === 'wellness' && matchFit(path, sources.list).length > 0;
  const fit = new FitStock(stock, report);
  const progress = output.progress();
  try {
    let done = 0;
    for await (const piece of walk([path], cwd, archives)) {
      context.signal.throwIfAborted();
      progress.update({ noun: 'file', done: ++done, current: piece.path });
      if ('problem' in piece) report(piece);
      else if (!isRecordingName(piece.name)) await stock.add(piece);
      else if (takesFit) await fit.add(piece);
    }
  } finally {
    progress.stop();
  }
  if (fit.without > 0) {
    output.say(`${path}: ${plural(fit.without, 'FIT file')} without wellness.`);
  }
  for (const { kind: found, title, reason = '' } of findings.all) {
    if (found === 'ambiguous') warn(`${path}: ${title}: ${reason}`);
  }
  const inputs = stock.inputsOf(kind);
  if (inputs.length > 0) return inputs;
  const fault = new SyncError('INPUT_INVALID', `${path} holds no ${kind} that sync understands.`, {
    hint: phrase`${sync('import', path, '--dry-run')} shows what is in it.`,
    details: { path },
  });
  return [{ name: path, chunks: { [Symbol.asyncIterator]: () => failing(fault) } }];
}

/** Returns chunks that cannot be read. */
function failing(fault: SyncError): AsyncIterator<Uint8Array> {
  return { next: () => Promise.reject(fault) };
}
