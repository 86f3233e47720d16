import { checkEnvelope } from '../fit/envelope.ts';
import { readFitWellness } from '../fit/wellness.ts';
import { PieceBuffer } from './take-recordings.ts';
import type { RecordStock } from './take-records.ts';
import type { Piece } from './walk.ts';

/** Takes the wellness of FIT files of any type. */
export class FitStock {
  /** Number of FIT files without wellness. */
  without = 0;
  readonly #stock: RecordStock;
  readonly #report: (unreadable: { readonly path: string; readonly problem: string }) => void;
  readonly #buffer = new PieceBuffer();

  /** @param report is called for each file that cannot be read, or is damaged */
  constructor(
    stock: RecordStock,
    report: (unreadable: { readonly path: string; readonly problem: string }) => void,
  ) {
    this.#stock = stock;
    this.#report = report;
  }

  /** @throws the signal's reason if it is aborted */
  async add(piece: Piece): Promise<void> {
    const { path } = piece;
    const contents = await this.#buffer.read(piece);
    if ('problem' in contents) {
      this.#report({ path, problem: contents.problem });
      return;
    }
    const envelope = checkEnvelope(contents.bytes);
    if (envelope.state !== 'whole') {
      this.#report({ path, problem: envelope.detail });
      return;
    }
    const samples = readFitWellness(contents.bytes);
    if (samples.length > 0) this.#stock.addFit(piece, samples);
    else this.without++;
  }
}
