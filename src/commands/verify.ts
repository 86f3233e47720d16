import { basename } from 'node:path';
import { type CommandModule, zoneFlag } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { DATE_FORMS, rangeFlags } from '../app/flags/date.ts';
import { withLedger } from '../app/ledger.ts';
import { ExitCode } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import { KINDS } from '../ledger/records.ts';
import type { ConfirmedUpload } from '../ledger/upload-rows.ts';
import { onlyAccepts } from '../config/platforms.ts';
import type { Activity } from '../fit/activity.ts';
import { localDay } from '../records/days/zone.ts';
import { type ActivityView, activityText } from '../app/words/activities.ts';
import { resendText, verifiedJson } from '../app/words/uploads.ts';
import { type VerifiedDay, verifyDays } from '../records/verify-days.ts';
import { ago, clockTime, distance, plural } from '../terminal/words.ts';
import { type Verified, verifyUploads } from '../upload/verify.ts';

interface VerifyFlags {
  readonly since?: string;
  readonly days?: boolean;
  readonly tz?: string;
}

/** Compares the recordings that the service accepted with the platform's workouts, and the days with its days. */
export const verify: CommandModule = {
  declare: (command) =>
    command
      .option('--since <date>', `recordings from this day on: ${DATE_FORMS}`)
      .addOption(zoneFlag())
      .option('--days', 'also compare wellness and nutrition, with health:read and nutrition:read'),
  examples: ['sync verify', 'sync verify --since 7d', 'sync verify --days'],

  async run(context, flags: VerifyFlags) {
    const { clock, output, signal } = context;
    output.summarise();
    const { days: withDays = false } = flags;
    const config = configFor(context, { timezone: flags.tz });
    const now = clock.now();
    const { zone, since } = await rangeFlags(context, config, flags);
    return await withLedger(
      context,
      config,
      { offline: false },
      async (connection, { uploads: ledger, records }) => {
        // Without a login, the ledger's part for it is empty.
        await connection.client();
        const activityOf = (upload: ConfirmedUpload): Activity => ({
          name: undefined,
          offsetMinutes: undefined,
          distanceMeters: undefined,
          movingSecs: upload.durationSecs,
          ...ledger.find(upload.sha256)?.activity,
          startedAt: upload.startedAt,
        });
        const uploads = ledger.confirmed().filter((upload) => {
          // Without a time of its own, a recording counts for the day of its upload.
          const startedAt = upload.startedAt ?? upload.confirmedAt;
          const dated = { ...activityOf(upload), startedAt };
          return since === undefined || (localDay(dated, zone) ?? '') >= since;
        });
        const client = () => connection.client();
        const { items } = await verifyUploads({ clock, signal }, uploads, client, ledger.platform);
        ledger.markVerified(
          items.flatMap(({ outcome, upload }) => (outcome === 'present' ? upload : [])),
        );
        const summary = { total: items.length, present: 0, missing: 0, pending: 0, notKnown: 0 };
        const accepted = onlyAccepts('uploadFit', ledger.platform);
        const view = { zone, now, aligned: false };
        for (const item of items) {
          summary[item.outcome]++;
          const text = itemText(item, activityOf(item.upload), view, accepted);
          output.result(verifiedJson(item, accepted), text);
        }
        const shortened = items.filter((item) => item.shortened !== undefined).length;
        const { undone, undoing } = ledger.counts();
        output.text(summaryText(summary, shortened, since, undone + undoing > 0));
        const days: VerifiedDay[] = [];
        for (const kind of withDays ? KINDS : []) {
          const checked = await verifyDays(kind, since ?? '0001-01-01', records, client, signal);
          for (const day of checked) output.result({ type: 'verify-day', ...day }, dayText(day));
          days.push(...checked);
        }
        if (output.json) output.result({ type: 'summary', ...summary });
        else if (withDays) output.text(daysText(days));
        const isMissing = summary.missing > 0 || days.some(({ outcome }) => outcome === 'missing');
        if (isMissing) return ExitCode.refused;
        // The platform may only need more time for a pending one.
        return summary.pending + summary.notKnown > 0 ? ExitCode.unavailable : ExitCode.ok;
      },
    );
  },
};

function itemText(
  { upload, outcome, shortened }: Verified,
  activity: Activity,
  view: ActivityView,
  accepted: boolean,
): Text | undefined {
  const path = upload.path;
  const title = activityText(activity, basename(path), view);
  const took = `${accepted ? 'accepted' : 'received'} it ${ago(view.now - upload.confirmedAt)}`;
  switch (outcome) {
    case 'present': {
      if (shortened === undefined) return undefined;
      const { durationSecs, distanceMeters, isLeg } = shortened;
      const size = [
        ...(durationSecs === undefined ? [] : [clockTime(durationSecs)]),
        ...(distanceMeters === undefined ? [] : [distance(distanceMeters)]),
      ].join(', ');
      const why = isLeg ? ' The platform keeps one activity of a recording with several.' : '';
      return `${title}\n  ${path}: the workout is shorter: ${size}.${why}`;
    }
    case 'pending':
      return phrase`${title}\n  ${path}: not a workout yet. The platform ${took}; try again an hour after that.`;
    case 'notKnown':
      return phrase`${title}\n  ${path}: not known whether it is a workout. The platform ${took}, and may not list it.`;
    case 'missing':
      return phrase`${title}\n  ${missingText(path, took)}`;
  }
}

/** @param took when the service took it, such as `received it 3 days ago` */
export function missingText(path: string, took: string): Text {
  return phrase`${path}: missing. The platform ${took} and has no workout of it: it could not process the recording, or the workout was deleted. ${resendText(path, '--force', 'sends it again')}`;
}

/** Returns the text of a day; undefined if there is nothing to do about it. */
function dayText({ kind, date, outcome, differs }: VerifiedDay): Text | undefined {
  switch (outcome) {
    case 'present':
    case 'unseen':
      return undefined;
    case 'changed':
      return `${kind} of ${date}: the platform holds something else: ${differs.join('; ')}.`;
    case 'missing':
      return phrase`${kind} of ${date}: missing. ${sync('push', kind, '--force')} with its file sends it again.`;
  }
}

function daysText(days: readonly VerifiedDay[]): string {
  const unseen = 'not compared, because the platform does not show them to applications';
  const words = { present: 'as sent', changed: 'changed', missing: 'missing', unseen };
  const counted = Object.entries(words).flatMap(([outcome, word]) => {
    const count = days.filter((day) => day.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  return days.length === 0
    ? 'No day to verify was sent from here.'
    : `${plural(days.length, 'day')}: ${counted.join(', ')}.`;
}

/**
 * @param shortened how many workouts are shorter than their recording
 * @param since the first day of the recordings that were compared, if not all were
 * @param hasUndone recordings were uploaded and undone
 */
function summaryText(
  { total, present, missing, pending, notKnown }: Record<'total' | Verified['outcome'], number>,
  shortened: number,
  since: string | undefined,
  hasUndone: boolean,
): string {
  if (total === 0) {
    const which = since === undefined ? '' : ` that was recorded since ${since}`;
    return `No recording to verify: none${which} was uploaded from here${hasUndone ? ', except undone ones' : ''}.`;
  }
  const parts = [
    [
      present,
      `${present === 1 ? 'is a workout' : 'are workouts'}${shortened === 0 ? '' : ` (${shortened} shorter than recorded)`}`,
    ],
    [pending, 'not a workout yet'],
    [missing, 'missing'],
    [notKnown, 'not known'],
  ] as const;
  const counted = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return `${plural(total, 'recording')}: ${counted.join(', ')}.`;
}
