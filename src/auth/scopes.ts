/** The scopes of the interface (5.2), and what each of them is for in words a person uses. */
export const SCOPES = [
  { scope: 'workout:write', feature: 'uploading recordings', command: 'sync upload' },
  { scope: 'health:write', feature: 'wellness records', command: 'sync push wellness' },
  { scope: 'nutrition:write', feature: 'nutrition records', command: 'sync push nutrition' },
  { scope: 'profile:write', feature: 'updating weight and FTP', command: 'sync profile --weight' },
  { scope: 'profile:read', feature: 'showing the profile', command: 'sync profile' },
  { scope: 'workout:read', feature: 'listing workouts', command: 'sync workouts' },
] as const;

/** What `sync login` asks for unless it is told otherwise: everything that a command needs. */
export const DEFAULT_SCOPES: readonly string[] = SCOPES.map(({ scope }) => scope);
