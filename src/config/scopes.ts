/** The scopes of the interface (5.2), and what each of them is for in words a person uses. */
const SCOPES = [
  { scope: 'workout:write', feature: 'uploading recordings', command: 'sync upload' },
  { scope: 'health:write', feature: 'wellness records', command: 'sync push wellness' },
  { scope: 'nutrition:write', feature: 'nutrition records', command: 'sync push nutrition' },
  { scope: 'profile:write', feature: 'updating weight and FTP', command: 'sync profile --weight' },
  { scope: 'profile:read', feature: 'showing the profile', command: 'sync profile' },
  { scope: 'workout:read', feature: 'listing workouts', command: 'sync workouts' },
] as const;

/** What `sync login` asks for unless it is told otherwise: everything that a command needs. */
export const DEFAULT_SCOPES: readonly string[] = SCOPES.map(({ scope }) => scope);

/** Something that a login cannot do, because its scope was not granted. */
export interface MissingFeature {
  readonly scope: string;
  /** In words that complete "will not work: ...". */
  readonly feature: string;
  readonly command: string;
}

/**
 * What will not work with these scopes. A login whose scopes nobody told (tokens from the
 * environment) is believed to have them all, until the service says otherwise.
 */
export function missingFeatures(granted: readonly string[] | undefined): readonly MissingFeature[] {
  if (granted === undefined) return [];
  return SCOPES.filter(({ scope }) => !granted.includes(scope));
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
): string {
  const scopes = [...new Set([...asked, scope])].join(' ');
  const login = `\`sync login --scope "${scopes}"\``;
  return fromEnvironment
    ? `Set a token that has it, or unset SYNC_ACCESS_TOKEN and SYNC_REFRESH_TOKEN and run ${login}.`
    : `Run ${login} and approve it.`;
}
