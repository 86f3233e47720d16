import FitParser from 'fit-file-parser';

type Parsed = Awaited<ReturnType<FitParser['parseAsync']>>;

export type FitSession = NonNullable<Parsed['sessions']>[number];
export type FitRecord = NonNullable<Parsed['records']>[number];

/** The messages of a recording that the platform reads. */
export interface FitContent {
  readonly sessions: readonly FitSession[];
  readonly records: readonly FitRecord[];
}

/** Decodes a recording. One that cannot be decoded is empty: its upload has long been answered. */
export async function readFit(bytes: Uint8Array): Promise<FitContent> {
  try {
    const parser = new FitParser({ mode: 'list', force: true });
    // The parser needs a Buffer with its own ArrayBuffer.
    const { sessions = [], records = [] } = await parser.parseAsync(Buffer.from(bytes));
    return { sessions, records };
  } catch {
    return { sessions: [], records: [] };
  }
}
