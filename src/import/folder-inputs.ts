import { Archives } from '../archive/archives.ts';
import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import { checkEnvelope } from '../fit/envelope.ts';
import { readFitWellness } from '../fit/wellness.ts';
import { type Piece, walk } from '../inputs/pieces.ts';
import { isRecordingName } from '../inputs/recording-names.ts';
import { matchFit } from '../records/engine/recognise.ts';
import type { Input } from '../records/read/input.ts';
import type { RecordKind, SourceOptions } from '../records/types.ts';
import { plural } from '../terminal/words.ts';
import { Findings } from './findings.ts';
import { pieceReader } from './take-recordings.ts';
import { RecordStock } from './take-records.ts';

export interface FolderTools extends Pick<Context, 'signal' | 'warn'> {
  readonly cwd: string;
  readonly tempFolder: string;
  /** Takes a remark that is no warning. */
  readonly say: (text: string) => void;
  readonly progress: (files: number, path: string) => void;
}

export class FolderInputs {
  readonly #kind: RecordKind;
  readonly #sources: SourceOptions;
  readonly #tools: FolderTools;
  readonly #archives: Archives;
  readonly #read = pieceReader();

  constructor(kind: RecordKind, sources: SourceOptions, tools: FolderTools) {
    this.#kind = kind;
    this.#sources = sources;
    this.#tools = tools;
    this.#archives = new Archives(tools.signal, tools.tempFolder);
  }

  /** Returns the inputs in a folder or an archive; if there are none, one that cannot be read. */
  async in(path: string): Promise<readonly Input[]> {
    const { cwd, signal, warn, say, progress } = this.#tools;
    const { list } = this.#sources;
    const kind = this.#kind;
    const findings = new Findings();
    const stock = new RecordStock(findings, list, (piece) => this.#report(piece));
    const takesFit = kind === 'wellness' && matchFit(path, list).length > 0;
    let done = 0;
    let withoutWellness = 0;
    for await (const piece of walk([path], cwd, this.#archives)) {
      signal.throwIfAborted();
      progress(++done, piece.path);
      if ('problem' in piece) this.#report(piece);
      else if (!isRecordingName(piece.name)) await stock.add(piece);
      else if (takesFit && (await this.#hasNoWellness(piece, stock))) withoutWellness++;
    }
    if (withoutWellness > 0)
      say(`${path}: ${plural(withoutWellness, 'FIT file')} without wellness.`);
    for (const { kind: found, title, reason = '' } of findings.all) {
      if (found === 'ambiguous') warn(`${path}: ${title}: ${reason}`);
    }
    const inputs = stock.inputsOf(kind);
    return inputs.length > 0 ? inputs : [unreadable(path, kind)];
  }

  async close(): Promise<void> {
    await this.#archives.close();
  }

  /** Takes the wellness of a FIT file of any type. @returns whether a whole file has none */
  async #hasNoWellness(piece: Piece, stock: RecordStock): Promise<boolean> {
    const { path } = piece;
    const contents = await this.#read(piece);
    if ('problem' in contents) {
      this.#report({ path, problem: contents.problem });
      return false;
    }
    const envelope = checkEnvelope(contents.bytes);
    if (envelope.state !== 'whole') {
      this.#report({ path, problem: envelope.detail });
      return false;
    }
    const samples = readFitWellness(contents.bytes);
    if (samples.length > 0) stock.addFit(piece, samples);
    return samples.length === 0;
  }

  #report({ path, problem }: { readonly path: string; readonly problem: string }): void {
    this.#tools.warn(`${path}: ${problem}`);
  }
}

function unreadable(path: string, kind: RecordKind): Input {
  const fault = new SyncError('INPUT_INVALID', `${path} holds no ${kind} that sync understands.`, {
    hint: phrase`${sync('import', path, '--dry-run')} shows what is in it.`,
    details: { path },
  });
  const next = () => Promise.reject(fault);
  return { name: path, chunks: { [Symbol.asyncIterator]: () => ({ next }) } };
}
