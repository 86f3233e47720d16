import { Archives } from '../archive/archives.ts';
import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import { checkEnvelope } from '../fit/envelope.ts';
import { readFitWellness } from '../fit/wellness.ts';
import type { UnreadablePath } from '../inputs/find-files.ts';
import { inputFiles } from '../inputs/input-files.ts';
import { isRecordingName } from '../inputs/recording-names.ts';
import { matchFit } from '../records/engine/recognise.ts';
import type { Input } from '../records/read/input.ts';
import type { RecordKind, SourceOptions } from '../records/types.ts';
import { plural } from '../terminal/words.ts';
import { type RecordingContents, reusedBuffer } from '../upload/read-recording.ts';
import { type UnreadableMember, sendableOf } from '../upload/sendable.ts';
import { ImportTable } from './import-table.ts';
import { RecordScan } from './take-records.ts';

export interface FolderTools extends Pick<Context, 'signal' | 'warn'> {
  readonly cwd: string;
  readonly tempFolder: string;
  /** Takes a remark that is no warning. */
  readonly say: (text: string) => void;
  readonly progress: (files: number, path: string) => void;
}

export type FolderInputs = ReturnType<typeof folderInputs>;

export function folderInputs(kind: RecordKind, sources: SourceOptions, tools: FolderTools) {
  const { cwd, signal, tempFolder, warn, say, progress } = tools;
  const archives = new Archives(signal, tempFolder);
  const buffers = reusedBuffer();
  return {
    /** Returns the inputs in a folder or an archive. A file that cannot be read, or a folder without records, is a failing one. */
    async in(path: string): Promise<readonly Input[]> {
      const table = new ImportTable();
      const unread: Input[] = [];
      const takeUnread = (fault: UnreadablePath) => {
        unread.push(failing(fault.path, asFault(fault)));
      };
      const scan = new RecordScan(table, sources, takeUnread);
      const takesFit = kind === 'wellness' && matchFit(path, sources.list).length > 0;
      let done = 0;
      let withoutWellness = 0;
      for await (const inputFile of inputFiles([path], cwd, archives)) {
        signal.throwIfAborted();
        progress(++done, inputFile.path);
        if ('problem' in inputFile) takeUnread(inputFile);
        else if (!isRecordingName(inputFile.name)) await scan.add(inputFile);
        else if (takesFit) {
          const samples = samplesIn(await sendableOf(inputFile.from).read(buffers));
          if (typeof samples === 'string') warn(textOf({ path: inputFile.path, problem: samples }));
          else if (samples.length > 0) scan.addFit(inputFile, samples);
          else withoutWellness++;
        }
      }
      if (withoutWellness > 0)
        say(`${path}: ${plural(withoutWellness, 'FIT file')} without wellness.`);
      for (const { kind: found, title, reason = '' } of table.all) {
        if (found === 'ambiguous') warn(phrase`${path}: ${title}: ${reason}`);
      }
      const inputs = scan.inputsOf(kind);
      const isRead = !unread.some(({ name }) => name === path);
      const none = inputs.length === 0 && isRead ? [failing(path, holdsNone(path, kind))] : [];
      return [...inputs, ...none, ...unread];
    },
    close: () => archives.close(),
  };
}

/** Returns the wellness of a FIT file of any type, or why it cannot be read. */
function samplesIn(contents: RecordingContents | UnreadableMember) {
  if ('problem' in contents) return contents.problem;
  const envelope = checkEnvelope(contents.bytes);
  return envelope.state === 'whole' ? readFitWellness(contents.bytes) : envelope.detail;
}

function holdsNone(path: string, kind: RecordKind): SyncError {
  return new SyncError('INPUT_INVALID', `${path} holds no ${kind} that sync understands.`, {
    hint: phrase`${sync('import', path, '--dry-run')} shows what is in it.`,
    details: { path },
  });
}

function asFault(unread: UnreadablePath): SyncError {
  return new SyncError('INPUT_INVALID', textOf(unread), { details: { path: unread.path } });
}

/** A message about the content of a file begins with its path, for the line and the column. */
function textOf({ path, problem }: UnreadablePath): string {
  return problem.startsWith(path) ? problem : `${path}: ${problem}`;
}

/** Returns an input that cannot be read. */
function failing(name: string, fault: SyncError): Input {
  const next = () => Promise.reject(fault);
  return { name, chunks: { [Symbol.asyncIterator]: () => ({ next }) } };
}
