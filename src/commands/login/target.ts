import type { AppContext } from '../../app/context.ts';
import { SyncError, isAbort, messageOf } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { Secret } from '../../base/secret.ts';
import { type Config, requireBaseUrl, requireClientId } from '../../config/config.ts';
import { SETTINGS } from '../../config/settings.ts';

/** Upper bound for a client secret or a token response on stdin (bytes). */
const STDIN_LIMIT = 1024 * 1024;

/** The service to log in at, and the client to log in with. */
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
    (interactive
      ? await askSetting(context, 'baseUrl', 'Address of the training service (https://...): ')
      : requireBaseUrl(config));
  const clientId =
    knownClient ??
    (interactive ? await askSetting(context, 'clientId', 'Client ID: ') : requireClientId(config));

  if (options.clientSecretStdin) {
    return { baseUrl, clientId, clientSecret: await readSecret(context) };
  }
  if (config.clientSecret !== undefined || knownClient !== undefined || !interactive) {
    return { baseUrl, clientId, clientSecret: config.clientSecret };
  }
  const typed = await askHidden(
    context,
    'Client secret (not shown; just Enter if there is none): ',
  );
  return { baseUrl, clientId, clientSecret: typed === '' ? undefined : new Secret(typed) };
}

async function askSetting<K extends 'baseUrl' | 'clientId'>(
  context: AppContext,
  key: K,
  question: string,
): Promise<NonNullable<(typeof SETTINGS)[K]['fallback']>> {
  for (;;) {
    const typed = await ask(context, question);
    try {
      return SETTINGS[key].parse(typed) as NonNullable<(typeof SETTINGS)[K]['fallback']>;
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
    throw new SyncError('INTERRUPTED', 'The login was cancelled.', { cause: error });
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

/** Reads all of stdin as text. */
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
