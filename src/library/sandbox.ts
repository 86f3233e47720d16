/// <reference lib="esnext.disposable" preserve="true" />
import { VERSION } from '../base/version.ts';
import { type SandboxServer as Server, startSandbox as startServer } from '../sandbox/server.ts';

/** What the sandbox does differently from its defaults: docs/sandbox.md. */
export interface SandboxOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** A folder for the data. Default: memory. */
  readonly data?: string;
  /** The deployed revision to emulate. Default: the newest. */
  readonly revision?: '2026-08' | '2026-07' | '2026-02';
  /** Approves logins without the consent page. */
  readonly autoApprove?: boolean;
  /** Faults, as in `sync sandbox --fault`: `upload-fit:503*2`. */
  readonly faults?: readonly string[];
  /** Further settings, as `GET /_sandbox/settings` shows them. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The emulated platform on 127.0.0.1. */
export interface Sandbox extends AsyncDisposable {
  /** Base URL, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** The registered OAuth clients; the first one is public. */
  readonly clients: readonly SandboxClient[];
  readonly control: SandboxControl;
  /** The requests so far, oldest first, without those to the control routes. */
  requests(): readonly SandboxRequest[];
  /** Ends open requests. May be called twice. */
  close(): Promise<void>;
}

export interface SandboxClient {
  readonly id: string;
  /** null: a public client. */
  readonly secret: string | null;
  readonly redirectUris: readonly string[];
}

export interface SandboxControl {
  /** Returns everything that the platform holds, of one athlete or of all. */
  state(athleteId?: string): { readonly athletes: readonly SandboxAthlete[] };
  /** Deletes recordings, wellness and nutrition. */
  clearState(): void;
  /** Returns the bytes of a recording that arrived, or null. */
  recordingBytes(sha256: string): Uint8Array | null;
  /** Makes workouts of the recordings that wait for processing. */
  process(): Promise<void>;
  /** Issues tokens as a login does, without a browser. */
  tokens(options?: SandboxLogin): {
    readonly accessToken: string;
    readonly refreshToken?: string;
    /** ms since 1970 */
    readonly expiresAt: number;
  };
  /** Ends the access or refresh tokens now. Returns how many were valid. */
  expire(kind?: 'access' | 'refresh'): number;
  /** Revokes all logins, as an athlete does who removes the application. Returns how many there were. */
  revoke(): number;
  /** Lets requests fail: `upload-fit:503*2`. @throws Error for a fault that it does not know */
  addFaults(...specs: readonly string[]): void;
  clearFaults(): void;
  clearRequests(): void;
}

export interface SandboxLogin {
  /** Default: the first athlete. */
  readonly athlete?: string;
  /** Default: all. */
  readonly scopes?: readonly string[];
  /** Lifetime of the access token (s). */
  readonly accessTtl?: number;
}

/** The data of one athlete. Wellness and nutrition have the members that the platform stores. */
export interface SandboxAthlete {
  readonly athlete: string;
  readonly recordings: readonly {
    readonly sha256: string;
    /** bytes */
    readonly size: number;
    readonly name: string | null;
  }[];
  readonly wellness: readonly SandboxDay[];
  readonly nutrition: readonly SandboxDay[];
}

export interface SandboxDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly record: Readonly<Record<string, unknown>>;
}

export interface SandboxRequest {
  readonly method: string;
  readonly path: string;
  /** null: the answer was not sent. */
  readonly status: number | null;
  /** JSON, or a form as an object. Secrets are fingerprints. */
  readonly body?: unknown;
  /** The faults that it met. */
  readonly faults: readonly string[];
}

/**
 * Starts the emulated platform in this process.
 *
 * @throws Error for a port in use, or an unknown fault or setting
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, data, revision, autoApprove, faults, settings } = options;
  const server = await startServer({
    ...{ port, data, faults, version: VERSION },
    settings: {
      ...settings,
      ...(revision === undefined ? {} : { revision }),
      ...(autoApprove === undefined ? {} : { autoApprove }),
    },
  });
  return {
    url: server.url,
    port: server.port,
    clients: server.clients.map(({ id, secret, redirectUris }) => ({ id, secret, redirectUris })),
    control: controlOf(server),
    requests: () => server.control.requests(),
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function controlOf({ control }: Server): SandboxControl {
  return {
    state: (athleteId) => control.state(athleteId),
    clearState: () => control.clearState(),
    recordingBytes: (sha256) => control.recordingBytes(sha256),
    process: () => control.process(),
    tokens({ athlete, scopes, accessTtl } = {}) {
      const answer = control.mint({
        athlete,
        accessTtl,
        ...(scopes === undefined ? {} : { scopes: [...scopes] as MintScopes }),
      });
      return {
        accessToken: answer.access_token,
        ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
        expiresAt: Date.now() + answer.expires_in * 1000,
      };
    },
    expire: (kind = 'access') => control.expire({ kind }),
    revoke: () => control.revoke(),
    addFaults: (...specs) => control.addFaults(...specs),
    clearFaults: () => control.clearFaults(),
    clearRequests: () => control.clearRequests(),
  };
}

/** The sandbox checks them, and names those that it does not know. */
type MintScopes = NonNullable<NonNullable<Parameters<Server['control']['mint']>[0]>['scopes']>;
