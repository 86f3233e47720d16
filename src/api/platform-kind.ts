import { parseObject } from '../base/json.ts';
import type { PlatformKind } from '../config/settings.ts';
import type { HttpResponse } from './http.ts';

/**
 * Requests to the items of a nutrition day that change nothing, and the status with which Coach Watts refuses them:
 * for their form, and since the day has no row.
 */
export const PROBES = [
  { body: {}, status: 400 },
  { date: '1970-01-01', body: { action: 'delete', mealType: 'lunch' }, status: 404 },
] as const;

export type Probe = (typeof PROBES)[number];

/**
 * Returns the kind of a platform by its answers to {@link PROBES}: only the two refusals of Coach Watts mean Coach
 * Watts.
 *
 * @returns undefined if the next probe has to tell
 */
export function probedKind(
  probed: readonly Pick<HttpResponse, 'status' | 'text'>[],
): PlatformKind | undefined {
  if (probed.some((response, at) => !isRefusal(response, PROBES[at]))) return 'interface';
  return probed.length < PROBES.length ? undefined : 'coach-watts';
}

function isRefusal(
  response: Pick<HttpResponse, 'status' | 'text'>,
  probe: Probe | undefined,
): boolean {
  return response.status === probe?.status && isOfCoachWatts(response);
}

/** Statuses with which a platform answers a good token if it has no such route. */
export const NO_ROUTE: readonly number[] = [401, 404, 405, 501];

/** Returns whether a refusal has the form of Coach Watts. */
export function isOfCoachWatts({ text }: Pick<HttpResponse, 'text'>): boolean {
  const body = parseObject(text);
  return body?.['error'] === true && 'statusCode' in body && 'url' in body;
}
