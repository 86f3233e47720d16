import { once } from 'node:events';
import { resolve } from 'node:path';
import { ChoiceOption, type CommandModule, collect, wholeNumber } from '../app/command.ts';
import { warnOfDistrust } from '../app/config.ts';
import type { AppContext } from '../app/context.ts';
import { lockSandboxFolder } from '../app/sandbox-folder.ts';
import { VERSION, documentUrl } from '../base/version.ts';
import { ExitCode, SyncError, messageOf, systemCode } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { programName } from '../base/phrase.ts';
import { mostSimilar } from '../base/similar.ts';
import { FAULT_KINDS, FAULT_PARAMS, FAULT_ROUTES, FaultSpecError } from '../sandbox/faults/spec.ts';
import { DEFAULT_SANDBOX_PORT, startSandbox } from '../sandbox/server.ts';
import {
  DEFAULT_SETTINGS,
  PLATFORM_NOTES,
  type PlatformName,
  SettingError,
  SETTINGS,
  type SettingFacts,
} from '../sandbox/settings.ts';
import { storageError } from '../system/storage.ts';
import { exportLine } from '../sandbox/export-line.ts';
import { clearReadyFile, openRequestFile, readyFile } from './sandbox-files.ts';
import { readyJson, readyText, requestText, stoppedJson, stoppedText } from './sandbox-words.ts';
import type { RequestRecord } from '../sandbox/types.ts';

/** The flags as commander parses them; an absent flag keeps the sandbox's default. */
export interface SandboxFlags {
  readonly port?: string;
  readonly data?: string;
  readonly autoApprove?: boolean;
  readonly platform?: PlatformName;
  readonly redirectUri?: readonly string[];
  readonly set?: readonly string[];
  readonly fault?: readonly string[];
  readonly waitReady?: string;
  readonly log?: string;
}

/** Serves the emulated platform on 127.0.0.1 until a signal stops it; docs/sandbox.md. */
export const sandbox: CommandModule = {
  declare: (command) =>
    command
      .option(
        '--port <n>',
        `port to listen on; 0 for any free one (default: ${DEFAULT_SANDBOX_PORT})`,
      )
      .option('--data <dir>', 'keep the data in this folder (default: in memory)')
      .option('--auto-approve', 'approve logins without the consent page')
      .addOption(
        new ChoiceOption(
          '--platform <name>',
          'kind of platform to emulate',
          PLATFORM_NOTES,
        ).default(undefined, DEFAULT_SETTINGS.platform),
      )
      .option('--redirect-uri <uri>', 'register one more redirect URI; may be repeated', collect)
      .option(
        '--fault <spec>',
        "fail, such as 'upload-fit:503*2': see below; may be repeated",
        collect,
      )
      .option('--set <name=value>', 'change a setting: see below; may be repeated', collect)
      .option(
        '--wait-ready <file>',
        'write this file when it answers requests, and remove it at the end',
      )
      .option('--log <file>', 'append each request to this file as a line of JSON'),
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
    {
      heading: 'Settings, --set NAME=VALUE (here the defaults):',
      terms: Object.fromEntries([...SETTINGS].map(settingTerm)),
    },
  ],
  examples: [
    'sync sandbox --auto-approve',
    "sync sandbox --port 0 --fault 'upload-fit:503*2'",
    "sync sandbox --fault 'any:delay=20ms*inf'  # a slow platform",
    'sync sandbox --platform interface --data ~/sandbox',
    'sync sandbox --set accessTtl=5 --set refreshToken=rotate',
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
  const { sandbox, stop } = await start(flags, onRequest);
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
    output.result(ready, readyText(ready));
    if (!signal.aborted) await once(signal, 'abort');
    const stopped = stoppedJson(sandbox);
    output.result(stopped, stoppedText(stopped));
  } finally {
    file?.remove();
    await stop();
  }
}

/** `accessTtl=3600`, `lifetime of access tokens, seconds` */
function settingTerm([name, { meaning, byDefault }]: [string, SettingFacts]): [string, string] {
  const value = typeof byDefault === 'string' ? byDefault : JSON.stringify(byDefault);
  return [`${name}=${value}`, meaning.replaceAll('`', '')];
}

/** @throws SyncError `USAGE` for a wrong value, `PORT_IN_USE`, `STORAGE`, `BUSY` */
async function start(flags: SandboxFlags, onRequest: (record: RequestRecord) => void) {
  const port = wholeNumber('--port', flags.port ?? String(DEFAULT_SANDBOX_PORT), 0, 65_535);
  const { platform, autoApprove } = flags;
  const settings = {
    ...Object.fromEntries((flags.set ?? []).map(setting)),
    ...(platform === undefined ? {} : { platform }),
    ...(autoApprove === undefined ? {} : { autoApprove }),
  };
  const odd = flags.redirectUri?.find((uri) => !URL.canParse(uri) || uri.includes('#'));
  if (odd !== undefined) {
    throw new SyncError('USAGE', `--redirect-uri ${odd}: not a redirect URI.`, {
      hint: 'Write it whole, such as http://127.0.0.1:8917/login or com.example.app:/callback.',
    });
  }
  const data = flags.data === undefined ? undefined : resolve(flags.data);
  const lock = data === undefined ? undefined : lockSandboxFolder(data, '--data');
  try {
    const sandbox = await startSandbox({
      port,
      data,
      redirectUris: flags.redirectUri,
      faults: flags.fault,
      settings,
      onRequest,
      version: VERSION,
    });
    const stop = async () => {
      try {
        await sandbox.close();
      } catch (error) {
        throw explained(error, port, data);
      } finally {
        lock?.release();
      }
    };
    return { sandbox, stop };
  } catch (error) {
    lock?.release();
    throw explained(error, port, data);
  }
}

const SETTINGS_HINT = `${programName()} sandbox --help lists every setting.`;

/** Parses `NAME=JSON`; a value that is not JSON counts as text. */
function setting(text: string): [string, unknown] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new SyncError('USAGE', `--set ${text}: not NAME=VALUE.`, {
      hint: `Write it as in --set accessTtl=5. ${SETTINGS_HINT}`,
    });
  }
  try {
    return [name, parseJson(value)];
  } catch {
    return [name, value];
  }
}

function explained(error: unknown, port: number, data: string | undefined): unknown {
  if (error instanceof FaultSpecError) {
    const hint = `The grammar of faults: ${documentUrl('sandbox.md')}`;
    return new SyncError('USAGE', error.message, { hint, cause: error });
  }
  if (error instanceof SettingError) {
    const { setting: name, message } = error;
    const meant = SETTINGS.has(name) ? undefined : mostSimilar(name, [...SETTINGS.keys()]);
    return new SyncError(
      'USAGE',
      SETTINGS.has(name) ? `--set ${message}.` : `--set ${name}: there is no such setting.`,
      {
        hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}${SETTINGS_HINT}`,
        cause: error,
      },
    );
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
    return storageError(data, error, undefined, {
      message: `The sandbox cannot keep its state in ${data}: ${messageOf(error)}`,
      hint: 'Name a folder that can be written with --data DIR, or leave it out to keep the state in memory.',
    });
  }
  return error;
}
