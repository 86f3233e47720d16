import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Archives, isZipFile } from '../archive/archives.ts';
import { isZipName } from '../archive/zip-name.ts';
import type { Context } from '../base/context.ts';
import { attempt } from '../base/errors.ts';
import { fileOf, isActivityName } from '../inputs/recording-names.ts';
import { loadOs } from '../system/this-process.ts';
import { readFile } from './read-recording.ts';
import { type FoundRecording, type NoRecording, recordingsOf } from './recordings-of.ts';
import { sendableOf } from './sendable.ts';

type NotFound = Pick<NoRecording, 'path' | 'problem'>;

/**
 * Yields the recordings of a file on the disk, also of a zip archive, as `upload` finds them; or the only one that a
 * path names, such as `rides.zip/1.fit` and `day.tcx#2`. Yields at least one recording or problem.
 *
 * @param path in reports
 * @throws the signal's reason if it is aborted
 */
export async function* recordingsIn(
  path: string,
  absolute: string,
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
): AsyncGenerator<FoundRecording | NotFound, void, undefined> {
  const isFile = existsSync(absolute);
  const file = isFile ? path : fileOf(path);
  let isFound = false;
  for await (const source of sourcesIn(file, isFile ? absolute : fileOf(absolute), signal)) {
    if (!isFile && !path.startsWith(source.path)) continue;
    const contents = await source.read();
    if ('problem' in contents) {
      isFound = true;
      yield { path: source.path, problem: contents.problem };
      continue;
    }
    const tools = { now: clock.now(), signal };
    for await (const found of recordingsOf(source.path, contents, tools)) {
      if (!isFile && found.path !== path) continue;
      isFound = true;
      yield found;
    }
  }
  const problem = isFile ? 'It holds no recording.' : `${file} holds no such recording.`;
  if (!isFound) yield { path, problem };
}

async function* sourcesIn(path: string, absolute: string, signal: AbortSignal) {
  const isFile = attempt(() => statSync(absolute).isFile()) === true;
  if (!isFile || !isZipName(absolute) || !(await isZipFile(absolute))) {
    yield { path, read: () => readFile(absolute) };
    return;
  }
  const archives = new Archives(signal, loadOs().tmpdir());
  try {
    for await (const member of archives.members(path, absolute)) {
      if ('problem' in member) yield { path: member.path, read: () => member };
      else if (isActivityName(basename(member.path))) {
        yield sendableOf(member);
      }
    }
  } finally {
    await archives.close();
  }
}
