import { basename } from 'node:path';
import { type CommandModule, dryRun, zoneFlag } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { confirmed } from '../app/confirm.ts';
import type { AppContext } from '../app/context.ts';
import { DATE_FORMS } from '../app/flags/date.ts';
import { type Subject, findSubject } from '../app/flags/subject.ts';
import { withLedger } from '../app/ledger.ts';
import { uploadsOfDays } from '../app/uploads-of-days.ts';
import { activityText } from '../app/words/activities.ts';
import { resendText, undoneJson } from '../app/words/uploads.ts';
import { zoneFor } from '../app/zone.ts';
import { ExitCode, SyncError, worstExitCode } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { requireBaseUrl } from '../config/config.ts';
import type { LedgerUpload } from '../ledger/upload-rows.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import { fileOf } from '../inputs/recording-names.ts';
import { plural } from '../terminal/words.ts';
import { sha256 } from '../system/this-process.ts';
import { recordingsIn } from '../upload/recordings-in.ts';
import { type KeptWorkout, type Removable, takeBack } from '../upload/undo.ts';

interface UndoFlags {
  readonly yes?: boolean;
  readonly tz?: string;
  readonly dryRun?: boolean;
}

export const undoUpload: CommandModule = {
  declare: (command) =>
    command
      .argument('<file|date>', `a recording, or a day: ${DATE_FORMS}`)
      .option('--yes', 'remove without asking')
      .addOption(zoneFlag())
      .addOption(dryRun()),
  examples: ['sync undo upload ride.fit', 'sync undo upload yesterday --yes'],

  async run(context, given: string, flags: UndoFlags) {
    const { output } = context;
    output.summarise();
    const config = configFor(context, { timezone: flags.tz });
    requireBaseUrl(config);
    const { name: zone } = await zoneFor(config, context);
    const subject = findSubject(given, zone, context);
    const offline = flags.dryRun ?? false;
    return await withLedger(context, config, { offline }, async (connection, all) => {
      const { uploads: ledger } = all;
      const outcomes: Undone['outcome'][] = [];
      const report = (upload: LedgerUpload, { outcome, message, ...more }: Undone) => {
        outcomes.push(outcome);
        const text = phrase`${upload.path}: ${message}`;
        output.result(undoneJson(upload, { outcome, message, ...more }), text);
      };
      const sent = new Map<string, LedgerUpload>();
      for (const upload of await sentUploads(subject, zone, ledger, given, context)) {
        const message = phrase`undone before. ${again(upload)}`;
        if (upload.state === 'confirmed' || upload.state === 'undoing')
          sent.set(upload.sha256, upload);
        else if (upload.state === 'undone') report(upload, { outcome: 'skipped', message });
        else if (upload.state === 'pending' && mayBeThere(upload, ledger)) {
          report(upload, { outcome: 'conflict', message: unconfirmedText(upload) });
        }
      }
      if (outcomes.length + sent.size === 0) {
        output.say(
          phrase`${given}: nothing of it was sent from here. If another computer sent it, run ${sync('upload', 'FILE')} first: it recognises what is there.`,
        );
      }
      if (offline) {
        const url = `${connection.url('workouts').href}/ID`;
        const message = `would be undone\n  DELETE ${url} (ID: the workout that the platform lists)`;
        for (const upload of sent.values()) report(upload, { outcome: 'would-undo', message, url });
        return worstExitCode(outcomes.map((outcome) => EXIT_CODES[outcome]));
      }
      const confirm = async (found: readonly Removable[]): Promise<boolean> => {
        showWorkouts(context, found, sent, zone);
        const what =
          found.length === 1 ? 'this workout' : `these ${plural(found.length, 'workout')}`;
        const action = `remove ${what} from the platform`;
        return flags.yes === true || (await confirmed(context, action, 'Nothing was removed'));
      };
      const chosen = ledger.confirmed({ undoing: true }).filter(({ sha256 }) => sent.has(sha256));
      const client = () => connection.client();
      await takeBack(context, chosen, ledger, client, confirm, (item) => {
        const upload = sent.get(item.upload.sha256);
        if (upload === undefined) return;
        if ('obstacle' in item) {
          report(upload, keptText(item));
          return;
        }
        ledger.endUndo(upload.sha256);
        const message = phrase`undone. ${again(upload)}`;
        report(upload, { outcome: 'undone', message, workoutId: item.workoutId });
      });
      if (outcomes.includes('undone')) output.say(OTHERS);
      return worstExitCode(outcomes.map((outcome) => EXIT_CODES[outcome]));
    });
  },
};

/** The outcome of a recording; the message follows its path. `skipped`: it was undone before. */
interface Undone {
  readonly outcome: keyof typeof EXIT_CODES;
  readonly message: Text;
  readonly workoutId?: string;
  readonly url?: string;
}

const EXIT_CODES = {
  undone: ExitCode.ok,
  'would-undo': ExitCode.ok,
  skipped: ExitCode.ok,
  conflict: ExitCode.refused,
  failed: ExitCode.unavailable,
} as const;

const OTHERS =
  'Another computer that has such a recording, and never sent it, still sends it with `sync watch`.';

async function sentUploads(
  subject: Subject,
  zone: string,
  ledger: UploadLedger,
  given: string,
  context: AppContext,
): Promise<LedgerUpload[]> {
  if ('date' in subject) {
    const { date } = subject;
    return uploadsOfDays(ledger, date, date, zone).map(({ upload }) => upload);
  }
  const uploads: LedgerUpload[] = [];
  let fault: SyncError | undefined;
  for await (const found of recordingsIn(given, subject.file, context)) {
    if ('problem' in found) {
      fault ??= new SyncError('INPUT_INVALID', `${found.path}: ${found.problem}`);
      continue;
    }
    const { contents, track } = found;
    const upload = ledger.find(sha256(contents.bytes), track?.digest);
    if (upload !== undefined) uploads.push(upload);
  }
  if (uploads.length === 0 && fault !== undefined) throw fault;
  return uploads;
}

/** Shows the workouts that are to be removed, each with its recording. */
function showWorkouts(
  { clock, output }: AppContext,
  found: readonly Removable[],
  sent: ReadonlyMap<string, LedgerUpload>,
  zone: string,
): void {
  const view = { zone, now: clock.now(), aligned: false };
  for (const { upload, title } of found) {
    const known = sent.get(upload.sha256);
    if (known === undefined) continue;
    const { activity, path } = known;
    const text = activityText({ ...activity, name: title }, basename(path), view);
    output.say(joinTexts([text, `  ${path}`]));
  }
}

function again({ path }: LedgerUpload): Text {
  return resendText(path, '--force', 'sends it again');
}

/** Returns whether a request with a pending recording may have left, also in a process that was killed. */
function mayBeThere({ attempts, sha256 }: LedgerUpload, ledger: UploadLedger): boolean {
  return attempts > 0 || ledger.senderOf(sha256) !== undefined;
}

function unconfirmedText({ path }: LedgerUpload): Text {
  return phrase`not undone. The platform has not confirmed it, and may have it: run ${sync('upload', fileOf(path))}, and then this again.`;
}

function keptText({ obstacle, other }: KeptWorkout): Undone {
  const texts: Record<KeptWorkout['obstacle'], Text> = {
    pending: 'It is not a workout yet: try again in an hour.',
    missing: phrase`No workout there is known to be its own. If ${sync('workouts')} lists it, delete it in the platform.`,
    shared: `Its workout is also that of ${other?.path ?? ''}: delete it in the platform.`,
    'not-offered': 'The platform does not let applications remove workouts: delete it there.',
  };
  const message = phrase`not undone. ${texts[obstacle]}`;
  return { outcome: obstacle === 'pending' ? 'failed' : 'conflict', message };
}
