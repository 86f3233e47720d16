import { resolve } from 'node:path';
import { ChoiceOption, type CommandModule, collect } from '../app/command.ts';
import { warnOfDistrust } from '../app/config.ts';
import type { AppContext } from '../app/context.ts';
import { wholeNumber } from '../app/flags/numbers.ts';
import { documentUrl } from '../base/documents.ts';
import { ExitCode, SyncError, systemCode } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { FAULT_KINDS, FAULT_PARAMS, FAULT_ROUTES, FaultSpecError } from '../sandbox/faults/spec.ts';
import type { RequestRecord } from '../sandbox/http/request-log.ts';
import type { Revision } from '../sandbox/revisions.ts';
import { scopeWords, type Scope } from '../sandbox/oauth/scopes.ts';
import { DEFAULT_SANDBOX_PORT, startSandbox, type Sandbox } from '../sandbox/server.ts';
import { DEFAULT_SETTINGS, SettingError, type SandboxSettings } from '../sandbox/settings.ts';
import { makeNamedFolder, storageError } from '../system/storage.ts';
import { clearReadyFile, exportLine, openRequestFile, readyFile } from './sandbox-files.ts';
import { readyJson, readyText, requestText, stoppedJson, stoppedText } from './sandbox-words.ts';

/** The flags as commander parses them; an absent flag keeps the sandbox's default. */
export interface SandboxFlags {
  readonly port?: string;
  readonly data?: string;
  readonly autoApprove?: boolean;
  readonly athlete?: string;
  readonly rotate?: boolean;
  readonly omitRefreshToken?: boolean;
  readonly revokeOnReuse?: boolean;
  readonly accessTtl?: string;
  readonly refreshTtl?: string;
  readonly announceRefreshTtl?: boolean;
  readonly revision?: SandboxSettings['revision'];
  readonly strict?: boolean;
  readonly nutrition?: SandboxSettings['nutrition'];
  readonly nutritionList?: SandboxSettings['nutritionList'];
  readonly nutritionEdits?: boolean;
  readonly unknownScope?: readonly string[];
  readonly set?: readonly string[];
  readonly uploadItems?: boolean;
  readonly successFalse?: boolean;
  readonly exactRedirectUris?: boolean;
  readonly redirectUri?: readonly string[];
  readonly grantScope?: string;
  readonly rateLimit?: string;
  readonly addressRateLimit?: string;
  readonly fault?: readonly string[];
  readonly waitReady?: string;
  readonly log?: string;
}

/** Longest lifetime of a token (s): ten years. */
const MAX_TTL = 315_360_000;
/** Highest rate limit (requests a minute). */
const MAX_RATE = 1_000_000;

/** The default of a trait of the platform. */
const BY_REVISION = 'by revision';

const REVISIONS_SHOWN: Readonly<Record<Revision, string>> = {
  '2026-08': 'sending a nutrition day again adds its items',
  '2026-07': 'sending a nutrition day again replaces the items of this program',
  '2026-02': 'sending a nutrition day again empties the day; fewer fields, refresh tokens rotate',
};

/** Serves the emulated platform on 127.0.0.1 until a signal stops it; docs/sandbox.md. */
export const sandbox: CommandModule = {
  declare: (command) =>
    command
      .optionsGroup('Server:')
      .option(
        '--port <n>',
        `port to listen on; 0 for any free one (default: ${DEFAULT_SANDBOX_PORT})`,
      )
      .option('--data <dir>', 'keep the data in this folder (default: in memory)')
      .option('--log <file>', 'append each request to this file as a line of JSON')
      .option(
        '--wait-ready <file>',
        'write this file when it answers requests, and remove it at the end',
      )
      .option(
        '--fault <spec>',
        "fail, such as 'upload-fit:503*2': see below; may be repeated",
        collect,
      )
      .option('--rate-limit <n>', 'requests a minute for each token, then 429 (default: no limit)')
      .option(
        '--address-rate-limit <n>',
        'requests a minute without a token for each address, then 429 (default: no limit)',
      )
      .option('--set <name=value>', 'change any setting; may be repeated', collect)
      .optionsGroup('Behaviour of the platform:')
      .addOption(
        new ChoiceOption(
          '--revision <name>',
          'deployed revision to emulate',
          REVISIONS_SHOWN,
        ).default(undefined, DEFAULT_SETTINGS.revision),
      )
      .option('--strict', 'explain mistakes, instead of answering as the deployed platform does')
      .addOption(
        new ChoiceOption('--nutrition <mode>', 'what sending a day again does', {
          append: 'adds the items',
          'replace-source': 'replaces the items of this program',
          replace: 'empties all four lists of meals',
        }).default(undefined, BY_REVISION),
      )
      .addOption(
        new ChoiceOption('--nutrition-list <what>', 'GET /api/nutrition', {
          dates: 'with a range of dates',
          limit: 'with a limit alone',
          none: 'does not exist',
        }).default(undefined, BY_REVISION),
      )
      .option(
        '--nutrition-edits',
        `offer PATCH /api/nutrition/DATE/items (default: ${BY_REVISION})`,
      )
      .option('--no-nutrition-edits', 'do not offer it')
      .option(
        '--upload-items',
        `list each file in the answer to an upload (default: ${BY_REVISION})`,
      )
      .option('--no-upload-items', 'do not list them')
      .option('--success-false', 'answer 200 with success: false to everything, and store nothing')
      .optionsGroup('Logins:')
      .option('--auto-approve', 'approve logins without the consent page')
      .option('--athlete <id>', 'the athlete that --auto-approve logs in (default: the first)')
      .option('--redirect-uri <uri>', 'register one more redirect URI; may be repeated', collect)
      .option('--exact-redirect-uris', 'compare redirect URIs letter by letter (default)')
      .option('--no-exact-redirect-uris', 'accept loopback redirect URIs on any port')
      .option('--grant-scope <scopes>', 'grant these scopes at most, in quotes (default: all)')
      .option(
        '--unknown-scope <scope>',
        'a scope that the platform lacks; may be repeated',
        collect,
      )
      .optionsGroup('Tokens:')
      .option(
        '--access-ttl <seconds>',
        `lifetime of access tokens (default: ${DEFAULT_SETTINGS.accessTtl})`,
      )
      .option('--refresh-ttl <seconds>', `lifetime of refresh tokens (default: ${BY_REVISION})`)
      .option('--announce-refresh-ttl', `send refresh_token_expires_in (default: ${BY_REVISION})`)
      .option('--no-announce-refresh-ttl', 'do not send it')
      .option('--rotate', `replace the refresh token at each refresh (default: ${BY_REVISION})`)
      .option('--no-rotate', 'keep the refresh token')
      .option('--omit-refresh-token', 'answer a refresh without a refresh token')
      .option('--revoke-on-reuse', 'revoke the login if a replaced refresh token is used'),
  sections: [
    {
      heading: 'Faults, --fault ROUTE:KIND[(PARAM,...)][*COUNT][+SKIP]:',
      terms: {
        ROUTE: FAULT_ROUTES.join(', '),
        KIND: FAULT_KINDS,
        PARAM: FAULT_PARAMS,
        '*COUNT': 'how many requests fail (default: 1); *inf for all',
        '+SKIP': 'how many requests pass first (default: 0)',
      },
    },
  ],
  examples: [
    'sync sandbox --auto-approve',
    "sync sandbox --port 0 --fault 'upload-fit:503*2'",
    "sync sandbox --fault 'any:delay=20ms*inf'  # a slow platform",
    'sync sandbox --revision 2026-02 --data ~/sandbox',
    'sync sandbox --port 0 --wait-ready sandbox.env --log requests.ndjson',
  ],
  documents: ['sandbox.md'],

  async run(context, flags: SandboxFlags) {
    if (flags.data !== undefined) warnOfDistrust(context, flags.data);
    if (flags.waitReady !== undefined) clearReadyFile(flags.waitReady);
    const log =
      flags.log === undefined
        ? undefined
        : openRequestFile(flags.log, ({ message }) => context.warn(message));
    try {
      await serve(context, flags, (record) => {
        context.trace(requestText(record));
        log?.append(record);
      });
    } finally {
      log?.close();
    }
    return ExitCode.ok;
  },
};

/** Serves until the signal. @throws SyncError */
async function serve(
  context: AppContext,
  flags: SandboxFlags,
  onRequest: (record: RequestRecord) => void,
): Promise<void> {
  const { output, signal } = context;
  const sandbox = await start(context, flags, onRequest);
  const ready = readyJson(sandbox, {
    data: flags.data === undefined ? null : resolve(flags.data),
    faults: flags.fault ?? [],
  });
  const file =
    flags.waitReady === undefined
      ? undefined
      : readyFile(flags.waitReady, exportLine(ready.url, ready.clientId));
  try {
    file?.write();
    output.result({ ...ready }, readyText(ready));
    await aborted(signal);
    const stopped = stoppedJson(sandbox);
    output.result({ ...stopped }, stoppedText(stopped));
  } finally {
    file?.remove();
    await sandbox.close();
  }
}

function numberFlag(flag: string, text: string | undefined, least: number, most: number) {
  return text === undefined ? undefined : wholeNumber(flag, text, least, most);
}

/** @throws SyncError `USAGE` for a wrong value, `PORT_IN_USE`, `STORAGE` */
async function start(
  { version }: AppContext,
  flags: SandboxFlags,
  onRequest: (record: RequestRecord) => void,
): Promise<Sandbox> {
  const port = numberFlag('--port', flags.port, 0, 65_535) ?? DEFAULT_SANDBOX_PORT;
  const settings = settingsOf(flags);
  const odd = flags.redirectUri?.find((uri) => !URL.canParse(uri) || uri.includes('#'));
  if (odd !== undefined) {
    throw new SyncError('USAGE', `--redirect-uri ${odd}: not a redirect URI.`, {
      hint: 'Write it whole, such as http://127.0.0.1:8917/callback or com.example.app:/callback.',
    });
  }
  const data = flags.data === undefined ? undefined : resolve(flags.data);
  if (data !== undefined) makeNamedFolder(data, '--data', 0o700);
  try {
    return await startSandbox({
      port,
      data,
      redirectUris: flags.redirectUri,
      faults: flags.fault,
      settings,
      onRequest,
      version,
    });
  } catch (error) {
    throw explained(error, port, data);
  }
}

function settingsOf(flags: SandboxFlags): Partial<SandboxSettings> {
  const { rotate, omitRefreshToken, grantScope, unknownScope } = flags;
  const refreshToken = rotate === undefined ? undefined : rotate ? 'rotate' : 'keep';
  const wanted: { [Name in keyof SandboxSettings]?: SandboxSettings[Name] | undefined } = {
    autoApprove: flags.autoApprove,
    autoApproveAthlete: flags.athlete,
    refreshToken: omitRefreshToken === true ? 'omit' : refreshToken,
    reuseRevokesFamily: flags.revokeOnReuse,
    accessTtl: numberFlag('--access-ttl', flags.accessTtl, 1, MAX_TTL),
    refreshTtl: numberFlag('--refresh-ttl', flags.refreshTtl, 1, MAX_TTL),
    announceRefreshTtl: flags.announceRefreshTtl,
    revision: flags.revision,
    strict: flags.strict,
    nutrition: flags.nutrition,
    nutritionList: flags.nutritionList,
    nutritionEdits: flags.nutritionEdits,
    unknownScopes: unknownScope as readonly Scope[] | undefined,
    uploadItems: flags.uploadItems,
    successFalse: flags.successFalse,
    exactRedirectUris: flags.exactRedirectUris,
    // The settings check the scopes, and name the known ones.
    grantScopes: grantScope === undefined ? undefined : (scopeWords(grantScope) as Scope[]),
    rateLimit: numberFlag('--rate-limit', flags.rateLimit, 1, MAX_RATE),
    addressRateLimit: numberFlag('--address-rate-limit', flags.addressRateLimit, 1, MAX_RATE),
  };
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...Object.fromEntries((flags.set ?? []).map(setting)) };
}

/** Parses `NAME=JSON`; a value that is not JSON counts as text. */
function setting(text: string): [string, unknown] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new SyncError('USAGE', `--set ${text}: not NAME=VALUE.`, {
      hint: `Every setting, such as --set processingMs=null: ${documentUrl('sandbox.md')}`,
    });
  }
  try {
    return [name, parseJson(value)];
  } catch {
    return [name, value];
  }
}

function explained(error: unknown, port: number, data: string | undefined): unknown {
  if (error instanceof FaultSpecError || error instanceof SettingError) {
    return new SyncError('USAGE', error.message, {
      hint: `Every setting, and the grammar of faults: ${documentUrl('sandbox.md')}`,
      cause: error,
    });
  }
  const code = systemCode(error);
  if (code === 'EADDRINUSE' || code === 'EACCES') {
    return new SyncError(
      'PORT_IN_USE',
      code === 'EADDRINUSE'
        ? `Port ${port} on 127.0.0.1 is in use, perhaps by another sandbox.`
        : `This user may not listen on port ${port} of 127.0.0.1.`,
      { hint: 'Choose another with --port N, or any free one with --port 0.', cause: error },
    );
  }
  if (data !== undefined) {
    const reason = error instanceof Error ? error.message : String(error);
    return storageError(data, error, undefined, {
      message: `The sandbox cannot keep its state in ${data}: ${reason}`,
      hint: 'Name a folder that can be written with --data DIR, or leave it out to keep the state in memory.',
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
