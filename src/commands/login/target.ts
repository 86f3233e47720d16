import type { Http } from '../../api/http.ts';
import type { AppContext } from '../../app/context.ts';
import { type NewClient, isSameUri } from '../../auth/registration.ts';
import { SyncError, messageOf } from '../../base/errors.ts';
import { joinTexts, linesOf, phrase, sync, withProgramName } from '../../base/phrase.ts';
import { Secret } from '../../base/secret.ts';
import { type Config, isSecretOf, requireClientId } from '../../config/config.ts';
import { serviceId } from '../../config/endpoints.ts';
import { PLATFORMS, askedScopes, platformAt, platformNamed } from '../../config/platforms.ts';
import { NUTRITION_READ } from '../../config/scopes.ts';
import { CALLBACK_PATH, SETTINGS } from '../../config/settings.ts';
import { registrationOf } from '../../credentials/clients.ts';
import { whyNoBrowser } from './by-hand.ts';
import { type ClientFlags, forgetClient, registeredFor } from './client.ts';

/** Upper bound for a client secret or a token response on stdin (bytes). */
const STDIN_LIMIT = 1024 * 1024;

export interface LoginTarget {
  readonly baseUrl: URL;
  readonly clientId: string;
  /** Absent: none was given; the store may still hold the secret of this client. */
  readonly clientSecret: Secret | undefined;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** This computer registered the client; `isNew`: in this login. */
  readonly registered: (NewClient & { readonly isNew: boolean }) | undefined;
}

/** What the user typed at the terminal. */
interface Typed {
  baseUrl?: URL | undefined;
  clientId?: string | undefined;
  clientSecret?: Secret | 'none' | undefined;
}

/** Collects what a login needs. Asks at a terminal for missing values, and again for those the platform refused. */
export function targetQuestions(
  context: AppContext,
  config: Config,
  http: Http,
  flags: ClientFlags & { readonly clientSecretStdin: boolean },
) {
  const { interactive } = context.io;
  const typed: Typed = {};
  /** What was typed when the platform refused a part of it: that may be right now. */
  let refused: Typed = {};
  let secretFromStdin: Secret | undefined;
  /** The platform no longer knows the configured client. */
  let isForgotten = false;

  return {
    /** @throws SyncError `CONFIG` that names the flag and the variable, if there is no terminal. */
    async target(): Promise<LoginTarget> {
      const baseUrl =
        config.get('baseUrl') ??
        (typed.baseUrl ??= interactive ? await askPlatform(context, refused.baseUrl) : unnamed());
      const portal = platformAt(baseUrl)?.portal;
      const scopes = askedScopes(config, baseUrl);
      const configured = isForgotten ? undefined : knownClient(config, baseUrl);
      const known = configured ?? platformAt(baseUrl)?.clientId ?? typed.clientId;
      const registered = await registeredAt(baseUrl, known);
      const again = refused.clientId;
      const clientId =
        known ??
        registered?.clientId ??
        (interactive
          ? (typed.clientId = await askClientId(context, config, scopes, portal, again))
          : requireClientId(config, { isForgotten, isRegistering: flags.register }));
      const clientSecret = registered?.secret ?? (await secretOf(baseUrl, clientId, registered));
      const ours = redirectUriOf(config);
      const isOurs = registered !== undefined && isSameUri(registered.redirectUri, ours);
      const redirectUri = isOurs ? registered.redirectUri : ours;
      return { baseUrl, clientId, clientSecret, scopes, redirectUri, registered };
    },

    /**
     * Takes back the answer that the platform refused: the next target asks for it again.
     *
     * @returns false if neither the user nor an earlier registration gave it
     */
    async takeBack(error: SyncError, target: LoginTarget | undefined): Promise<boolean> {
      if (isUnknownClient(error, target?.registered)) {
        await forgetClient(config, target?.baseUrl);
        isForgotten = true;
        return true;
      }
      const { setting, error: refusal } = error.details;
      const wrong = refusal === 'invalid_client' ? 'clientSecret' : setting;
      const answers = ['baseUrl', 'clientId', 'clientSecret'] as const;
      const answer = answers.find((key) => key === wrong && typed[key] !== undefined);
      if (answer === undefined) return false;
      refused = { [answer]: typed[answer] };
      typed[answer] = undefined;
      return true;
    },
  };

  /** Returns the client that this computer registered, or registers one if no other client is known. */
  async function registeredAt(
    baseUrl: URL,
    known: string | undefined,
  ): Promise<LoginTarget['registered']> {
    if (known !== undefined) {
      const stored = registrationOf(config, serviceId(baseUrl), known);
      return stored && { ...stored, isNew: false };
    }
    if (refused.clientId !== undefined) return undefined;
    return await registeredFor(context, config, http, baseUrl, redirectUriOf(config), flags);
  }

  async function secretOf(
    baseUrl: URL,
    clientId: string,
    registered: LoginTarget['registered'],
  ): Promise<Secret | undefined> {
    if (registered?.isPublic === true) {
      if (!flags.clientSecretStdin) return undefined;
      throw new SyncError(
        'USAGE',
        '--client-secret-stdin: the client that sync registered has none.',
      );
    }
    if (flags.clientSecretStdin) return (secretFromStdin ??= await readSecret(context));
    const given = isSecretOf(config, baseUrl, clientId) ? config.clientSecret : undefined;
    if (given === undefined && config.clientSecret !== undefined) {
      context.warn(
        phrase`SYNC_CLIENT_SECRET is not sent to ${serviceId(baseUrl)}: it belongs to the platform and the client that the variables, the profile or the presets name. If this client has a secret, run ${sync('login', '--client-secret-stdin')}.`,
      );
    }
    // With PKCE, a client at a known platform needs none.
    const mayHaveNone = typed.clientId === undefined || platformAt(baseUrl) !== undefined;
    if (given !== undefined || mayHaveNone) return given;
    typed.clientSecret ??= await askSecret(context);
    return typed.clientSecret === 'none' ? undefined : typed.clientSecret;
  }
}

async function askSecret({ io, signal }: AppContext): Promise<Secret | 'none'> {
  const question = 'Client secret (not shown; Enter if there is none): ';
  const typed = await io.ask(question, { hidden: true, signal });
  return typed === '' ? 'none' : new Secret(typed);
}

/** Returns whether the platform no longer knows the client that this computer registered earlier. */
export function isUnknownClient(
  { details }: SyncError,
  registered: LoginTarget['registered'],
): boolean {
  const { setting, error } = details;
  const isRefused = setting === 'clientId' || error === 'invalid_client';
  return isRefused && registered !== undefined && !registered.isNew;
}

function unnamed(): never {
  throw new SyncError('CONFIG', 'No platform is named.', {
    hint: phrase`Run ${sync('login', 'PLATFORM')}, or set SYNC_BASE_URL.`,
    details: { setting: 'baseUrl' },
  });
}

/** Returns the configured client ID, unless it was saved by a login at another platform. */
function knownClient(config: Config, baseUrl: URL): string | undefined {
  const saved = config.saved.baseUrl;
  const isOther = saved !== undefined && saved !== serviceId(baseUrl);
  return isOther && config.originOf('clientId') === 'profile' ? undefined : config.get('clientId');
}

/**
 * The redirect URI of a login: `--port` overrides a registered URI from the configuration, and the
 * profile's port overrides a URI that is preset for all users.
 */
function redirectUriOf(config: Config): string {
  const registered = config.get('redirectUri');
  const portFrom = config.originOf('redirectPort');
  const portWins =
    portFrom === 'flag' || (portFrom === 'profile' && config.originOf('redirectUri') === 'system');
  if (registered !== undefined && !portWins) return registered;
  return `http://127.0.0.1:${config.get('redirectPort')}${CALLBACK_PATH}`;
}

/** Returns the address of a known platform, or the typed address, completed with `https://` if it lacks a scheme. */
export function platformAddress(typed: string): string {
  const known = PLATFORMS[Number(typed) - 1] ?? platformNamed(typed);
  if (known !== undefined) return known.baseUrl;
  return /^[\w-]+(?:\.[\w-]+)+(?:[:/]|$)/.test(typed) ? `https://${typed}` : typed;
}

/** @param again the address that failed; it may answer now */
async function askPlatform(context: AppContext, again: URL | undefined): Promise<URL> {
  const width = Math.max(...PLATFORMS.map(({ title }) => title.length));
  const choices = PLATFORMS.map(
    ({ title, baseUrl, remark = '' }, index) =>
      `  ${index + 1}  ${title.padEnd(width)}  ${baseUrl}${withProgramName(remark)}`,
  );
  context.warn(linesOf(['Which platform?', ...choices].join('\n')));
  const question = `Number, name, or the address of another one${onEnter(again?.host)}: `;
  return await answered(context, question, (typed) => {
    if (typed === '' && again !== undefined) return again;
    const address = platformAddress(typed);
    if (/^\d*$/.test(address)) {
      throw new Error(`Type ${PLATFORMS.map((_, index) => index + 1).join(' or ')}, or an address`);
    }
    return SETTINGS.baseUrl.parse(address) as URL;
  });
}

function onEnter(again: string | undefined): string {
  return again === undefined ? '' : ` (Enter tries ${again} again)`;
}

/** @param again the client ID that the platform refused; it may know it now */
async function askClientId(
  context: AppContext,
  config: Config,
  scopes: readonly string[],
  portal: string | undefined,
  again: string | undefined,
): Promise<string> {
  const { env, platform } = context;
  const page = whyNoBrowser(env, platform) === undefined ? portal : undefined;
  const question = `Client ID${onEnter(again)}${page === undefined || again !== undefined ? '' : ' (Enter opens that page)'}: `;
  if (again === undefined) {
    const lines = [
      `Create an application ${portal === undefined ? "on the platform's page for developers" : `at ${portal}`}, with:`,
      `  Redirect URI  ${redirectUriOf(config)}`,
      `  Scopes        ${scopes.join(' ')}`,
      ...(scopes.includes('nutrition:read') ? [`                ${NUTRITION_READ}`] : []),
    ];
    context.warn(joinTexts(lines));
  }
  for (;;) {
    const typed = await answered(context, question, (text) => {
      if (/^https?:/i.test(text)) throw new Error('is an address, not a client ID');
      return text === '' && (again ?? page) !== undefined ? '' : SETTINGS.clientId.parse(text);
    });
    if (typed !== undefined && typed !== '') return typed;
    if (again !== undefined) return again;
    await context
      .openBrowser(page ?? '')
      .catch(() => context.warn('No browser could be started: open that page yourself.'));
  }
}

/** Asks until the answer is valid. @param read throws an `Error`; its message completes "That ..." */
async function answered<T>(
  { io, signal, warn }: AppContext,
  question: string,
  read: (typed: string) => T,
): Promise<T> {
  for (;;) {
    const typed = await io.ask(question, { signal });
    try {
      return read(typed);
    } catch (error) {
      const problem = messageOf(error);
      warn(/^["A-Z]/.test(problem) ? `${problem}.` : `That ${problem}.`);
    }
  }
}

async function readSecret(context: AppContext): Promise<Secret> {
  const secret = context.io.interactive
    ? await context.io.ask('Client secret (not shown): ', { hidden: true, signal: context.signal })
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
  for await (const part of io.readStdin(signal)) {
    size += part.byteLength;
    if (size > STDIN_LIMIT) throw new SyncError('CONFIG', 'Input on stdin exceeds 1 MB.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
