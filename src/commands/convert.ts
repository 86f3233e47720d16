import { resolve } from 'node:path';
import type { CommandModule } from '../app/command.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { isoTime } from '../base/time.ts';
import { describeActivity } from '../fit/activity.ts';
import { readContents } from '../fit/contents.ts';
import { readSummary } from '../fit/summary.ts';
import { writeNewFile } from '../system/storage.ts';
import { sha256 } from '../system/this-process.ts';
import { clockTime, distance, duration, plural } from '../terminal/words.ts';
import { CHANNEL_WORDS } from '../tracks/convert.ts';
import { trackKind } from '../tracks/kind.ts';
import { readFile } from '../upload/read-recording.ts';
import { type FoundRecording, recordingsOf } from '../upload/recordings-of.ts';

/** Shows the FIT recordings that a GPX or TCX file becomes. */
export const convert: CommandModule = {
  declare: (command) =>
    command
      .argument('<file>', 'a GPX or TCX file (.gpx, .tcx, .gpx.gz, .tcx.gz)')
      .option('--out <file>', 'write the FIT recording here (the second one to FILE-2.fit)'),
  examples: [
    'sync convert ride.gpx                 # shows what would be sent',
    'sync convert ride.gpx --out ride.fit',
  ],

  async run({ clock, cwd, output, signal }, path: string, { out }: { readonly out?: string }) {
    const file = readFile(resolve(cwd, path));
    if ('problem' in file) throw unusable(path, file.problem);
    if (trackKind(file.bytes) === undefined) throw unusable(path, 'It is no GPX or TCX file.');
    let written = 0;
    let exitCode: ExitCode = ExitCode.ok;
    for await (const found of recordingsOf(path, file, { now: clock.now(), signal })) {
      if ('problem' in found) {
        exitCode = ExitCode.invalidInput;
        const why = `${found.path}: not converted. ${found.problem}`;
        output.result({ type: 'convert', ...found, outcome: 'invalid' }, why);
        continue;
      }
      const copy = out === undefined ? undefined : numbered(out, ++written);
      if (copy !== undefined) {
        const elsewhere = phrase`Name another file: ${sync('convert', path, '--out', 'FILE')}.`;
        writeNewFile(resolve(cwd, copy), found.contents.bytes, elsewhere);
      }
      const facts = factsOf(found, copy);
      output.result(convertedJson(facts), convertedText(facts));
    }
    return exitCode;
  },
};

function unusable(path: string, why: string): SyncError {
  return new SyncError('INPUT_INVALID', `${path} cannot be converted. ${why}`);
}

function numbered(out: string, number: number): string {
  return number === 1 ? out : out.replace(/(?:\.fit)?$/i, `-${number}.fit`);
}

function factsOf({ path, contents: { bytes }, track }: FoundRecording, copy: string | undefined) {
  const summary = readSummary(bytes);
  const { records, laps } = readContents(bytes);
  return { path, bytes, track, copy, summary, records, laps };
}

type Facts = ReturnType<typeof factsOf>;

function convertedJson({ path, bytes, track, copy, summary, records, laps }: Facts) {
  const { startTime, elapsedSecs, timerSecs, distanceMetres } = summary;
  return {
    type: 'convert',
    path,
    outcome: 'converted',
    copy,
    sha256: sha256(bytes),
    size: bytes.length,
    digest: track?.digest,
    name: track?.name,
    startTime: startTime?.toISOString(),
    elapsedSecs,
    timerSecs,
    distanceMeters: distanceMetres,
    records,
    laps,
    gaps: track?.gaps.map(({ channel, secs }) => ({ channel: CHANNEL_WORDS[channel], secs })),
    notes: track?.notes,
  };
}

function convertedText({ path, track, copy, summary, records, laps }: Facts): Text {
  const { name, startedAt, movingSecs = 0, distanceMeters } = describeActivity(summary);
  const gaps = (track?.gaps ?? []).map(
    ({ channel, secs }) => `${CHANNEL_WORDS[channel]} (${duration(secs * 1000)})`,
  );
  const figures = [
    startedAt === undefined ? '' : isoTime(startedAt, undefined),
    clockTime(movingSecs),
    ...(distanceMeters ? [distance(distanceMeters)] : []),
    plural(records, 'record'),
    plural(laps, 'lap'),
  ];
  const file = path.replace(/#\d+$/, '');
  return joinTexts([
    `${path}: ${track?.name ?? name ?? 'an activity without a sport'}`,
    `  ${figures.join('   ')}`,
    ...(gaps.length === 0 ? [] : [`  Without values for a time: ${gaps.join(', ')}.`]),
    ...(track?.notes ?? []).map((note) => `  ${note}`),
    copy === undefined
      ? phrase`  ${sync('convert', file, '--out', 'FILE')} writes the FIT recording.`
      : `  Written to ${copy}.`,
  ]);
}
