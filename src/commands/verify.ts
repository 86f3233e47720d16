import { basename } from 'node:path';
import type { CommandModule } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { DATE_FORMS, dateFlag } from '../app/flags/date.ts';
import { withLedger } from '../app/ledger.ts';
import { zoneFor, zoneShown } from '../app/zone.ts';
import { ExitCode } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import type { ConfirmedUpload } from '../ledger/uploads.ts';
import type { Activity } from '../fit/activity.ts';
import { localDay } from '../records/days/zone.ts';
import { type ActivityView, activityText } from '../app/words/activities.ts';
import { verifiedJson } from '../app/words/uploads.ts';
import { duration, plural } from '../terminal/words.ts';
import { type Verified, verifyUploads } from '../upload/verify.ts';

interface VerifyFlags {
  readonly since?: string;
}

/** Compares the recordings that the service accepted with the platform's workouts. */
export const verify: CommandModule = {
  declare: (command) =>
    command.option('--since <date>', `recordings from this day on: ${DATE_FORMS}`),
  examples: ['sync verify', 'sync verify --since 7d'],

  async run(context, flags: VerifyFlags) {
    const { clock, output, signal } = context;
    const config = configFor(context);
    const now = clock.now();
    // A range of days needs the athlete's zone; times alone may be shown in UTC.
    const zone =
      flags.since === undefined
        ? await zoneShown(config, context)
        : (await zoneFor(config, context)).name;
    const since =
      flags.since === undefined
        ? undefined
        : await dateFlag('--since', flags.since, () => zone, now);
    return await withLedger(
      context,
      config,
      { connections: 1, offline: false },
      async (connection, { uploads: ledger }) => {
        const activityOf = (upload: ConfirmedUpload): Activity => ({
          ...{ name: undefined, offsetMinutes: undefined, distanceMeters: undefined },
          movingSecs: upload.durationSecs,
          ...ledger.find(upload.sha256)?.activity,
          startedAt: upload.startedAt ?? upload.confirmedAt,
        });
        const uploads = ledger
          .confirmed()
          .filter(
            (upload) => since === undefined || (localDay(activityOf(upload), zone) ?? '') >= since,
          );
        const client = () => connection.client();
        const items = await verifyUploads({ clock, signal }, uploads, client);
        ledger.markVerified(
          items.flatMap(({ outcome, upload }) => (outcome === 'present' ? upload.sha256 : [])),
        );
        const summary = { total: items.length, present: 0, missing: 0, pending: 0 };
        for (const item of items) {
          summary[item.outcome]++;
          output.result(
            verifiedJson(item),
            itemText(item, activityOf(item.upload), { zone, now, aligned: false }),
          );
        }
        output.result({ type: 'summary', ...summary }, summaryText(summary, since));
        if (summary.missing > 0) return ExitCode.refused;
        // The platform may only need more time for a pending one.
        return summary.pending > 0 ? ExitCode.unavailable : ExitCode.ok;
      },
    );
  },
};

/** Returns the text of a recording; undefined if it is a workout. */
function itemText(
  { upload, outcome }: Verified,
  activity: Activity,
  view: ActivityView,
): Text | undefined {
  const path = upload.path;
  const title = activityText(activity, basename(path), view);
  const ago = duration(view.now - upload.confirmedAt);
  switch (outcome) {
    case 'present':
      return undefined;
    case 'pending':
      return phrase`${title}\n  ${path}: not a workout yet. The service received it ${ago} ago; try again an hour after that.`;
    case 'missing':
      return phrase`${title}\n  ${missingText(path, `${ago} ago`)}`;
  }
}

/** @param received when the service received it, such as `3 days ago` */
export function missingText(path: string, received: string): Text {
  return joinTexts(
    [
      `${path}: missing. The service received it ${received} and has no workout of it: it could not`,
      phrase`process the recording, or the workout was deleted. ${sync('upload', '--force', path)} sends it again.`,
    ],
    ' ',
  );
}

/** @param since the first day of the recordings that were compared, if not all were */
function summaryText(
  { total, present, missing, pending }: Record<'total' | Verified['outcome'], number>,
  since: string | undefined,
): string {
  if (total === 0) {
    const which = since === undefined ? '' : ` that was recorded since ${since}`;
    return `No recording to verify: none${which} was uploaded from here.`;
  }
  const parts = [
    [present, present === 1 ? 'is a workout' : 'are workouts'],
    [pending, 'not a workout yet'],
    [missing, 'missing'],
  ] as const;
  const counted = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return `${plural(total, 'recording')}: ${counted.join(', ')}.`;
}
