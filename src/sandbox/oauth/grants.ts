import { createHash } from 'node:crypto';
import { requireThat } from '../http/problem.ts';
import { randomToken, sha256 } from '../random.ts';
import { isScope, type Scope, scopeWords } from './scopes.ts';
import type { SandboxSettings } from '../settings.ts';
import type { Store, Table } from '../store.ts';
import type { LoginChoice, LoginState, TokenAnswer } from '../types.ts';

/** Prefixes of the secrets that the sandbox issues; they occur nowhere else. */
export const SECRET_PREFIXES = {
  code: 'sbx_code_',
  access: 'sbx_at_',
  refresh: 'sbx_rt_',
  /** Key of the form of a consent page. */
  consent: 'sbx_consent_',
  /** Cookie of a browser that was shown one. */
  browser: 'sbx_browser_',
} as const;

export interface Bearer {
  readonly athleteId: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
}

/** Transformation of the verifier into the challenge (RFC 7636 section 4.3). */
type ChallengeMethod = 'S256' | 'plain';

export interface CodeRequest {
  readonly clientId: string;
  readonly athleteId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** null for a login without PKCE, which then needs the client's secret. */
  readonly challenge: string | null;
  readonly challengeMethod: ChallengeMethod;
}

interface Code extends CodeRequest {
  readonly expiresAt: number;
}

interface GrantedLogin extends LoginState {
  readonly athleteId: string;
}

function isChosen({ athleteId, id }: GrantedLogin, { athlete, login }: LoginChoice): boolean {
  return (athlete ?? athleteId) === athleteId && (login ?? id) === id;
}

type TokenKind = 'access' | 'refresh';

interface Token {
  readonly kind: TokenKind;
  readonly loginId: string;
  readonly expiresAt: number | null;
  readonly isReplaced: boolean;
}

/** Lifetime of authorization codes (ms). */
const CODE_TTL_MS = 600_000;

/** Codes, logins and tokens. Only hashes of secrets are stored. */
export class Grants {
  readonly #now: () => number;
  readonly #codes: Table<Code>;
  readonly #logins: Table<GrantedLogin>;
  readonly #tokens: Table<Token>;

  constructor(store: Store, now: () => number) {
    this.#now = now;
    this.#codes = store.table('codes');
    this.#logins = store.table('logins');
    this.#tokens = store.table('tokens');
  }

  /** Issues an authorization code, bound to every field of `request`. */
  issueCode(request: CodeRequest): string {
    const code = randomToken(SECRET_PREFIXES.code);
    const expiresAt = this.#now() + CODE_TTL_MS;
    this.#codes.put(sha256(code), { ...request, expiresAt });
    return code;
  }

  /**
   * Exchanges a code for tokens, once (RFC 6749 section 4.1.3, RFC 7636 section 4.6).
   * @param given.secretIsRight undefined if the client sent no secret
   * @throws TokenProblem invalid_grant, invalid_client, invalid_request
   */
  exchangeCode(
    given: {
      code: string;
      clientId: string;
      secretIsRight: boolean | undefined;
      redirectUri: string | undefined;
      verifier: string | undefined;
    },
    settings: SandboxSettings,
  ): TokenAnswer {
    const hash = sha256(given.code);
    const code = this.#codes.get(hash);
    const { clientId, secretIsRight, redirectUri = code?.redirectUri, verifier } = given;
    requireThat(code !== undefined, 'invalid_grant', 'Invalid authorization code');
    requireThat(code.expiresAt > this.#now(), 'invalid_grant', 'Authorization code expired');
    requireThat(code.clientId === clientId, 'invalid_client', 'Client ID mismatch');
    requireThat(secretIsRight !== false, 'invalid_client', 'Invalid client secret');
    const isProven = secretIsRight === true || code.challenge !== null;
    requireThat(isProven, 'invalid_client', 'Client secret required for non-PKCE flow');
    requireThat(redirectUri === code.redirectUri, 'invalid_grant', 'Redirect URI mismatch');
    if (code.challenge !== null) {
      const isSent = verifier !== undefined;
      requireThat(isSent, 'invalid_request', 'code_verifier is required for PKCE');
      const challenge =
        code.challengeMethod === 'plain'
          ? verifier
          : createHash('sha256').update(verifier).digest('base64url');
      requireThat(code.challenge === challenge, 'invalid_grant', 'Invalid code_verifier');
    }
    this.#codes.delete(hash);
    return this.mint(code, settings);
  }

  /**
   * Exchanges a refresh token for a new access token and, depending on the settings, a new refresh
   * token. Earlier access tokens of the login end at once.
   * @throws TokenProblem invalid_grant
   */
  refresh(given: { token: string; clientId: string }, settings: SandboxSettings): TokenAnswer {
    const hash = sha256(given.token);
    const token = this.#tokens.get(hash);
    if (token?.kind === 'refresh' && token.isReplaced && settings.reuseRevokesFamily) {
      this.revoke({ login: token.loginId });
    }
    const login = token?.kind === 'refresh' ? this.#loginOf(token) : undefined;
    const isValid = token !== undefined && login !== undefined;
    requireThat(isValid, 'invalid_grant', 'Invalid or expired refresh token');
    requireThat(login.clientId === given.clientId, 'invalid_grant', 'Client mismatch');
    for (const [key, { loginId, kind }] of this.#tokens) {
      if (loginId === login.id && kind === 'access') this.#tokens.delete(key);
    }
    const access = this.#addAccess(login, settings);
    if (settings.refreshToken === 'omit') return access;
    if (settings.refreshToken === 'keep') {
      return { ...access, ...this.#announced(given.token, token.expiresAt, settings) };
    }
    this.#tokens.put(hash, { ...token, isReplaced: true });
    const next = this.#addToken('refresh', login.id, token.expiresAt);
    return { ...access, ...this.#announced(next, token.expiresAt, settings) };
  }

  /** Adds a login, and issues its first tokens. */
  mint(
    given: { clientId: string; athleteId: string; scopes: readonly string[] },
    settings: SandboxSettings,
  ): TokenAnswer {
    const { clientId, athleteId, scopes } = given;
    const { refreshTtl } = settings;
    const id = randomToken('login_');
    const createdAt = new Date(this.#now()).toISOString();
    const scope = scopes.join(' ');
    const login = { id, clientId, athleteId, scope, createdAt, revoked: false };
    this.#logins.put(id, login);
    const ends = refreshTtl === null ? null : this.#now() + refreshTtl * 1000;
    const access = this.#addAccess(login, settings);
    const refresh = this.#addToken('refresh', id, ends);
    return { ...access, ...this.#announced(refresh, ends, settings) };
  }

  /** Returns the login of an access token; null if it is unknown, expired or revoked. */
  bearer(accessToken: string): Bearer | null {
    const token = this.#tokens.get(sha256(accessToken));
    const login = token?.kind === 'access' ? this.#loginOf(token) : undefined;
    if (login === undefined) return null;
    const { athleteId, clientId, scope } = login;
    // An unknown scope permits nothing.
    return { athleteId, clientId, scopes: scopeWords(scope).filter(isScope) };
  }

  /** Revokes the login of a token of either kind. Ignores an unknown token. */
  revokeToken(token: string): void {
    const found = this.#tokens.get(sha256(token));
    if (found !== undefined) this.revoke({ login: found.loginId });
  }

  /** @returns the number of logins that were not revoked before */
  revoke(choice: LoginChoice): number {
    const logins = [...this.#logins.values()].filter(
      (login) => !login.revoked && isChosen(login, choice),
    );
    for (const login of logins) this.#logins.put(login.id, { ...login, revoked: true });
    return logins.length;
  }

  /** Expires tokens now. @returns the number of tokens that were still valid */
  expire(kind: TokenKind, choice: LoginChoice): number {
    const expired = [...this.#tokens].filter(([, token]) => {
      const login = token.kind === kind ? this.#loginOf(token) : undefined;
      return login !== undefined && isChosen(login, choice);
    });
    for (const [hash, token] of expired) {
      this.#tokens.put(hash, { ...token, expiresAt: this.#now() });
    }
    return expired.length;
  }

  loginsOf(athleteId: string): LoginState[] {
    return [...this.#logins.values()].flatMap(({ athleteId: owner, ...login }) =>
      owner === athleteId ? [login] : [],
    );
  }

  /** Returns the login of a token; undefined if either of them has ended. */
  #loginOf({ loginId, expiresAt, isReplaced }: Token): GrantedLogin | undefined {
    const login = this.#logins.get(loginId);
    const hasEnded = isReplaced || (expiresAt !== null && expiresAt <= this.#now());
    return hasEnded || login?.revoked === true ? undefined : login;
  }

  #addAccess({ id, scope }: GrantedLogin, { accessTtl }: SandboxSettings): TokenAnswer {
    const token = this.#addToken('access', id, this.#now() + accessTtl * 1000);
    return { access_token: token, token_type: 'Bearer', expires_in: accessTtl, scope };
  }

  #addToken(kind: TokenKind, loginId: string, expiresAt: number | null): string {
    const token = randomToken(SECRET_PREFIXES[kind]);
    this.#tokens.put(sha256(token), { kind, loginId, expiresAt, isReplaced: false });
    return token;
  }

  /** Returns the fields of a token answer about the refresh token. */
  #announced(
    token: string,
    ends: number | null,
    { announceRefreshTtl }: SandboxSettings,
  ): Pick<TokenAnswer, 'refresh_token' | 'refresh_token_expires_in'> {
    return {
      refresh_token: token,
      ...(announceRefreshTtl && ends !== null
        ? { refresh_token_expires_in: Math.max(0, Math.ceil((ends - this.#now()) / 1000)) }
        : {}),
    };
  }
}
