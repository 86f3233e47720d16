/** The scopes of the interface (section 5.2) and those that deployed services add, in plain words. */
const SCOPE_WORDS = {
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

export type Scope = keyof typeof SCOPE_WORDS;

export const SCOPES = Object.keys(SCOPE_WORDS) as readonly Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPE_WORDS, text);
}

/** What granting this scope allows, as the consent page says it. */
export function inWords(scope: string): string {
  return isScope(scope) ? SCOPE_WORDS[scope] : 'Something that this service does not know';
}

/** The words of a space-separated scope string (RFC 6749 section 3.3), each once, in order. */
export function scopeWords(text: string): string[] {
  return [...new Set(text.split(' ').filter((word) => word !== ''))];
}

/** The scopes in a granted string that the sandbox knows: others open nothing. */
export function knownScopes(text: string): Scope[] {
  return scopeWords(text).filter(isScope);
}
