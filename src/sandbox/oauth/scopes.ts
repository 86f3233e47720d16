/** The scopes of the interface (section 5.2) and of deployed services, as the consent page shows them. */
const DESCRIPTIONS = {
  'profile:read': 'See your profile, weight and FTP',
  'profile:write': 'Change your weight and FTP',
  'workout:read': 'See your workouts',
  'workout:write': 'Upload and manage workouts',
  'health:read': 'See your sleep, HRV and weight',
  'health:write': 'Log your sleep, HRV and weight',
  'nutrition:read': 'See your meals and macros',
  'nutrition:write': 'Log your meals and macros',
  offline_access: 'Stay connected while you are away',
} as const;

export type Scope = keyof typeof DESCRIPTIONS;

export const SCOPES = Object.keys(DESCRIPTIONS) as readonly Scope[];

/** The scopes that only Coach Watts has. */
export const FURTHER_SCOPES: readonly Scope[] = ['health:read', 'nutrition:read', 'offline_access'];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(DESCRIPTIONS, text);
}

/** Returns what a scope allows, for the consent page. */
export function describeScope(scope: string): string {
  return isScope(scope) ? DESCRIPTIONS[scope] : 'A permission that this service does not know';
}

/** Splits a scope string (RFC 6749 section 3.3) into distinct words, in order. */
export function scopeWords(text: string): string[] {
  return [...new Set(text.split(' ').filter((word) => word !== ''))];
}
