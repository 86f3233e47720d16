import { basename, resolve } from 'node:path';
import type { CommandModule } from '../app/command.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { COPY_AGAIN, type Unwhole, checkEnvelope } from '../fit/envelope.ts';
import { isActivity, readFileId } from '../fit/file-id.ts';
import { type Repair, repairRecording } from '../fit/repair.ts';
import { writeNewFile } from '../system/storage.ts';
import { clockTime, duration } from '../terminal/words.ts';
import { readFile } from '../upload/read-recording.ts';
import { REPAIRED, isRecordingName } from '../inputs/recording-names.ts';
import { sha256 } from '../system/this-process.ts';

interface RepairedCopy {
  readonly path: string;
  readonly copy: string;
  readonly fault: Unwhole;
  readonly repair: Repair;
}

export const repair: CommandModule = {
  declare: (command) =>
    command
      .argument('<file>', 'a recording (.fit file) that is not whole')
      .option(
        '--out <file>',
        `the copy, also of a whole recording (default: ride${REPAIRED}, beside one that is not)`,
      ),
  examples: [
    'sync repair ride.fit                       # writes ride.repaired.fit',
    'sync repair /media/ada/GARMIN/Garmin/Activity/ride.fit --out ride.fit',
  ],

  run({ cwd, output }, path: string, { out }: { readonly out?: string }) {
    const contents = readFile(resolve(cwd, path));
    if ('problem' in contents) throw unusable(path, contents.problem);
    const { bytes } = contents;
    const fault = checkEnvelope(bytes);
    const elsewhere = phrase`Name another file: ${sync('repair', path, '--out', 'FILE')}.`;
    const write = (to: string, content: Uint8Array): void => {
      writeNewFile(resolve(cwd, to), content, elsewhere);
    };
    if (fault.state === 'whole') {
      if (out !== undefined) write(out, bytes);
      output.result(
        { type: 'repair', path, outcome: 'whole', copy: out },
        wholeText(path, bytes, out),
      );
      return Promise.resolve(ExitCode.ok);
    }
    const repaired = repairRecording(bytes);
    if (repaired === undefined) {
      const none = fault.state === 'not-fit' ? '' : ' No record can be read.';
      throw unusable(path, `${fault.detail}${none}`);
    }
    const copy = out ?? path.replace(/(?:\.fit)?(?:\.gz)?$/i, REPAIRED);
    write(copy, repaired.bytes);
    const written = { path, copy, fault, repair: repaired };
    output.result(copyJson(written), copyText(written));
    return Promise.resolve(ExitCode.ok);
  },
};

function unusable(path: string, why: string): SyncError {
  return new SyncError('INPUT_INVALID', `${path} cannot be repaired. ${why}`);
}

/** @param copy which a script may read next, written as it is */
function wholeText(path: string, bytes: Uint8Array, copy: string | undefined): Text {
  const next = isActivity(bytes, readFileId(bytes))
    ? phrase`${sync('upload', path)} sends it, if it was never sent.`
    : phrase`${sync('inspect', path)} shows what it holds.`;
  const copied = copy === undefined ? '' : ` ${copy} is an unchanged copy.`;
  return phrase`${path} is whole: there is nothing to repair.${copied} ${next}`;
}

function copyJson({ path, copy, fault, repair }: RepairedCopy): Record<string, unknown> {
  const { bytes, kept, cutBytes, droppedBytes, isDoubtful, lostSecs } = repair;
  return {
    type: 'repair',
    path,
    outcome: 'repaired',
    copy,
    sha256: sha256(bytes),
    size: bytes.length,
    problem: fault.problem,
    detail: fault.detail,
    isDoubtful,
    records: kept.records,
    startTime: kept.from?.toISOString(),
    endTime: kept.to?.toISOString(),
    cutBytes,
    droppedBytes,
    lostSecs,
    hasSession: kept.hasSession,
  };
}

function copyText({ path, copy, fault, repair }: RepairedCopy): Text {
  const { kept, isDoubtful } = repair;
  const { from, to } = kept;
  const time =
    from === undefined || to === undefined
      ? ''
      : ` over ${clockTime((to.getTime() - from.getTime()) / 1000)}`;
  const others = isRecordingName(basename(copy)) ? 'send it, too' : 'leave it out';
  return joinTexts([
    `${path}: ${fault.detail.replace(COPY_AGAIN, '').trimEnd()}`,
    `  Copy     ${copy}; the original is unchanged`,
    `  Kept     ${counted(kept.records, 'record')}${time}`,
    `  Lost     ${lostText(repair)}`,
    ...(isDoubtful ? [`  Values   ${WRONG_VALUES}`] : []),
    ...(kept.hasSession ? [] : [`  Summary  ${NO_SESSION}`]),
    phrase`${sync('upload', copy)} sends the copy. Uploads of its folder, and watchers, ${others}.`,
  ]);
}

/** Time after the last record that is worth a word: less than this is the end of any recording (s). */
const SHORTEST_LOSS_SECS = 30;

function lostText({ cutBytes, droppedBytes, lostSecs }: Repair): string {
  const time =
    lostSecs < SHORTEST_LOSS_SECS ? '' : `, ${duration(lostSecs * 1000)} of the activity`;
  const parts = [
    ...(droppedBytes > 0 ? [`${counted(droppedBytes, 'unreadable byte')} between records`] : []),
    ...(cutBytes > 0 ? [`${counted(cutBytes, 'byte')} behind the last readable record`] : []),
  ];
  return `${parts.join(' and ') || 'nothing that was in the file'}${time}`;
}

function counted(n: number, noun: string): string {
  return `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
}

const WRONG_VALUES =
  'some may be wrong: the damage is not only at the end, and nothing shows where it is';
const NO_SESSION =
  'none (no session message): the device writes it when the activity is saved. The platform may make no workout of the copy';
