import type { Service } from './connection.ts';
import type { ServiceClient } from '../api/client.ts';
import { isObject } from '../base/json.ts';
import type { WireObject } from '../api/wire.ts';
import { SyncError, isAbort } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import { toJson } from '../base/printable.ts';
import { KG_PER_POUND } from '../base/units.ts';

export interface MetricsChange {
  /** kg */
  readonly weight?: number | undefined;
  /** W */
  readonly ftp?: number | undefined;
  /** Send a weight even if the athlete's display unit cannot be read. */
  readonly force: boolean;
  readonly dryRun: boolean;
}

export type ProfileReport =
  | {
      readonly action: 'shown' | 'updated';
      /** Undefined if the service accepted the change with an empty answer. */
      readonly profile: unknown;
      readonly warnings?: readonly string[];
    }
  | { readonly action: 'would-update'; readonly requests: readonly ProfileRequest[] };

export interface ProfileRequest {
  readonly method: 'GET' | 'PATCH';
  readonly url: string;
  readonly body?: WireObject;
  /** The condition for sending this request, if it depends on an earlier answer. */
  readonly when?: string;
}

export function profileRequestLines(requests: readonly ProfileRequest[]): string[] {
  return requests.flatMap(({ method, url, body, when }) => [
    `  ${method} ${url}${when === undefined ? '' : ` (${when})`}`,
    ...(body === undefined ? [] : [`  ${toJson(body)}`]),
  ]);
}

/** The units in which athletes read weights, as services spell them; kg per unit. */
const KG_PER = { Kilograms: 1, Pounds: KG_PER_POUND } as const;
type ProfileUnits = keyof typeof KG_PER;

/** Tolerance between the sent and the stored weight (kg): services round. */
const ROUNDING_KG = 0.5;

/** Plausible weights (kg) and hour powers (W): values outside are typing errors. */
const RANGES = {
  weight: { least: 20, most: 400, unit: 'kg' },
  ftp: { least: 30, most: 700, unit: 'W' },
} as const;

/**
 * Shows the athlete's profile, or updates weight and FTP (interface 4.8; deployed services take a
 * `PATCH` with `weight`, `weightUnits`, `ftp`).
 *
 * @throws SyncError `USAGE` for a value out of range; `SERVICE_ANSWER` if the service does not confirm
 *   the update, or stored another weight; `SCOPE_MISSING` and `REJECTED` if the display unit cannot be
 *   read; the errors of the client.
 */
export async function showOrUpdate(
  { weight, ftp, force, dryRun }: MetricsChange,
  { client: open, url }: Service,
  signal: AbortSignal,
): Promise<ProfileReport> {
  if (weight === undefined && ftp === undefined) {
    const client = await open();
    const { profile, isPart } = await readProfile(client, signal);
    return { action: 'shown', profile, ...(isPart ? { warnings: [PART_ONLY] } : {}) };
  }
  const kg = weight === undefined ? undefined : inRange('weight', weight);
  const others = ftp === undefined ? {} : { ftp: whole(inRange('ftp', ftp)) };
  if (dryRun) return { action: 'would-update', requests: plan(kg, others, url('profile').href) };
  const client = await open();
  if (kg !== undefined) return await updateWeight(kg, others, force, client, signal);
  const answer = await client.updateProfile(others, signal);
  return { action: 'updated', profile: updatedBy(answer, others) };
}

/** Returns all requests that an update may lead to, without asking the service. */
function plan(kg: number | undefined, others: WireObject, url: string): ProfileRequest[] {
  const patch = (body: WireObject, when?: string): ProfileRequest => ({
    method: 'PATCH',
    url,
    body,
    ...(when === undefined ? {} : { when }),
  });
  if (kg === undefined) return [patch(others)];
  return [
    { method: 'GET', url },
    patch({ ...weightIn('Kilograms', kg), ...others }, 'if the athlete reads kilograms'),
    patch({ ...weightIn('Pounds', kg), ...others }, 'if the athlete reads pounds'),
    patch({ weight: kg, ...others }, 'if the profile names no unit'),
    patch({ weight: kg }, 'if the platform then stored pounds as kilograms'),
  ];
}

/**
 * Sends a weight in the athlete's display unit. A service stores the `weightUnits` of an update as the
 * display unit, and reads a weight without it in that unit. Some services ignore units and read every
 * weight as kg. All answer in kg: the answer shows how the service read the weight.
 */
async function updateWeight(
  kg: number,
  others: WireObject,
  force: boolean,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<ProfileReport> {
  const { units, forced } = await displayUnits(client, force, signal);
  const first = units === undefined ? { weight: kg } : weightIn(units, kg);
  const update = async (body: WireObject) => {
    const profile = updatedBy(await client.updateProfile(body, signal), body);
    // If the answer does not show the stored weight, the profile does.
    const open = weightOf(profile) === undefined && units !== 'Kilograms';
    const shown = open ? (await readProfile(client, signal)).profile : profile;
    return { profile: profile ?? shown, stored: weightOf(shown) };
  };
  const { profile, stored } = await update({ ...first, ...others });
  const done = (warning: string, shown: unknown = profile): ProfileReport => ({
    action: 'updated',
    profile: shown,
    warnings: [warning],
  });
  if (stored === undefined || isAbout(stored, kg)) {
    if (!forced) return { action: 'updated', profile };
    return done(unitsNote(profile));
  }
  // Either pounds were stored as kg, or kg without a unit were read as pounds.
  const second =
    units === 'Pounds' && isAbout(stored, first.weight)
      ? { weight: kg }
      : units === undefined && isAbout(stored, kg * KG_PER.Pounds)
        ? { weight: weightIn('Pounds', kg).weight }
        : undefined;
  if (second === undefined) throw storedAnother(stored, kg);
  const corrected = await update(second).catch((error: unknown) => {
    throw error instanceof SyncError ? leftWrong(error, stored) : error;
  });
  if (corrected.stored !== undefined && !isAbout(corrected.stored, kg)) {
    throw storedAnother(corrected.stored, kg);
  }
  const warning =
    units === 'Pounds'
      ? `The platform ignores the unit of a weight: it was sent again, as ${kg} kg.`
      : `The platform takes weights in pounds: it was sent again, as ${second.weight} lb.`;
  return done(warning, corrected.profile);
}

const FORCE_HINT = '`--force` sends the weight, and sets the unit to kilograms.';

const PART_ONLY =
  'The platform shows applications no more of the profile; `--weight` and `--ftp` set it all the same.';

/**
 * Reads the athlete's profile. A platform that shows it to no application takes every weight as kg, and
 * shows a part of it in userinfo.
 */
export async function readProfile(
  client: ServiceClient,
  signal: AbortSignal,
): Promise<{ readonly profile: unknown; readonly isPart: boolean }> {
  const answer = await client.readProfile(signal);
  const isPart = answer === undefined;
  return { profile: isPart ? await client.userinfo(signal) : profileIn(answer), isPart };
}

/**
 * Returns the athlete's display unit for weights; undefined if the profile names none. With `--force`,
 * a unit that cannot be read counts as kilograms.
 */
async function displayUnits(
  client: ServiceClient,
  force: boolean,
  signal: AbortSignal,
): Promise<{ readonly units: ProfileUnits | undefined; readonly forced: boolean }> {
  try {
    const { profile } = await readProfile(client, signal);
    const units = isObject(profile) ? profile['weightUnits'] : undefined;
    const known = units === 'Kilograms' || units === 'Pounds';
    return { units: known ? units : undefined, forced: false };
  } catch (error) {
    const unreadable =
      error instanceof SyncError && (error.code === 'SCOPE_MISSING' || error.code === 'REJECTED');
    if (!unreadable) throw error;
    if (force) return { units: 'Kilograms', forced: true };
    throw error.with({
      message:
        'Nothing was sent: the unit in which the athlete reads weights cannot be read. ' +
        `To send the weight without knowing it would set that unit to kilograms. ${error.message}`,
      hint: error.hint === undefined ? FORCE_HINT : phrase`${error.hint} ${FORCE_HINT}`,
    });
  }
}

/** Says how an update with an unknown unit changed the athlete's display unit. */
function unitsNote(profile: unknown): string {
  const units = isObject(profile) ? profile['weightUnits'] : undefined;
  if (units === undefined || units === 'Kilograms') {
    return "The unit in which the platform's pages show weights is kilograms now.";
  }
  return 'The platform kept the unit in which its pages show weights: it ignores the unit of an update.';
}

function weightIn(units: ProfileUnits, kg: number): { weight: number; weightUnits: ProfileUnits } {
  // Four decimals of a pound are finer than the two decimals of a kg that services keep.
  return { weight: Math.round((kg / KG_PER[units]) * 1e4) / 1e4, weightUnits: units };
}

function weightOf(profile: unknown): number | undefined {
  const weight = isObject(profile) ? profile['weight'] : undefined;
  return typeof weight === 'number' ? weight : undefined;
}

function isAbout(stored: number, meant: number): boolean {
  return Math.abs(stored - meant) <= ROUNDING_KG;
}

function storedAnother(stored: number, kg: number): SyncError {
  return new SyncError(
    'SERVICE_ANSWER',
    `The platform stored a weight of ${stored} kg, not ${kg} kg.`,
    {
      hint: "Correct the weight on the platform's pages.",
      details: { stored, intended: kg },
    },
  );
}

function leftWrong(error: SyncError, stored: number): SyncError {
  return error.with({
    message: `The profile now says ${stored} kg. ${error.message}`,
    hint: 'Run the same command again: it corrects the weight.',
    details: { stored },
  });
}

/** Returns the weight of the athlete's profile (kg); undefined if the platform does not show it. */
export async function storedWeight(
  client: () => Promise<ServiceClient>,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return weightOf((await readProfile(await client(), signal)).profile);
  } catch (error) {
    // The push itself reports a login that ended or a platform that does not answer.
    if (error instanceof SyncError && !isAbort(error)) return undefined;
    throw error;
  }
}

/** Returns the profile in an answer: the answer itself, or its member `profile`. */
function profileIn(answer: unknown): unknown {
  return isObject(answer) ? (answer['profile'] ?? answer) : answer;
}

/**
 * Returns the profile after an update; undefined if the answer does not show it. An update is confirmed
 * by an empty answer, by `success: true`, or by a profile with the changed fields.
 */
function updatedBy(answer: unknown, change: WireObject): unknown {
  if (answer === undefined) return undefined;
  const profile = profileIn(answer);
  const shown = isObject(profile) && Object.keys(change).some((key) => key in profile);
  if (shown) return profile;
  if (isObject(answer) && answer['success'] === true) return undefined;
  throw new SyncError(
    'SERVICE_ANSWER',
    'The platform does not say whether it accepted the update.',
    {
      hint: phrase`Run ${sync('profile')} to see, and check the platform's address: ${sync('config', 'get', 'baseUrl')}.`,
    },
  );
}

function inRange(name: keyof typeof RANGES, value: number): number {
  const { least, most, unit } = RANGES[name];
  if (!(value >= least && value <= most)) {
    throw new SyncError('USAGE', `--${name} ${value}: not between ${least} and ${most} ${unit}.`);
  }
  return value;
}

function whole(watts: number): number {
  if (Number.isInteger(watts)) return watts;
  throw new SyncError('USAGE', `--ftp ${watts}: not a whole number of watts.`);
}
