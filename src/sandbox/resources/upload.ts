import type { Handler } from 'hono';
import { refusal } from '../http/problem.ts';
import { isStrict, requireKnown, storedAnswer } from '../interface.ts';
import type { NewRecording, Recordings } from './recordings.ts';
import { isObject, type BodyPart, type RequestBody } from '../http/request-body.ts';
import type { SandboxSettings } from '../settings.ts';
import type { SandboxEnv, World } from '../world.ts';

/**
 * `POST /api/workouts/upload-fit` (interface section 4.1): stores each file part once per athlete
 * and SHA-256, with any content.
 */
export function postUpload(world: World): Handler<SandboxEnv> {
  return async (c) => {
    const settings = world.settings.current;
    const files = readUpload(c.get('body'), settings);
    const { recordings } = world;
    const { athleteId } = c.get('bearer');
    if (settings.platform === 'interface' && settings.refusesKnown) {
      const isKnown = files.some(({ sha256 }) => recordings.bytes(sha256, athleteId) !== null);
      if (isKnown) throw refusal(409, 'This recording was uploaded before');
    }
    for (const { sha256 } of files) await recordings.process(athleteId, settings, sha256);
    const outcomes = files.map((file) => taken(file, recordings.receive(athleteId, file)));
    return storedAnswer(settings, outcomes[0]?.item.fitFileId ?? '', answer(outcomes));
  };
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
export function failedUpload(body: RequestBody, settings: SandboxSettings): object {
  return answer(readUpload(body, settings).map(failed));
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
function readUpload(body: RequestBody, settings: SandboxSettings): NewRecording[] {
  if (body.kind !== 'multipart' || body.parts.length === 0) {
    throw refusal(400, 'No file uploaded');
  }
  const named = (name: string): BodyPart[] => body.parts.filter((part) => part.name === name);
  const { platform, filePart } = settings;
  const isDocument = platform === 'interface';
  const fileField = isDocument ? filePart : 'file';
  if (isStrict(settings)) {
    const parts = [fileField, 'name', 'metadata'];
    requireKnown(
      'part',
      body.parts.map((part) => part.name),
      parts,
    );
  }
  const files = named(fileField);
  if (files.length === 0) throw refusal(400, 'File field missing');
  const names = named('name').flatMap((part) => part.bytes.toString('utf8').trim() || []);
  const metadata = readMetadata(named('metadata')[0]);
  return files.map((part, index) => ({
    fileName: isDocument ? (part.fileName ?? '') : storedName(part),
    bytes: part.bytes,
    sha256: part.sha256,
    name: names[index] ?? names[0] ?? null,
    metadata,
  }));
}

/**
 * Coach Watts loses a file name with a `=`, cuts one at a `;`, and keeps `%22`, which stands for `"`,
 * encoded.
 */
function storedName({ fileName }: BodyPart): string {
  const sent = (fileName ?? '').replaceAll('"', '%22');
  const [name = ''] = sent.includes('=') ? [] : sent.split(';', 1);
  return name === '' ? 'upload.fit' : name;
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
