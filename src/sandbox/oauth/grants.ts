import { createHash } from 'node:crypto';
import type { StatementSyncInstance } from '@photostructure/sqlite';
import { TokenProblem } from '../http/problem.ts';
import { randomToken, sha256 } from '../random.ts';
import { knownScopes, type Scope } from './scopes.ts';
import type { SandboxSettings } from '../settings.ts';
import type { Store } from '../store.ts';

/** Prefixes of the secrets that the sandbox issues; they occur nowhere else. */
export const SECRET_PREFIXES = {
  code: 'sbx_code_',
  access: 'sbx_at_',
  refresh: 'sbx_rt_',
} as const;

/** The answer of the token endpoint (interface section 5.3). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** s */
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly scope: string;
  /** s */
  readonly refresh_token_expires_in?: number;
}

/** The login of an access token. */
export interface Bearer {
  readonly loginId: string;
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

export interface LoginState {
  readonly id: string;
  readonly clientId: string;
  readonly scope: string;
  readonly createdAt: string;
  readonly revoked: boolean;
}

interface CodeRow {
  client_id: string;
  athlete_id: string;
  scope: string;
  redirect_uri: string;
  challenge: string | null;
  challenge_method: ChallengeMethod;
  expires_at: number;
  login_id: string | null;
}

interface TokenRow {
  kind: 'access' | 'refresh';
  login_id: string;
  expires_at: number | null;
  replaced_at: number | null;
  client_id: string;
  athlete_id: string;
  scope: string;
  revoked_at: number | null;
}

/** Codes, logins and tokens. Only hashes of secrets are stored. */
export class Grants {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #sql: Record<
    | 'addCode'
    | 'findCode'
    | 'useCode'
    | 'addLogin'
    | 'revokeLogin'
    | 'revokeAthlete'
    | 'addToken'
    | 'findToken'
    | 'replaceToken'
    | 'dropAccess'
    | 'expire'
    | 'logins'
    | 'valid',
    StatementSyncInstance
  >;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
    const { db } = store;
    this.#sql = {
      addCode: db.prepare(
        'INSERT INTO codes (hash, client_id, athlete_id, scope, redirect_uri, challenge, challenge_method, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ),
      findCode: db.prepare('SELECT * FROM codes WHERE hash = ?'),
      useCode: db.prepare('UPDATE codes SET login_id = ? WHERE hash = ?'),
      addLogin: db.prepare(
        'INSERT INTO logins (id, client_id, athlete_id, scope, created_at) VALUES (?, ?, ?, ?, ?)',
      ),
      revokeLogin: db.prepare(
        'UPDATE logins SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
      ),
      revokeAthlete: db.prepare(
        'UPDATE logins SET revoked_at = ? WHERE athlete_id = ? AND revoked_at IS NULL',
      ),
      addToken: db.prepare(
        'INSERT INTO tokens (hash, kind, login_id, expires_at) VALUES (?, ?, ?, ?)',
      ),
      findToken: db.prepare(
        'SELECT tokens.*, client_id, athlete_id, scope, revoked_at FROM tokens JOIN logins ON logins.id = login_id WHERE hash = ?',
      ),
      replaceToken: db.prepare('UPDATE tokens SET replaced_at = ? WHERE hash = ?'),
      dropAccess: db.prepare("DELETE FROM tokens WHERE login_id = ? AND kind = 'access'"),
      expire: db.prepare(
        `UPDATE tokens SET expires_at = ?1
         WHERE kind = ?2 AND replaced_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)
         AND login_id IN
           (SELECT id FROM logins WHERE revoked_at IS NULL
            AND (?3 IS NULL OR athlete_id = ?3) AND (?4 IS NULL OR id = ?4))`,
      ),
      logins: db.prepare('SELECT * FROM logins WHERE athlete_id = ? ORDER BY created_at, rowid'),
      valid: db.prepare(
        `SELECT DISTINCT kind FROM tokens JOIN logins ON logins.id = login_id
         WHERE login_id = ?1 AND revoked_at IS NULL AND replaced_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)`,
      ),
    };
  }

  /** Issues an authorization code, bound to every field of `request`. */
  issueCode(request: CodeRequest, settings: SandboxSettings): string {
    const code = randomToken(SECRET_PREFIXES.code);
    this.#sql.addCode.run(
      sha256(code),
      request.clientId,
      request.athleteId,
      request.scopes.join(' '),
      request.redirectUri,
      request.challenge,
      request.challengeMethod,
      this.#now() + settings.codeTtl * 1000,
    );
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
    const row = this.#sql.findCode.get(hash) as CodeRow | undefined;
    if (row?.login_id !== null) {
      throw new TokenProblem('invalid_grant', 'Invalid authorization code');
    }
    if (row.expires_at <= this.#now()) {
      throw new TokenProblem('invalid_grant', 'Authorization code expired');
    }
    if (row.client_id !== given.clientId) {
      throw new TokenProblem('invalid_client', 'Client ID mismatch');
    }
    if (given.secretIsRight === false) {
      throw new TokenProblem('invalid_client', 'Invalid client secret');
    }
    if (given.secretIsRight === undefined && row.challenge === null) {
      throw new TokenProblem('invalid_client', 'Client secret required for non-PKCE flow');
    }
    if (given.redirectUri !== undefined && given.redirectUri !== row.redirect_uri) {
      throw new TokenProblem('invalid_grant', 'Redirect URI mismatch');
    }
    if (row.challenge !== null) {
      if (given.verifier === undefined) {
        throw new TokenProblem('invalid_request', 'code_verifier is required for PKCE');
      }
      const challenge =
        row.challenge_method === 'plain'
          ? given.verifier
          : createHash('sha256').update(given.verifier).digest('base64url');
      if (row.challenge !== challenge) {
        throw new TokenProblem('invalid_grant', 'Invalid code_verifier');
      }
    }
    return this.#store.transaction(() => {
      const loginId = this.#addLogin(given.clientId, row.athlete_id, row.scope);
      this.#sql.useCode.run(loginId, hash);
      return this.#firstTokens(loginId, row.scope, settings);
    });
  }

  /**
   * Exchanges a refresh token for a new access token and, depending on the settings, a new refresh
   * token. Earlier access tokens of the login end at once.
   * @throws TokenProblem invalid_grant
   */
  refresh(given: { token: string; clientId: string }, settings: SandboxSettings): TokenAnswer {
    const hash = sha256(given.token);
    const row = this.#find(hash);
    if (row?.kind === 'refresh' && row.replaced_at !== null && settings.reuseRevokesFamily) {
      this.revokeLogin(row.login_id);
    }
    const ended =
      row?.kind !== 'refresh' ||
      row.revoked_at !== null ||
      row.replaced_at !== null ||
      (row.expires_at !== null && row.expires_at <= this.#now());
    if (ended) throw new TokenProblem('invalid_grant', 'Invalid or expired refresh token');
    if (settings.refreshChecksClient && row.client_id !== given.clientId) {
      throw new TokenProblem('invalid_grant', 'Client mismatch');
    }
    return this.#store.transaction(() => {
      this.#sql.dropAccess.run(row.login_id);
      const access = this.#addAccess(row.login_id, row.scope, settings);
      switch (settings.refreshToken) {
        case 'omit':
          return access;
        case 'keep':
          return { ...access, ...this.#announced(given.token, row.expires_at, settings) };
        case 'rotate': {
          this.#sql.replaceToken.run(this.#now(), hash);
          const next = this.#addRefresh(row.login_id, row.expires_at);
          return { ...access, ...this.#announced(next, row.expires_at, settings) };
        }
      }
    });
  }

  /** Issues tokens without a consent page, for the control endpoint. */
  mint(
    given: { clientId: string; athleteId: string; scopes: readonly string[] },
    settings: SandboxSettings,
  ): TokenAnswer {
    const scope = given.scopes.join(' ');
    return this.#store.transaction(() =>
      this.#firstTokens(this.#addLogin(given.clientId, given.athleteId, scope), scope, settings),
    );
  }

  /** Returns the login of an access token; null if it is unknown, expired or revoked. */
  bearer(accessToken: string): Bearer | null {
    const row = this.#find(sha256(accessToken));
    if (row?.kind !== 'access' || row.revoked_at !== null) return null;
    if (row.expires_at !== null && row.expires_at <= this.#now()) return null;
    return {
      loginId: row.login_id,
      athleteId: row.athlete_id,
      clientId: row.client_id,
      scopes: knownScopes(row.scope),
    };
  }

  /** Revokes the login of a token of either kind. Ignores an unknown token. */
  revokeToken(token: string): void {
    const row = this.#find(sha256(token));
    if (row !== undefined) this.revokeLogin(row.login_id);
  }

  /** @returns whether there was such a login, not revoked before */
  revokeLogin(loginId: string): boolean {
    return this.#sql.revokeLogin.run(this.#now(), loginId).changes > 0;
  }

  /** @returns the number of logins that it revoked */
  revokeAthlete(athleteId: string): number {
    return this.#sql.revokeAthlete.run(this.#now(), athleteId).changes;
  }

  /** Expires tokens now. @returns the number of tokens that were still valid */
  expire(
    kind: 'access' | 'refresh',
    { athleteId, loginId }: { athleteId?: string | undefined; loginId?: string | undefined } = {},
  ): number {
    const { changes } = this.#sql.expire.run(this.#now(), kind, athleteId ?? null, loginId ?? null);
    return changes;
  }

  /** Returns which kinds of tokens of a login are valid. */
  validTokens(loginId: string): ReadonlySet<'access' | 'refresh'> {
    const rows = this.#sql.valid.all(loginId, this.#now()) as { kind: 'access' | 'refresh' }[];
    return new Set(rows.map(({ kind }) => kind));
  }

  loginsOf(athleteId: string): LoginState[] {
    const rows = this.#sql.logins.all(athleteId) as {
      id: string;
      client_id: string;
      scope: string;
      created_at: number;
      revoked_at: number | null;
    }[];
    return rows.map((row) => ({
      id: row.id,
      clientId: row.client_id,
      scope: row.scope,
      createdAt: new Date(row.created_at).toISOString(),
      revoked: row.revoked_at !== null,
    }));
  }

  #find(hash: string): TokenRow | undefined {
    return this.#sql.findToken.get(hash) as TokenRow | undefined;
  }

  #addLogin(clientId: string, athleteId: string, scope: string): string {
    const id = randomToken('login_');
    this.#sql.addLogin.run(id, clientId, athleteId, scope, this.#now());
    return id;
  }

  #firstTokens(loginId: string, scope: string, settings: SandboxSettings): TokenAnswer {
    const { refreshTtl } = settings;
    const ends = refreshTtl === null ? null : this.#now() + refreshTtl * 1000;
    const access = this.#addAccess(loginId, scope, settings);
    return { ...access, ...this.#announced(this.#addRefresh(loginId, ends), ends, settings) };
  }

  #addAccess(loginId: string, scope: string, { accessTtl }: SandboxSettings): TokenAnswer {
    const token = randomToken(SECRET_PREFIXES.access);
    this.#sql.addToken.run(sha256(token), 'access', loginId, this.#now() + accessTtl * 1000);
    return { access_token: token, token_type: 'Bearer', expires_in: accessTtl, scope };
  }

  #addRefresh(loginId: string, ends: number | null): string {
    const token = randomToken(SECRET_PREFIXES.refresh);
    this.#sql.addToken.run(sha256(token), 'refresh', loginId, ends);
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
