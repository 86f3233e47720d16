import { type Config, requireBaseUrl, requireClientId } from '../config/config.ts';
import type { Io } from '../terminal/io.ts';
import { SyncError, isAbort, messageOf } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { SETTINGS } from '../config/settings.ts';
import type { Notify } from './login-events.ts';

/** Nobody's secret or token response is longer, in bytes. */
const STDIN_LIMIT = 1024 * 1024;

export interface QuestionNeeds {
  readonly config: Config;
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly notify: Notify;
}

/** What a login has to know about the service and the client. */
export interface LoginTarget {
  readonly baseUrl: URL;
  readonly clientId: string;
  /** Absent: none was given; the one that is stored, if any, may still be this client's. */
  readonly clientSecret: Secret | undefined;
}

/**
 * The settings that a login needs; what is missing is asked for.
 *
 * @throws SyncError `CONFIG` that names the flag and the variable, where nobody can be asked.
 */
export async function completeTarget(
  options: { readonly clientSecretStdin: boolean },
  needs: QuestionNeeds,
): Promise<LoginTarget> {
  const { config, io } = needs;
  const knownUrl = config.get('baseUrl');
  const knownClient = config.get('clientId');
  const baseUrl =
    knownUrl ??
    (io.interactive
      ? await askSetting('baseUrl', 'Address of the training service (https://...): ', needs)
      : requireBaseUrl(config));
  const clientId =
    knownClient ??
    (io.interactive ? await askSetting('clientId', 'Client ID: ', needs) : requireClientId(config));

  if (options.clientSecretStdin) {
    return { baseUrl, clientId, clientSecret: await readSecret(needs) };
  }
  if (config.clientSecret !== undefined || knownClient !== undefined || !io.interactive) {
    return { baseUrl, clientId, clientSecret: config.clientSecret };
  }
  const typed = await ask('Client secret (not shown; just Enter if there is none): ', needs, true);
  return { baseUrl, clientId, clientSecret: typed === '' ? undefined : new Secret(typed) };
}

async function askSetting<K extends 'baseUrl' | 'clientId'>(
  key: K,
  question: string,
  needs: QuestionNeeds,
): Promise<NonNullable<(typeof SETTINGS)[K]['fallback']>> {
  for (;;) {
    const typed = await ask(question, needs);
    try {
      return SETTINGS[key].parse(typed) as NonNullable<(typeof SETTINGS)[K]['fallback']>;
    } catch (error) {
      needs.notify({ type: 'answer-refused', message: `That ${messageOf(error)}.` });
    }
  }
}

/** Is the answer yes? Anything but a plain yes is a no. */
export async function confirm(question: string, needs: QuestionNeeds): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(question, needs));
}

/** @throws SyncError `INTERRUPTED` on Ctrl-C, at the end of stdin, and when the signal is aborted. */
export async function ask(
  question: string,
  { io, signal }: Pick<QuestionNeeds, 'io' | 'signal'>,
  hidden = false,
): Promise<string> {
  try {
    return await io.ask(question, { hidden, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!isAbort(error)) throw error;
    throw new SyncError('INTERRUPTED', 'The login was cancelled.', { cause: error });
  }
}

async function readSecret(needs: QuestionNeeds): Promise<Secret> {
  const secret = needs.io.interactive
    ? await ask('Client secret (not shown): ', needs, true)
    : (await readStdin(needs.io, needs.signal)).replace(/[\r\n]+$/, '');
  if (secret === '') {
    throw new SyncError('CONFIG', '--client-secret-stdin: there is nothing on stdin.', {
      hint: 'Pipe the secret in: `sync login --client-secret-stdin < secret.txt`.',
    });
  }
  return new Secret(secret);
}

/** All of stdin, as text. */
export async function readStdin(io: Io, signal: AbortSignal): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of io.readStdin()) {
    signal.throwIfAborted();
    size += part.byteLength;
    if (size > STDIN_LIMIT) throw new SyncError('CONFIG', 'There is far too much on stdin.');
    parts.push(part);
  }
  signal.throwIfAborted();
  return Buffer.concat(parts).toString('utf8');
}
