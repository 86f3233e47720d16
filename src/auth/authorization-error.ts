import { SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';

/**
 * Returns the error for an error that the authorize endpoint sends by redirect.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 - error response
 * @param description the service's own words, sanitized
 */
export function authorizationError(error: string, description: string | undefined): SyncError {
  const because = description === undefined ? '' : ` (${description})`;
  const details = { error };
  switch (error) {
    case 'access_denied':
      return new SyncError('AUTH_REFUSED', `The login was not approved${because}.`, {
        hint: phrase`Run ${sync('login')} again to approve it.`,
        details,
      });
    case 'server_error':
    case 'temporarily_unavailable':
      return new SyncError('SERVICE_UNAVAILABLE', `The service cannot log you in now${because}.`, {
        hint: phrase`Run ${sync('login')} again later.`,
        details,
      });
    case 'invalid_scope':
      return new SyncError('AUTH_REFUSED', `The service refuses these scopes${because}.`, {
        hint: phrase`Ask for others: ${sync('login', '--scope', 'workout:write health:write')}.`,
        details,
      });
    default:
      return new SyncError('AUTH_REFUSED', `The service refused the login: ${error}${because}.`, {
        hint: 'Check the client ID and its registration at the service.',
        details,
      });
  }
}
