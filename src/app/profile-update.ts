import type { Service } from './connection.ts';
import type { ServiceClient } from '../api/client.ts';
import { isObject } from '../base/json.ts';
import type { WireObject } from '../api/wire.ts';
import { SyncError, isAbort } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import { toJson } from '../base/printable.ts';
import { KG_PER_POUND } from '../base/units.ts';
import { isFarWeight } from '../records/objections/entries.ts';

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

/** Tolerance between a sent and a stored value (kg, W): services round. */
const ROUNDING = 0.5;

/** The fields that are set, each with its plausible values: others are typing errors. */
export const METRICS = {
  weight: { noun: 'weight', unit: 'kg', least: 20, most: 400 },
  ftp: { noun: 'FTP', unit: 'W', least: 30, most: 700 },
} as const;

/** kg, W */
type Metrics = { readonly [name in keyof typeof METRICS]?: number };

/**
 * Shows the athlete's profile, or updates weight and FTP (interface 4.8; deployed services take a
 * `PATCH` with `weight`, `weightUnits`, `ftp`).
 *
 * @throws SyncError `USAGE` for a value out of range; `SERVICE_ANSWER` if the service stored another value;
 *   `SCOPE_MISSING` and `REJECTED` if the display unit cannot be read; the errors of the client.
 */
export async function showOrUpdate(
  { weight, ftp, force, dryRun }: MetricsChange,
  { client: open, url }: Pick<Service, 'client' | 'url'>,
  signal: AbortSignal,
): Promise<ProfileReport> {
  if (weight === undefined && ftp === undefined) {
    return { action: 'shown', profile: await readProfile(await open(), signal) };
  }
  const kg = weight === undefined ? undefined : inRange('weight', weight);
  const others = ftp === undefined ? {} : { ftp: whole(inRange('ftp', ftp)) };
  if (dryRun) return { action: 'would-update', requests: plan(kg, others, url('profile').href) };
  const client = await open();
  if (kg !== undefined) return await updateWeight(kg, others, force, client, signal);
  return { action: 'updated', profile: await update(others, others, client, signal) };
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
    patch({ weight: kg, ...others }, 'if no profile names a unit'),
  ];
}

/**
 * Sends a weight in the athlete's display unit. A service stores the `weightUnits` of an update as the
 * display unit, and reads a weight without it in that unit. It answers in kg.
 */
async function updateWeight(
  kg: number,
  others: Metrics,
  force: boolean,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<ProfileReport> {
  const { units, before, forced } = await displayUnits(client, force, signal);
  const weight = units === undefined ? { weight: kg } : weightIn(units, kg);
  const meant = { weight: kg, ...others };
  const profile = await update({ ...weight, ...others }, meant, client, signal);
  const warnings = [
    ...(forced ? [UNIT_SET] : []),
    ...(isFarWeight(kg, before)
      ? [`The weight was ${before} kg before: is ${kg} kg right? The option takes kilograms.`]
      : []),
  ];
  return { action: 'updated', profile, ...(warnings.length > 0 ? { warnings } : {}) };
}

const FORCE_HINT = '`--force` sends the weight, and sets the unit to kilograms.';

const UNIT_SET = "The unit in which the platform's pages show weights is kilograms now.";

/** Reads the athlete's profile. @throws SyncError `REJECTED` if the platform shows none */
export async function readProfile(client: ServiceClient, signal: AbortSignal): Promise<unknown> {
  const answer = await client.readProfile(signal);
  if (!isObject(answer) || Object.keys(answer).length === 0)
    throw notOffered('The platform shows applications no profile.');
  return profileIn(answer) ?? answer;
}

/** Sends an update. @returns the profile in the answer @throws SyncError as {@link showOrUpdate} */
async function update(
  change: WireObject,
  meant: Metrics,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<unknown> {
  const answer = await client.updateProfile(change, signal);
  if (answer === undefined)
    throw notOffered('The platform lets no application change the profile.');
  const profile = profileIn(answer);
  for (const name of ['weight', 'ftp'] as const) checkStored(name, metricOf(profile, name), meant);
  return profile;
}

function checkStored(name: keyof Metrics, stored: number | undefined, meant: Metrics): void {
  const { noun, unit } = METRICS[name];
  const intended = meant[name];
  if (stored === undefined || intended === undefined) return;
  if (Math.abs(stored - intended) <= ROUNDING) return;
  const message = `The platform stored ${stored} ${unit} as the ${noun}, not ${intended} ${unit}.`;
  throw new SyncError('SERVICE_ANSWER', message, {
    hint: `Correct the ${noun} on the platform's pages.`,
    details: { stored, intended },
  });
}

function notOffered(message: string): SyncError {
  return new SyncError('REJECTED', message, {
    hint: phrase`Set weight and FTP on its pages. If it has one at another path: ${sync('config', 'set', 'endpoint.profile', 'PATH')}.`,
  });
}

/**
 * Returns the athlete's display unit for weights and the weight (kg), each undefined if the profile does not show it.
 * With `--force`, a unit that cannot be read counts as kilograms.
 */
async function displayUnits(
  client: ServiceClient,
  force: boolean,
  signal: AbortSignal,
): Promise<{ units: ProfileUnits | undefined; before?: number | undefined; forced: boolean }> {
  try {
    const profile = profileIn(await client.readProfile(signal));
    const units = isObject(profile) ? profile['weightUnits'] : undefined;
    const known = units === 'Kilograms' || units === 'Pounds';
    return { units: known ? units : undefined, before: metricOf(profile, 'weight'), forced: false };
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const isHidden = error.code === 'SCOPE_MISSING';
    if (force && (isHidden || error.code === 'REJECTED'))
      return { units: 'Kilograms', forced: true };
    if (!isHidden) throw error;
    throw error.with({
      message:
        'Nothing was sent: the unit in which the athlete reads weights cannot be read. ' +
        `To send the weight without knowing it would set that unit to kilograms. ${error.message}`,
      hint: error.hint === undefined ? FORCE_HINT : phrase`${error.hint} ${FORCE_HINT}`,
    });
  }
}

function weightIn(units: ProfileUnits, kg: number): { weight: number; weightUnits: ProfileUnits } {
  // Four decimals of a pound are finer than the two decimals of a kg that services keep.
  return { weight: Math.round((kg / KG_PER[units]) * 1e4) / 1e4, weightUnits: units };
}

function metricOf(profile: unknown, name: keyof Metrics): number | undefined {
  const value = isObject(profile) ? profile[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}

/** Returns the weight of the athlete's profile (kg); undefined if the platform does not show it. */
export async function storedWeight(
  client: () => Promise<ServiceClient>,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return metricOf(await readProfile(await client(), signal), 'weight');
  } catch (error) {
    // The push itself reports a login that ended or a platform that does not answer.
    if (error instanceof SyncError && !isAbort(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the profile in an answer: its member `profile`, or the answer itself; undefined if it shows none, as any
 * success may.
 */
function profileIn(answer: unknown): unknown {
  if (!isObject(answer)) return undefined;
  const profile = answer['profile'] ?? answer;
  const isShown = isObject(profile) && Object.keys(METRICS).some((key) => key in profile);
  return isShown ? profile : undefined;
}

function inRange(name: keyof typeof METRICS, value: number): number {
  const { least, most, unit } = METRICS[name];
  if (!(value >= least && value <= most)) {
    throw new SyncError('USAGE', `--${name} ${value}: not between ${least} and ${most} ${unit}.`);
  }
  return value;
}

function whole(watts: number): number {
  if (Number.isInteger(watts)) return watts;
  throw new SyncError('USAGE', `--ftp ${watts}: not a whole number of watts.`);
}
