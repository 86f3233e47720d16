import { SyncError } from '../errors.ts';
import type { ServiceClient } from '../service/client.ts';
import { type JsonObject, isObject } from '../service/wire.ts';

export interface ProfileOptions {
  /** kg */
  readonly weight?: number | undefined;
  /** W */
  readonly ftp?: number | undefined;
  readonly dryRun: boolean;
}

export interface ProfileNeeds {
  readonly client: () => Promise<ServiceClient>;
  readonly profileUrl: () => URL;
  readonly signal: AbortSignal;
}

export type ProfileReport =
  | { readonly action: 'shown'; readonly profile: unknown }
  /** The profile is undefined where the service took the change without a word. */
  | { readonly action: 'updated'; readonly profile: unknown }
  | {
      readonly action: 'would-update';
      readonly request: {
        readonly method: 'PATCH';
        readonly url: string;
        readonly body: JsonObject;
      };
    };

/** What a person can weigh (kg) and ride for an hour (W); a typing error is outside. */
const RANGES = {
  weight: { least: 20, most: 400, unit: 'kg' },
  ftp: { least: 30, most: 700, unit: 'W' },
} as const;

/**
 * Shows the athlete's profile, or updates weight and FTP (interface 4.8, whose endpoint and payload
 * are what deployed services do: `PATCH` with `weight`, `weightUnits`, `ftp`).
 *
 * @throws SyncError `USAGE` for a value out of range; `SERVICE_ANSWER` where the service does not say that
 *   it took the update; whatever the client throws.
 */
export async function runProfile(
  { weight, ftp, dryRun }: ProfileOptions,
  needs: ProfileNeeds,
): Promise<ProfileReport> {
  if (weight === undefined && ftp === undefined) {
    const client = await needs.client();
    return { action: 'shown', profile: profileIn(await client.readProfile(needs.signal)) };
  }
  const body = {
    // Without its unit, a weight is taken in the unit that the athlete's own display has.
    ...(weight === undefined
      ? {}
      : { weight: inRange('weight', weight), weightUnits: 'Kilograms' }),
    ...(ftp === undefined ? {} : { ftp: whole(inRange('ftp', ftp)) }),
  };
  if (dryRun) {
    const request = { method: 'PATCH', url: needs.profileUrl().href, body } as const;
    return { action: 'would-update', request };
  }
  const client = await needs.client();
  const answer = await client.updateProfile(body, needs.signal);
  return { action: 'updated', profile: updatedBy(answer, body) };
}

/** The profile itself: some services answer with it, others with `{"profile": {...}}`. */
function profileIn(answer: unknown): unknown {
  return isObject(answer) ? (answer['profile'] ?? answer) : answer;
}

/**
 * What the profile says after an update. Taken is what the answer calls a success, or what it shows
 * with the fields that were changed; a service may also take it without a word.
 */
function updatedBy(answer: unknown, change: JsonObject): unknown {
  if (answer === undefined) return undefined;
  const profile = profileIn(answer);
  const shown = isObject(profile) && Object.keys(change).some((key) => key in profile);
  if (shown) return profile;
  if (isObject(answer) && answer['success'] === true) return undefined;
  throw new SyncError('SERVICE_ANSWER', 'The service does not say whether it took the update.', {
    hint: 'Look with `sync profile`, and check the base URL: `sync config get baseUrl`.',
  });
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
