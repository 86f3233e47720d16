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

/** Facts about a platform. */
export interface KnownPlatform {
  /** By the setting `platform.kind`, else by the table of platforms. */
  readonly stated: PlatformKind | undefined;
  /** An answer has shown a nutrition day in four meal lists, in this run or before. */
  readonly showedMeals: boolean;
  /** An answer showed that it adds to days; before, it seemed to replace them. */
  readonly adds: boolean;
  /** A success has shown no such day, although the probes had said Coach Watts. */
  readonly lackedMeals: boolean;
  /** The answers to {@link PROBES} in this run. */
  readonly probed: readonly Pick<HttpResponse, 'status' | 'text'>[];
}

/**
 * Returns the kind of a platform. Four meal lists prove Coach Watts, against all other facts, and a platform that adds
 * to days is treated like it. Without any fact, only the two refusals of Coach Watts mean Coach Watts.
 *
 * @returns undefined if the next probe has to tell
 */
export function kindOf({
  stated,
  showedMeals,
  adds,
  lackedMeals,
  probed,
}: KnownPlatform): PlatformKind | undefined {
  if (showedMeals || adds) return 'coach-watts';
  if (stated !== undefined) return stated;
  if (lackedMeals) return 'interface';
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
