import { refusal } from '../http/problem.ts';
import { isObject, type BodyPart } from '../http/request-body.ts';
import { requireKnown } from '../http/validate.ts';
import type { Call } from '../platform.ts';
import type { NewRecording, Recordings } from './recordings.ts';

/**
 * `POST /api/workouts/upload-fit` (interface section 4.1): stores each file part once per athlete
 * and SHA-256, with any content.
 */
export async function postUpload(c: Call) {
  const { world, bearer, platform } = c.var;
  const { recordings, settings } = world;
  const { athleteId } = bearer;
  const files = readUpload(c);
  if (platform.refusesKnown) {
    const isKnown = files.some(({ sha256 }) => recordings.bytes(sha256, athleteId) !== null);
    if (isKnown) throw refusal(409, 'This recording was uploaded before');
  }
  for (const { sha256 } of files) await recordings.process(athleteId, settings.current, sha256);
  const outcomes = files.map((file) => taken(file, recordings.receive(athleteId, file)));
  return platform.stored(outcomes[0]?.item.fitFileId ?? '', answer(outcomes));
}

function taken({ fileName }: NewRecording, received: ReturnType<Recordings['receive']>) {
  const { fitFileId, duplicate, workoutId } = received;
  const state =
    workoutId === null
      ? { state: 'queued', jobId: `job-${fitFileId}` }
      : { state: 'stored', workoutId };
  const kind = duplicate ? 'duplicates' : 'processed';
  return { kind, item: { filename: fileName, fitFileId, ...state } } as const;
}

/**
 * Returns the answer of a platform that can store none of the files.
 * @throws Problem 400 if the whole request is invalid
 */
export function failedUpload(c: Call): object {
  return answer(readUpload(c).map(failed));
}

function failed({ fileName }: NewRecording) {
  const item = { filename: fileName, state: 'failed' };
  return { kind: 'failed', item, error: `${fileName}: storage is full` } as const;
}

type FileOutcome = ReturnType<typeof taken | typeof failed>;

function answer(outcomes: readonly FileOutcome[]) {
  const count = (kind: FileOutcome['kind']) => outcomes.filter((each) => each.kind === kind).length;
  const processed = count('processed');
  const duplicates = count('duplicates');
  const failures = count('failed');
  return {
    success: processed > 0 || duplicates > 0,
    message: `Processed ${processed} files. ${duplicates} duplicates. ${failures} failed.`,
    results: {
      total: outcomes.length,
      processed,
      duplicates,
      failed: failures,
      errors: outcomes.flatMap((each) => (each.kind === 'failed' ? each.error : [])),
      items: outcomes.map(({ item }) => item),
    },
  };
}

/** @throws Problem 400 if the whole request is invalid */
function readUpload(c: Call): NewRecording[] {
  const { filePart, fileName, isStrict } = c.var.platform;
  const { parts = [] } = c.var.body;
  if (parts.length === 0) throw refusal(400, 'No file uploaded');
  if (isStrict) {
    const sent = parts.map((part) => part.name);
    requireKnown('part', sent, [filePart, 'name', 'metadata']);
  }
  const named = (name: string): BodyPart[] => parts.filter((part) => part.name === name);
  const files = named(filePart);
  if (files.length === 0) throw refusal(400, 'File field missing');
  const names = named('name').flatMap((part) => part.bytes.toString('utf8').trim() || []);
  const metadata = readMetadata(named('metadata')[0]);
  return files.map((part, index) => ({
    fileName: fileName(part.fileName ?? ''),
    bytes: part.bytes,
    sha256: part.sha256,
    name: names[index] ?? names[0] ?? null,
    metadata,
  }));
}

/** Ignores anything but a JSON object. */
function readMetadata(part: BodyPart | undefined): Record<string, unknown> | null {
  if (part === undefined) return null;
  try {
    const value: unknown = JSON.parse(part.bytes.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
