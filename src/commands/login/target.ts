import type { AppContext } from '../../app/context.ts';
import { SyncError, isAbort, messageOf } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { Secret } from '../../base/secret.ts';
import { type Config, requireBaseUrl, requireClientId } from '../../config/config.ts';
import { SETTINGS, type SettingKey, type SettingValue } from '../../config/settings.ts';

/** Upper bound for a client secret or a token response on stdin (bytes). */
const STDIN_LIMIT = 1024 * 1024;

export interface LoginTarget {
  readonly baseUrl: URL;
  readonly clientId: string;
  /** Absent: none was given; the store may still hold the secret of this client. */
  readonly clientSecret: Secret | undefined;
}

/**
 * Collects the settings that a login needs, and asks for missing ones at a terminal.
 *
 * @throws SyncError `CONFIG` that names the flag and the variable, if there is no terminal.
 */
export async function completeTarget(
  context: AppContext,
  config: Config,
  options: { readonly clientSecretStdin: boolean },
): Promise<LoginTarget> {
  const { interactive } = context.io;
  const knownClient = config.get('clientId');
  const baseUrl =
    config.get('baseUrl') ??
    (interactive ? await askSetting(context, 'baseUrl') : requireBaseUrl(config));
  const clientId =
    knownClient ?? (interactive ? await askSetting(context, 'clientId') : requireClientId(config));

  if (options.clientSecretStdin) {
    return { baseUrl, clientId, clientSecret: await readSecret(context) };
  }
  if (config.clientSecret !== undefined || knownClient !== undefined || !interactive) {
    return { baseUrl, clientId, clientSecret: config.clientSecret };
  }
  const typed = await askHidden(context, 'Client secret (not shown; Enter if there is none): ');
  return { baseUrl, clientId, clientSecret: typed === '' ? undefined : new Secret(typed) };
}

const QUESTIONS = {
  baseUrl: {
    question: 'Platform address, e.g. https://training.example.com: ',
    /** Completes an address without a scheme, as a browser does. */
    read: (typed: string) =>
      /^[\w-]+(?:\.[\w-]+)+(?:[:/]|$)/.test(typed) ? `https://${typed}` : typed,
  },
  clientId: {
    about: "The client ID is on your platform's page for developers.",
    question: 'Client ID, e.g. my-client: ',
    read: (typed: string) => typed,
  },
} as const satisfies Partial<Record<SettingKey, object>>;

async function askSetting<K extends keyof typeof QUESTIONS>(
  context: AppContext,
  key: K,
): Promise<NonNullable<SettingValue<K>>> {
  const asked = QUESTIONS[key];
  if ('about' in asked) context.warn(asked.about);
  for (;;) {
    const typed = await ask(context, asked.question);
    try {
      return SETTINGS[key].parse(asked.read(typed)) as NonNullable<SettingValue<K>>;
    } catch (error) {
      context.warn(`That ${messageOf(error)}.`);
    }
  }
}

/** Asks a yes-or-no question. Anything but a plain yes is a no. */
export async function confirm(context: AppContext, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(context, question));
}

/** @throws SyncError `INTERRUPTED` on Ctrl-C and at the end of stdin; the signal's reason. */
export async function ask(
  { io, signal }: Pick<AppContext, 'io' | 'signal'>,
  question: string,
  { hidden = false } = {},
): Promise<string> {
  try {
    return await io.ask(question, { hidden, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!isAbort(error)) throw error;
    throw new SyncError('INTERRUPTED', 'Cancelled.', { cause: error });
  }
}

async function askHidden(context: AppContext, question: string): Promise<string> {
  return await ask(context, question, { hidden: true });
}

async function readSecret(context: AppContext): Promise<Secret> {
  const secret = context.io.interactive
    ? await askHidden(context, 'Client secret (not shown): ')
    : (await readStdin(context)).replace(/[\r\n]+$/, '');
  if (secret === '') {
    throw new SyncError('CONFIG', '--client-secret-stdin: stdin is empty.', {
      hint: phrase`Pipe the secret in: ${sync('login', '--client-secret-stdin').withInput('< secret.txt')}.`,
    });
  }
  return new Secret(secret);
}

export async function readStdin({ io, signal }: AppContext): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of io.readStdin()) {
    signal.throwIfAborted();
    size += part.byteLength;
    if (size > STDIN_LIMIT) throw new SyncError('CONFIG', 'Input on stdin exceeds 1 MB.');
    parts.push(part);
  }
  signal.throwIfAborted();
  return Buffer.concat(parts).toString('utf8');
}
