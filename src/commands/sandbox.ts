import { resolve } from 'node:path';
import { SyncError, systemCode } from '../base/errors.ts';
import { makeNamedFolder } from '../system/storage.ts';
import { FaultSpecError } from '../sandbox/fault-spec.ts';
import { scopeWords, type Scope } from '../sandbox/scopes.ts';
import { DEFAULT_SANDBOX_PORT, startSandbox, type Sandbox } from '../sandbox/server.ts';
import { SettingError, type SandboxSettings } from '../sandbox/settings.ts';

/** The flags of `sync sandbox`. What is left out keeps the sandbox's default. */
export interface SandboxCommandOptions {
  /** `--port N`; 0: any free port. */
  readonly port?: number | undefined;
  /** `--data DIR`: keep the state there; otherwise it is in memory. */
  readonly data?: string | undefined;
  /** `--auto-approve` */
  readonly autoApprove?: boolean | undefined;
  /** `--athlete ID`: whose account `--auto-approve` grants. */
  readonly athlete?: string | undefined;
  /** `--rotate | --no-rotate` */
  readonly rotate?: boolean | undefined;
  /** `--omit-refresh-token`: a refresh answers without one. Wins over `rotate`. */
  readonly omitRefreshToken?: boolean | undefined;
  /** `--revoke-on-reuse` */
  readonly revokeOnReuse?: boolean | undefined;
  /** `--access-ttl S` */
  readonly accessTtl?: number | undefined;
  /** `--refresh-ttl S` */
  readonly refreshTtl?: number | undefined;
  /** `--no-announce-refresh-ttl`: false; token answers then lack `refresh_token_expires_in`. */
  readonly announceRefreshTtl?: boolean | undefined;
  /** `--revision NAME` */
  readonly revision?: SandboxSettings['revision'] | undefined;
  /** `--strict` */
  readonly strict?: boolean | undefined;
  /** `--nutrition append|replace-source|replace` */
  readonly nutrition?: SandboxSettings['nutrition'] | undefined;
  /** `--nutrition-list dates|limit|none` */
  readonly nutritionList?: SandboxSettings['nutritionList'] | undefined;
  /** `--nutrition-edits | --no-nutrition-edits` */
  readonly nutritionEdits?: boolean | undefined;
  /** `--unknown-scope SCOPE`, repeatable. */
  readonly unknownScope?: readonly string[] | undefined;
  /** `--set NAME=JSON`, repeatable: any setting. */
  readonly set?: readonly string[] | undefined;
  /** `--no-upload-items`: false. */
  readonly uploadItems?: boolean | undefined;
  /** `--success-false`: 200 with `success: false` for everything that is sent. */
  readonly successFalse?: boolean | undefined;
  /** `--exact-redirect-uris | --no-exact-redirect-uris` */
  readonly exactRedirectUris?: boolean | undefined;
  /** `--redirect-uri URI`, repeatable: registered beside the loopback addresses. */
  readonly redirectUri?: readonly string[] | undefined;
  /** `--grant-scope "A B"`: grant at most these. */
  readonly grantScope?: string | undefined;
  /** `--rate-limit N`: requests a minute for each token. */
  readonly rateLimit?: number | undefined;
  /** `--address-rate-limit N`: requests without a token a minute for each address. */
  readonly addressRateLimit?: number | undefined;
  /** `--discard-bytes`: keep hashes of uploads, not their bytes. */
  readonly discardBytes?: boolean | undefined;
  /** `--fault SPEC`, repeatable. */
  readonly fault?: readonly string[] | undefined;
}

/** What to tell the user as soon as requests are answered. */
export interface SandboxReady {
  readonly type: 'sandbox';
  readonly url: string;
  readonly clientId: string;
  /** Where the state is kept; null: in memory. */
  readonly data: string | null;
  readonly athletes: readonly { readonly id: string; readonly name: string }[];
  readonly settings: SandboxSettings;
  readonly faults: readonly string[];
}

/** What the sandbox saw until it was stopped. */
export interface SandboxReport {
  readonly type: 'sandbox-stopped';
  readonly requests: number;
  readonly recordings: number;
}

export interface SandboxNeeds {
  /** Stops the sandbox: the one way in which `runSandbox` ends well. */
  readonly signal: AbortSignal;
  readonly onReady: (info: SandboxReady) => void;
}

/**
 * Serves the emulated platform on 127.0.0.1 until the signal is aborted.
 * @throws SyncError USAGE for a flag that cannot be, PORT_IN_USE, STORAGE
 */
export async function runSandbox(
  options: SandboxCommandOptions,
  needs: SandboxNeeds,
): Promise<SandboxReport> {
  const data = options.data === undefined ? undefined : resolve(options.data);
  const sandbox = await start(options, data);
  try {
    needs.onReady({
      type: 'sandbox',
      url: sandbox.url,
      clientId: sandbox.clientId,
      data: data ?? null,
      athletes: sandbox.control.state().athletes.map(({ profile: { id, name } }) => ({ id, name })),
      settings: sandbox.control.settings(),
      faults: options.fault ?? [],
    });
    await aborted(needs.signal);
    return {
      type: 'sandbox-stopped',
      requests: sandbox.control.requestCount(),
      recordings: sandbox.control
        .state()
        .athletes.reduce((sum, { recordings }) => sum + recordings.length, 0),
    };
  } finally {
    await sandbox.close();
  }
}

async function start(options: SandboxCommandOptions, data: string | undefined): Promise<Sandbox> {
  const port = options.port ?? DEFAULT_SANDBOX_PORT;
  const odd = options.redirectUri?.find((uri) => !URL.canParse(uri) || uri.includes('#'));
  if (odd !== undefined) {
    throw new SyncError('USAGE', `--redirect-uri ${odd}: not an address to come back to.`, {
      hint: 'Write it whole, such as http://127.0.0.1:8917/callback or com.example.app:/callback.',
    });
  }
  if (data !== undefined) makeNamedFolder(data, '--data');
  try {
    return await startSandbox({
      port,
      data,
      redirectUris: options.redirectUri,
      faults: options.fault,
      settings: settingsOf(options),
    });
  } catch (error) {
    throw explained(error, port, data);
  }
}

function settingsOf(options: SandboxCommandOptions): Partial<SandboxSettings> {
  const { rotate, omitRefreshToken, grantScope, unknownScope } = options;
  const refreshToken = rotate === undefined ? undefined : rotate ? 'rotate' : 'keep';
  const wanted: { [Name in keyof SandboxSettings]?: SandboxSettings[Name] | undefined } = {
    autoApprove: options.autoApprove,
    autoApproveAthlete: options.athlete,
    refreshToken: omitRefreshToken === true ? 'omit' : refreshToken,
    reuseRevokesFamily: options.revokeOnReuse,
    accessTtl: options.accessTtl,
    refreshTtl: options.refreshTtl,
    announceRefreshTtl: options.announceRefreshTtl,
    revision: options.revision,
    strict: options.strict,
    nutrition: options.nutrition,
    nutritionList: options.nutritionList,
    nutritionEdits: options.nutritionEdits,
    unknownScopes: unknownScope?.length === 0 ? undefined : (unknownScope as readonly Scope[]),
    uploadItems: options.uploadItems,
    successFalse: options.successFalse,
    exactRedirectUris: options.exactRedirectUris,
    // The settings check the words, and name those that exist.
    grantScopes: grantScope === undefined ? undefined : (scopeWords(grantScope) as Scope[]),
    rateLimit: options.rateLimit,
    addressRateLimit: options.addressRateLimit,
    discardBytes: options.discardBytes,
  };
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...Object.fromEntries((options.set ?? []).map(setting)) };
}

/** `NAME=JSON`; a value that is no JSON is taken as text. */
function setting(text: string): [string, unknown] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new SyncError('USAGE', `--set ${text}: not NAME=VALUE.`, {
      hint: 'docs/sandbox.md lists every setting; for example: --set processingMs=null',
    });
  }
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    return [name, value];
  }
}

function explained(error: unknown, port: number, data: string | undefined): unknown {
  if (error instanceof FaultSpecError || error instanceof SettingError) {
    return new SyncError('USAGE', error.message, {
      hint: 'docs/sandbox.md lists every knob and the grammar of faults.',
      cause: error,
    });
  }
  const code = systemCode(error);
  if (code === 'EADDRINUSE' || code === 'EACCES') {
    return new SyncError(
      'PORT_IN_USE',
      code === 'EADDRINUSE'
        ? `Port ${port} on 127.0.0.1 is taken, perhaps by another sandbox.`
        : `Port ${port} on 127.0.0.1 may not be used.`,
      { hint: 'Choose another with --port N, or any free one with --port 0.', cause: error },
    );
  }
  if (code === 'ERR_SOCKET_BAD_PORT') {
    return new SyncError('USAGE', `There is no port ${port}.`, {
      hint: 'A port is a number from 0 to 65535.',
      cause: error,
    });
  }
  if (data !== undefined) {
    const reason = error instanceof Error ? error.message : String(error);
    return new SyncError('STORAGE', `The sandbox cannot keep its state in ${data}: ${reason}`, {
      hint: 'Name a folder that can be written with --data DIR, or leave it out to keep the state in memory.',
      cause: error,
    });
  }
  return error;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
