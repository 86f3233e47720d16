import type { MissingFeature } from '../config/scopes.ts';
import type { Account, Config } from '../config/config.ts';
import type { CredentialStore, TokenSet } from '../credentials/store.ts';
import type { Deps } from '../app/deps.ts';
import type { Secret } from '../base/secret.ts';
import type { EndpointName } from '../config/endpoints.ts';
import type { Http } from '../api/http.ts';
import type { SettingKey } from '../config/settings.ts';
import type { Notify } from './login-events.ts';
import type { LoginTarget } from './login-questions.ts';

export interface LoginOptions {
  /** The client secret is on stdin. */
  readonly clientSecretStdin: boolean;
  /** A token response, as JSON, is on stdin: no browser is needed. */
  readonly withToken: boolean;
  /** Open a browser; else show the address. */
  readonly browser: boolean;
  /** How long to wait for the answer: `5m`, `90s`; absent: 5 minutes. */
  readonly timeout: string | undefined;
}

export interface LoginNeeds {
  readonly config: Config;
  readonly deps: Deps;
  readonly http: Http;
  readonly notify: Notify;
}

export interface LoginReport {
  readonly profile: string;
  readonly service: string;
  readonly clientId: string;
  /** Absent: the service does not say whose login it is. */
  readonly account: Account | undefined;
  /** Whose login this profile held before, if it was another athlete's. */
  readonly replaced: Account | undefined;
  readonly askedScopes: readonly string[];
  /** Absent: nobody said. */
  readonly grantedScopes: readonly string[] | undefined;
  /** What will not work. `asked`: it was asked for and not granted. */
  readonly missing: readonly (MissingFeature & { readonly asked: boolean })[];
  /** Settings of the profile that this login changed; null: removed. */
  readonly saved: Readonly<Partial<Record<SettingKey, string | null>>>;
  readonly store: { readonly kind: 'keychain' | 'file'; readonly where: string };
  /** The login renews itself; else it ends with the access token. */
  readonly renewable: boolean;
  /** ms since 1970. */
  readonly accessExpiresAt: number | undefined;
  readonly refreshExpiresAt: number | undefined;
}

/** What is settled by the time that tokens are fetched. */
export interface LoginRun extends LoginNeeds {
  readonly target: LoginTarget;
  readonly store: CredentialStore & { readonly kind: 'keychain' | 'file' };
  readonly url: (name: EndpointName) => URL;
}

/** Tokens that were just given. */
export type NewTokens = TokenSet & { readonly accessToken: Secret };
