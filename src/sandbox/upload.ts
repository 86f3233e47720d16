import type { Handler } from 'hono';
import * as v from 'valibot';
import { whyNotFit } from './fit-check.ts';
import type { Part } from './multipart.ts';
import { Problem } from './problem.ts';
import type { NewRecording } from './recordings.ts';
import type { RequestBody } from './request-body.ts';
import { checked, invalid, jsonObject } from './validate.ts';
import type { SandboxEnv, World } from './world.ts';

/** One file of an upload answer. */
interface UploadItem {
  readonly filename: string;
  readonly state: 'queued' | 'stored' | 'failed';
  readonly fitFileId: string | null;
  readonly workoutId?: string;
  readonly jobId?: string;
}

/**
 * `POST /api/workouts/upload-fit` (interface section 4.1): stores each `file` part once per athlete
 * and SHA-256. A file that is refused makes `success` false, with status 200.
 */
export function postUpload(world: World): Handler<SandboxEnv> {
  return (c) => {
    const files = readUpload(c.get('body'));
    const { settings, recordings, store } = world;
    if (c.get('successFalse')) {
      return c.json(
        answer(
          files.map(({ fileName }) => failed(fileName, 'storage is full')),
          0,
          settings.current.uploadItems,
        ),
      );
    }
    const { athleteId } = c.get('bearer');
    let duplicates = 0;
    const outcomes = store.transaction(() =>
      files.map((file) => {
        const problem = whyRefused(file);
        if (problem !== null) return failed(file.fileName, problem);
        const { fitFileId, duplicate, workoutId } = recordings.receive(
          athleteId,
          file,
          settings.current,
        );
        if (duplicate) duplicates += 1;
        return {
          item: {
            filename: file.fileName,
            state: duplicate ? 'stored' : 'queued',
            fitFileId,
            ...(workoutId === null ? {} : { workoutId }),
            ...(duplicate ? {} : { jobId: `job-${fitFileId}` }),
          } as const,
          error: null,
        };
      }),
    );
    return c.json(answer(outcomes, duplicates, settings.current.uploadItems));
  };
}

interface Outcome {
  readonly item: UploadItem;
  readonly error: string | null;
}

function failed(filename: string, reason: string): Outcome {
  return {
    item: { filename, state: 'failed', fitFileId: null },
    error: `${filename}: ${reason}`,
  };
}

/** `total` is `processed` + `duplicates` + `failed`. */
function answer(outcomes: readonly Outcome[], duplicates: number, withItems: boolean) {
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  const processed = outcomes.length - duplicates - errors.length;
  return {
    success: errors.length === 0,
    message:
      errors.length === 0
        ? `${outcomes.length} file(s) received`
        : `${errors.length} of ${outcomes.length} file(s) could not be taken`,
    results: {
      total: outcomes.length,
      processed,
      duplicates,
      failed: errors.length,
      errors,
      ...(withItems ? { items: outcomes.map(({ item }) => item) } : {}),
    },
  };
}

function whyRefused(file: NewRecording): string | null {
  return file.fileName.endsWith('.fit') ? whyNotFit(file.bytes) : 'the file name must end in .fit';
}

/** @throws Problem 400 or 415 when the request as a whole cannot be taken */
function readUpload(body: RequestBody): NewRecording[] {
  if (body.kind === 'malformed') throw new Problem(400, body.reason);
  if (body.kind !== 'multipart') {
    throw new Problem(415, 'The upload must be sent as Content-Type: multipart/form-data');
  }
  const named = (name: string): Part[] => body.parts.filter((part) => part.name === name);
  const files = named('file');
  if (files.length === 0)
    throw refuse('file', 'Expected at least one part "file" with the recording');
  const names = named('name').map((part) => part.bytes.toString('utf8'));
  if (names.length > files.length) throw refuse('name', 'Expected at most one name for each file');
  const metadata = readMetadata(named('metadata'));
  return files.map(({ fileName, bytes, sha256 }, index) => {
    if (fileName === null || fileName === '') throw refuse('file', 'Expected a file name');
    return { fileName, bytes, sha256, name: names[index] ?? null, metadata };
  });
}

function readMetadata(parts: readonly Part[]): Record<string, unknown> | null {
  const [part] = parts;
  if (part === undefined) return null;
  if (parts.length > 1) throw refuse('metadata', 'Expected at most one metadata');
  let value: unknown;
  try {
    value = JSON.parse(part.bytes.toString('utf8'));
  } catch {
    throw refuse('metadata', 'Expected a JSON object, received text that is not JSON');
  }
  return checked(v.object({ metadata: jsonObject }), { metadata: value }, 'upload').metadata;
}

function refuse(field: string, message: string): Problem {
  return invalid('upload', [{ code: 'custom', path: [field], message }], true);
}
