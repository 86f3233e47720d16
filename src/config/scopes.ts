interface Feature {
  readonly feature: string;
  readonly command: string;
}

/** The scopes of the interface (5.2), with the feature that each one enables. */
const SCOPES: Readonly<Record<string, Feature>> = {
  'workout:write': { feature: 'uploading recordings', command: 'sync upload' },
  'health:write': { feature: 'wellness records', command: 'sync push wellness' },
  'nutrition:write': { feature: 'nutrition records', command: 'sync push nutrition' },
  'profile:write': { feature: 'updating weight and FTP', command: 'sync profile --weight' },
  'profile:read': { feature: 'showing the profile', command: 'sync profile' },
  'workout:read': { feature: 'listing workouts', command: 'sync workouts' },
};

/** Scopes that only some platforms offer: their features count if a login asks for them. */
const OFFERED: typeof SCOPES = {
  'nutrition:read': { feature: 'keeping edits of a day', command: 'sync push nutrition' },
};

/** Why a login at Coach Watts asks for a scope that the interface does not have. */
export const NUTRITION_READ =
  'nutrition:read shows what a day holds, so that nothing is there twice';

/** Default scopes of `sync login`: all that the commands need. */
export const DEFAULT_SCOPES: readonly string[] = Object.keys(SCOPES);

/** A feature that a login lacks, because its scope was not granted. */
export interface MissingFeature extends Feature {
  readonly scope: string;
}

/**
 * Returns the features that these scopes lack. If the scopes are unknown (tokens from the environment),
 * it assumes all of them until the service refuses a request.
 */
export function missingFeatures(
  granted: readonly string[] | undefined,
  asked: readonly string[] = [],
): readonly MissingFeature[] {
  if (granted === undefined) return [];
  const offered = Object.entries(OFFERED).filter(([scope]) => asked.includes(scope));
  return [...Object.entries(SCOPES), ...offered]
    .filter(([scope]) => !granted.includes(scope))
    .map(([scope, feature]) => ({ scope, ...feature }));
}
