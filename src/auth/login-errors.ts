import { SyncError } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import { type Config, DEFAULT_PROFILE, hasEnvironmentTokens, knownText } from '../config/config.ts';
import { askedScopes } from '../config/platforms.ts';
import type { SessionStore } from '../credentials/store.ts';

/**
 * Returns the error for a profile without a login.
 *
 * @param profiles that the configuration knows: a misspelled one is named as such
 * @param hint what to do about it
 */
export function notLoggedIn(profile: string, profiles: readonly string[], hint: Text): SyncError {
  if (profile === DEFAULT_PROFILE || profiles.includes(profile)) {
    return new SyncError('AUTH_REQUIRED', `Not logged in (profile "${profile}").`, { hint });
  }
  return new SyncError('AUTH_REQUIRED', `Not logged in: there is no profile "${profile}".`, {
    hint: phrase`${knownText(profiles)}${sync('login', '--profile', profile)} creates it.`,
  });
}

/** Returns how to get a login. @param attended whether a person reads it, who needs no advice for CI */
export function loginHint(attended: boolean): Text {
  const inCi = attended ? '' : ' In CI, set SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN.';
  return phrase`Run ${sync('login')}.${inCi}`;
}

/**
 * Returns the hint for a scope that a login lacks: the command that asks for it, and for all scopes that
 * logins of this profile ask for.
 */
export function missingScopeHint(scope: string, config: Config): Text {
  const scopes = [...new Set([...askedScopes(config), scope])].join(' ');
  const login = sync('login', '--scope', scopes);
  return hasEnvironmentTokens(config)
    ? phrase`Set a token that has it, or unset SYNC_ACCESS_TOKEN and SYNC_REFRESH_TOKEN and run ${login}.`
    : phrase`Run ${login} and approve it.`;
}

/**
 * Returns the error for a login that ended earlier: the service ended it, or a logout was interrupted.
 *
 * @param at when this machine learned it; ms since 1970
 */
export function endedAt(at: number): SyncError {
  const day = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return new SyncError('AUTH_EXPIRED', `This login has ended (seen ${day} UTC).`, {
    hint: phrase`Run ${sync('login')}.`,
  });
}

/**
 * Returns the error for tokens that the service no longer accepts.
 *
 * @param cause the refusal of the token endpoint, if there was one
 */
export function loginEnded(store: SessionStore, cause?: SyncError): SyncError {
  if (store.kind !== 'environment') {
    return new SyncError('AUTH_EXPIRED', 'The login has ended.', {
      hint: phrase`Run ${sync('login')}.`,
    });
  }
  const description = cause?.details['description'];
  const because = typeof description === 'string' ? ` (${description})` : '';
  return new SyncError(
    'AUTH_EXPIRED',
    `The platform no longer accepts the token from ${store.describe()}${because}.`,
    {
      hint:
        cause === undefined
          ? 'Set a new token; tokens from the environment are not refreshed.'
          : 'Set a new SYNC_REFRESH_TOKEN, and as SYNC_CLIENT_ID the client that it was issued to.',
      cause,
      details: cause?.details,
    },
  );
}
