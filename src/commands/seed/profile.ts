import type { Service } from '../../app/connection.ts';
import { isObject } from '../../base/json.ts';
import {
  METRICS,
  type ProfileRequest,
  readProfile,
  showOrUpdate,
} from '../../app/profile-update.ts';
import { type ErrorCode, type Failure, SyncError, endsRun, failureOf } from '../../base/errors.ts';
import type { SyntheticProfile } from '../../seed/synthesize.ts';

type ProfileField = keyof typeof METRICS;
const FIELDS = ['weight', 'ftp'] as const satisfies readonly ProfileField[];

export type UnsetField = Failure & { readonly field: ProfileField };

export type ProfileItem = SyntheticProfile &
  (
    | {
        /** `updated`: the service took what differed. `incomplete`: not all of it. */
        readonly outcome: 'updated' | 'unchanged' | 'incomplete';
        /** What the profile said before; null is empty. Undefined if it could not be read. */
        readonly before: Readonly<Partial<Record<ProfileField, number | null>>> | undefined;
        readonly set: readonly ProfileField[];
        readonly unset: readonly UnsetField[];
      }
    | { readonly outcome: 'would-update'; readonly requests: readonly ProfileRequest[] }
  );

/** Difference of weights that counts as none (kg): services round, and convert from pounds. */
const ROUNDING_KG = 0.05;

/**
 * Sets an account's weight and FTP, so that its training load makes sense. Sends only a field that
 * differs from the profile, each in its own request: a service may refuse one of them.
 *
 * @throws SyncError `STORAGE`, `INTERRUPTED`
 */
export async function fillProfile(
  wanted: SyntheticProfile,
  service: Service,
  { signal, dryRun }: { readonly signal: AbortSignal; readonly dryRun: boolean },
): Promise<ProfileItem> {
  const { weight, ftp } = wanted;
  const update = (field: ProfileField) =>
    showOrUpdate({ [field]: wanted[field], force: false, dryRun }, service, signal);
  if (dryRun) {
    const reports = [await update('weight'), await update('ftp')];
    const requests = reports.flatMap((report) => ('requests' in report ? report.requests : []));
    return { weight, ftp, outcome: 'would-update', requests };
  }
  const set: ProfileField[] = [];
  const unset: UnsetField[] = [];
  const read = async () => await readProfile(await service.client(), signal);
  let before: unknown;
  try {
    before = await read();
  } catch (error) {
    // Without the profile, each run would send it again.
    const failure = failureToSet(error);
    unset.push(...FIELDS.map((field) => ({ field, ...failure })));
    return { weight, ftp, outcome: 'incomplete', before: undefined, set, unset };
  }
  for (const field of FIELDS.filter((each) => !holds(before, each, wanted))) {
    try {
      const report = await update(field);
      const shown = 'profile' in report ? report.profile : undefined;
      if (!holds(shown ?? (await read()), field, wanted)) {
        throw new SyncError(
          'SERVICE_ANSWER',
          `The platform accepted the update, but its profile does not show the ${METRICS[field].noun}.`,
        );
      }
      set.push(field);
    } catch (error) {
      unset.push({ field, ...failureToSet(error) });
    }
  }
  const outcome = unset.length > 0 ? 'incomplete' : set.length > 0 ? 'updated' : 'unchanged';
  return { weight, ftp, outcome, before: fieldsIn(before), set, unset };
}

/** Failures that another run would meet again, although the data are complete: they do not fail the run. */
const EXPECTED: readonly ErrorCode[] = ['SCOPE_MISSING', 'REJECTED', 'SERVICE_ANSWER'];

/** Checks that a field was not set because the service or the login does not allow it. */
export function isExpected({ code }: UnsetField): boolean {
  return EXPECTED.includes(code);
}

/** Returns the fields that could not be set now, but perhaps later. */
export function failedFields(item: ProfileItem): readonly UnsetField[] {
  return 'unset' in item ? item.unset.filter((field) => !isExpected(field)) : [];
}

function fieldsIn(profile: unknown): Partial<Record<ProfileField, number | null>> {
  const fields: Partial<Record<ProfileField, number | null>> = {};
  for (const field of FIELDS) {
    const value = isObject(profile) ? profile[field] : undefined;
    if (typeof value === 'number' || value === null) fields[field] = value;
  }
  return fields;
}

function holds(profile: unknown, field: ProfileField, wanted: SyntheticProfile): boolean {
  const value = fieldsIn(profile)[field];
  if (typeof value !== 'number') return false;
  return Math.abs(value - wanted[field]) <= (field === 'weight' ? ROUNDING_KG : 0);
}

/** Returns why a field was not set. @throws the error, if it ends the run */
function failureToSet(error: unknown): Failure {
  if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
  return failureOf(error);
}
