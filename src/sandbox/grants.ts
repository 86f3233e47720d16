import { createHash } from 'node:crypto';
import type { StatementSyncInstance } from '@photostructure/sqlite';
import { TokenProblem } from './problem.ts';
import { randomToken, sha256 } from './random.ts';
import { storedScopes, type Scope } from './scopes.ts';
import type { SandboxSettings } from './settings.ts';
import type { Store } from './store.ts';

/** The prefixes of everything secret that the sandbox hands out; they occur nowhere else. */
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

/** Whose account an access token opens, and how far. */
export interface Bearer {
  readonly loginId: string;
  readonly athleteId: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
}

export interface CodeRequest {
  readonly clientId: string;
  readonly athleteId: string;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
  /** BASE64URL(SHA256(verifier)), RFC 7636 section 4.2. */
  readonly challenge: string;
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
  challenge: string;
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

/** Codes, logins and tokens. Only hashes of what is secret are stored. */
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
    | 'dropToken'
    | 'expire'
    | 'logins',
    StatementSyncInstance
  >;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
    const { db } = store;
    this.#sql = {
      addCode: db.prepare(
        'INSERT INTO codes (hash, client_id, athlete_id, scope, redirect_uri, challenge, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
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
      dropToken: db.prepare('DELETE FROM tokens WHERE hash = ?'),
      expire: db.prepare(
        `UPDATE tokens SET expires_at = ?1
         WHERE kind = ?2 AND replaced_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)
         AND login_id IN
           (SELECT id FROM logins WHERE revoked_at IS NULL AND (?3 IS NULL OR athlete_id = ?3))`,
      ),
      logins: db.prepare('SELECT * FROM logins WHERE athlete_id = ? ORDER BY created_at, rowid'),
    };
  }

  /** A new authorization code, bound to all of `request`. */
  issueCode(request: CodeRequest, settings: SandboxSettings): string {
    const code = randomToken(SECRET_PREFIXES.code);
    this.#sql.addCode.run(
      sha256(code),
      request.clientId,
      request.athleteId,
      request.scopes.join(' '),
      request.redirectUri,
      request.challenge,
      this.#now() + settings.codeTtl * 1000,
    );
    return code;
  }

  /**
   * Trades a code for tokens, once (RFC 6749 section 4.1.3, RFC 7636 section 4.6). A second use
   * ends the login that the first one made (RFC 6749 section 4.1.2).
   * @throws TokenProblem invalid_grant
   */
  exchangeCode(
    given: { code: string; clientId: string; redirectUri: string; verifier: string },
    settings: SandboxSettings,
  ): TokenAnswer {
    const hash = sha256(given.code);
    const row = this.#sql.findCode.get(hash) as CodeRow | undefined;
    if (row === undefined || row.client_id !== given.clientId) {
      throw new TokenProblem('invalid_grant', 'This code was not issued to this client');
    }
    if (row.login_id !== null) {
      this.revokeLogin(row.login_id);
      throw new TokenProblem(
        'invalid_grant',
        'This code was used before; the tokens issued from it are revoked',
      );
    }
    if (row.expires_at <= this.#now()) {
      throw new TokenProblem('invalid_grant', 'This code has expired');
    }
    if (row.redirect_uri !== given.redirectUri) {
      throw new TokenProblem('invalid_grant', 'redirect_uri is not the one of the authorization');
    }
    const challenge = createHash('sha256').update(given.verifier).digest('base64url');
    if (row.challenge !== challenge) {
      throw new TokenProblem('invalid_grant', 'code_verifier does not match code_challenge');
    }
    return this.#store.transaction(() => {
      const loginId = this.#addLogin(given.clientId, row.athlete_id, row.scope);
      this.#sql.useCode.run(loginId, hash);
      return this.#issue(loginId, row.scope, settings, true);
    });
  }

  /**
   * Trades a refresh token for a new access token, and by the settings for a new refresh token.
   * @throws TokenProblem invalid_grant
   */
  refresh(given: { token: string; clientId: string }, settings: SandboxSettings): TokenAnswer {
    const hash = sha256(given.token);
    const row = this.#find(hash);
    if (row?.kind !== 'refresh' || row.client_id !== given.clientId) {
      throw new TokenProblem('invalid_grant', 'Unknown refresh token');
    }
    if (row.revoked_at !== null) {
      throw new TokenProblem('invalid_grant', 'This login was revoked');
    }
    if (row.replaced_at !== null) {
      if (!settings.reuseRevokesFamily) {
        throw new TokenProblem('invalid_grant', 'This refresh token was replaced by a newer one');
      }
      this.revokeLogin(row.login_id);
      throw new TokenProblem(
        'invalid_grant',
        'This refresh token was replaced by a newer one; its reuse has revoked the login',
      );
    }
    if (row.expires_at !== null && row.expires_at <= this.#now()) {
      throw new TokenProblem('invalid_grant', 'This refresh token has expired');
    }
    return this.#store.transaction(() => {
      const rotate = settings.refreshToken === 'rotate';
      if (rotate) this.#sql.replaceToken.run(this.#now(), hash);
      const answer = this.#issue(row.login_id, row.scope, settings, rotate);
      if (settings.refreshToken !== 'keep') return answer;
      return {
        ...answer,
        refresh_token: given.token,
        ...(settings.announceRefreshTtl && row.expires_at !== null
          ? { refresh_token_expires_in: Math.floor((row.expires_at - this.#now()) / 1000) }
          : {}),
      };
    });
  }

  /** Tokens without a login page, for the control endpoint. */
  mint(
    given: { clientId: string; athleteId: string; scopes: readonly Scope[] },
    settings: SandboxSettings,
  ): TokenAnswer {
    const scope = given.scopes.join(' ');
    return this.#store.transaction(() =>
      this.#issue(this.#addLogin(given.clientId, given.athleteId, scope), scope, settings, true),
    );
  }

  /** What an access token opens; null when it is unknown, expired or revoked. */
  bearer(accessToken: string): Bearer | null {
    const row = this.#find(sha256(accessToken));
    if (row?.kind !== 'access' || row.revoked_at !== null) return null;
    if (row.expires_at !== null && row.expires_at <= this.#now()) return null;
    return {
      loginId: row.login_id,
      athleteId: row.athlete_id,
      clientId: row.client_id,
      scopes: storedScopes(row.scope),
    };
  }

  /**
   * RFC 7009: a refresh token takes its whole login with it, an access token only itself. An unknown
   * token, or one of another client, changes nothing.
   */
  revokeToken(token: string, clientId: string): void {
    const hash = sha256(token);
    const row = this.#find(hash);
    if (row?.client_id !== clientId) return;
    if (row.kind === 'refresh') this.revokeLogin(row.login_id);
    else this.#sql.dropToken.run(hash);
  }

  revokeLogin(loginId: string): void {
    this.#sql.revokeLogin.run(this.#now(), loginId);
  }

  /** @returns how many logins it ended */
  revokeAthlete(athleteId: string): number {
    return this.#sql.revokeAthlete.run(this.#now(), athleteId).changes;
  }

  /** Ends tokens now, as time would. @returns how many were still good */
  expire(kind: 'access' | 'refresh', athleteId?: string): number {
    return this.#sql.expire.run(this.#now(), kind, athleteId ?? null).changes;
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

  #issue(
    loginId: string,
    scope: string,
    settings: SandboxSettings,
    withRefreshToken: boolean,
  ): TokenAnswer {
    const access = randomToken(SECRET_PREFIXES.access);
    const { accessTtl, refreshTtl } = settings;
    this.#sql.addToken.run(sha256(access), 'access', loginId, this.#now() + accessTtl * 1000);
    const answer = {
      access_token: access,
      token_type: 'Bearer',
      expires_in: accessTtl,
      scope,
    } as const;
    if (!withRefreshToken) return answer;
    const refresh = randomToken(SECRET_PREFIXES.refresh);
    const ends = refreshTtl === null ? null : this.#now() + refreshTtl * 1000;
    this.#sql.addToken.run(sha256(refresh), 'refresh', loginId, ends);
    return {
      ...answer,
      refresh_token: refresh,
      ...(settings.announceRefreshTtl && refreshTtl !== null
        ? { refresh_token_expires_in: refreshTtl }
        : {}),
    };
  }
}
