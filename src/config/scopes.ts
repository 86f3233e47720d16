import { type Text, phrase, sync } from '../base/phrase.ts';

/** The scopes of the interface (5.2), with the feature that each one enables. */
const SCOPES = [
  { scope: 'workout:write', feature: 'uploading recordings', command: 'sync upload' },
  { scope: 'health:write', feature: 'wellness records', command: 'sync push wellness' },
  { scope: 'nutrition:write', feature: 'nutrition records', command: 'sync push nutrition' },
  { scope: 'profile:write', feature: 'updating weight and FTP', command: 'sync profile --weight' },
  { scope: 'profile:read', feature: 'showing the profile', command: 'sync profile' },
  { scope: 'workout:read', feature: 'listing workouts', command: 'sync workouts' },
] as const;

/** Scopes that only some platforms offer: their features count if a login asks for them. */
const OFFERED = [
  { scope: 'nutrition:read', feature: 'keeping edits of a day', command: 'sync push nutrition' },
] as const;

/** Why a login at Coach Watts asks for a scope that the interface does not have. */
export const NUTRITION_READ =
  'nutrition:read shows what a day holds, so that nothing is there twice';

/** Default scopes of `sync login`: all that the commands need. */
export const DEFAULT_SCOPES: readonly string[] = SCOPES.map(({ scope }) => scope);

/** A feature that a login lacks, because its scope was not granted. */
export type MissingFeature = (typeof SCOPES | typeof OFFERED)[number];

/**
 * Returns the features that these scopes lack. If the scopes are unknown (tokens from the environment),
 * it assumes all of them until the service refuses a request.
 */
export function missingFeatures(
  granted: readonly string[] | undefined,
  asked: readonly string[] = [],
): readonly MissingFeature[] {
  if (granted === undefined) return [];
  const offered = OFFERED.filter(({ scope }) => asked.includes(scope));
  return [...SCOPES, ...offered].filter(({ scope }) => !granted.includes(scope));
}

/**
 * Returns the hint for a scope that a login lacks: the command that asks for it, and for all scopes that
 * logins of this profile ask for.
 */
export function missingScopeHint(
  scope: string,
  {
    asked,
    fromEnvironment,
  }: { readonly asked: readonly string[]; readonly fromEnvironment: boolean },
): Text {
  const scopes = [...new Set([...asked, scope])].join(' ');
  const login = sync('login', '--scope', scopes);
  return fromEnvironment
    ? phrase`Set a token that has it, or unset SYNC_ACCESS_TOKEN and SYNC_REFRESH_TOKEN and run ${login}.`
    : phrase`Run ${login} and approve it.`;
}
