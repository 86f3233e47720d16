import { withIsoTimes } from '../../base/time.ts';
import type { LedgerUpload } from '../../ledger/upload-rows.ts';
import type { StatusReport } from './read.ts';
import { activityJson } from '../../app/words/activities.ts';
import type { ZoneFacts } from '../../app/zone-facts.ts';

/** Returns the line of `--json`. Times are ISO 8601 in UTC. */
export function statusJson({
  ledger,
  login,
  zone,
  watchedLast,
  ...report
}: StatusReport): Record<string, unknown> {
  const { problem, uploads, accepted, lastUploadAt, recent, days, waiting } = ledger;
  return {
    type: 'status',
    ...report,
    login: withIsoTimes(login, 'accessExpiresAt', 'refreshExpiresAt'),
    zone: zoneJson(zone),
    ...(watchedLast === undefined ? {} : { watchedLast: withIsoTimes(watchedLast, 'until') }),
    ...(problem === undefined ? {} : { ledger: problem }),
    uploads,
    ...(accepted ? { accepted } : {}),
    ...withIsoTimes({ lastUploadAt }, 'lastUploadAt'),
    recent: recent.map(({ changedAt, ...upload }) =>
      withIsoTimes({ ...recordingJson(upload), uploadedAt: changedAt }, 'uploadedAt'),
    ),
    days,
    waiting: {
      ...waiting,
      recordings: waiting.recordings.map(({ state, changedAt, message, ...upload }) =>
        withIsoTimes({ ...recordingJson(upload), state, changedAt, message }, 'changedAt'),
      ),
    },
  };
}

function zoneJson({ days, problem, ...rest }: ZoneFacts): Record<string, unknown> {
  return {
    name: days.name,
    ...(problem === undefined ? { from: days.from } : { problem }),
    ...rest,
  };
}

function recordingJson({
  path,
  sha256,
  activity,
}: Pick<LedgerUpload, 'path' | 'sha256' | 'activity'>): Record<string, unknown> {
  return { path, sha256, activity: activityJson(activity) };
}
