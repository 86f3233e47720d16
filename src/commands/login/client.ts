import { existsSync } from 'node:fs';
import type { Http } from '../../api/http.ts';
import { agrees } from '../../app/confirm.ts';
import type { AppContext } from '../../app/context.ts';
import {
  type NewClient,
  type NotRegistered,
  findRegistration,
  isSameUri,
  registerClient,
} from '../../auth/registration.ts';
import { withLoginLock } from '../../auth/login-lock.ts';
import { SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import type { Config } from '../../config/config.ts';
import { changeProfile } from '../../config/config-write.ts';
import { serviceId } from '../../config/endpoints.ts';
import { addressesOf, platformAt } from '../../config/platforms.ts';
import { forgetClients, keepClient, registeredClient } from '../../credentials/clients.ts';

export interface ClientFlags {
  readonly register: boolean;
  readonly clientName?: string;
  readonly withToken: boolean;
  readonly start: boolean;
}

/** The name that uploads carry in the platform's lists and on public pages: so it names no computer. */
const CLIENT_NAME = 'sync';

/** All profiles share a public registration, so they share its lock. No profile has this name. */
const ALL_PROFILES = '-clients';

/**
 * Returns the client that is registered for this computer, or registers one if the user agrees.
 *
 * @param redirectUri that the login listens on
 * @returns undefined if there is none: the reason was shown, if there is one
 * @throws SyncError `USAGE` if `--register` is not possible here; `SERVICE_UNAVAILABLE` if it fails without a terminal;
 *   `BUSY`, `STORAGE`, `INTERRUPTED`
 */
export async function registeredFor(
  context: AppContext,
  config: Config,
  http: Http,
  baseUrl: URL,
  redirectUri: string,
  flags: ClientFlags,
): Promise<(NewClient & { readonly isNew: boolean }) | undefined> {
  const { stateDir } = config.paths;
  const service = serviceId(baseUrl);
  const { clientName = CLIENT_NAME } = flags;
  const known = () => {
    const client = registeredClient(stateDir, service);
    if (client === undefined || !isSameUri(client.redirectUri, redirectUri)) return undefined;
    const hasName = (flags.clientName ?? client.clientName) === client.clientName;
    return hasName ? { ...client, isNew: false } : undefined;
  };
  const before = flags.withToken ? undefined : known();
  if (before !== undefined) return before;
  const { interactive } = context.io;
  const obstacle = whyNever(context, config, redirectUri, flags);
  if (obstacle !== undefined) {
    if (flags.register) throw new SyncError('USAGE', `--register: ${obstacle}.`);
    if (interactive) context.warn(`No application is registered: ${obstacle}.`);
    return undefined;
  }
  if (!interactive && !flags.register) return undefined;
  const title = platformAt(baseUrl)?.title ?? baseUrl.host;
  const found = await findRegistration(context, http, addressesOf(baseUrl));
  if ('why' in found) {
    say(found);
    return undefined;
  }
  if (found.givesSecret && flags.start) throw noSecretKept(true);
  if (flags.clientName !== undefined) {
    context.warn(
      `Uploads carry the name "${clientName}" in the platform's lists and on public pages.`,
    );
  }
  const isNamedHere = config.originOf('baseUrl') !== 'environment';
  if (!flags.register || !isNamedHere) {
    if (!interactive) {
      throw new SyncError(
        'USAGE',
        `Only SYNC_BASE_URL names ${service}: nothing is registered there.`,
        {
          hint: phrase`Name the platform yourself: ${sync('login', service, '--register')}.`,
        },
      );
    }
    const question = `${title} can register an application named "${clientName}" for this computer. Register?`;
    if (!(await agrees(context, question, { onEnter: true }))) return undefined;
  }
  // Two logins at once make one registration.
  return await withLoginLock(context, { stateDir, profile: ALL_PROFILES }, async () => {
    const meanwhile = known();
    if (meanwhile !== undefined) return meanwhile;
    const client = await registerClient(context, http, found, { clientName, redirectUri });
    if ('why' in client) {
      say(client);
      return undefined;
    }
    const { secret, ...kept } = client;
    keepClient(config, service, kept);
    return { ...kept, secret, isNew: true };
  });

  function say({ why, mayPass = false }: NotRegistered): void {
    const message = `${title} ${why}.`;
    // Without a terminal, there is nobody to ask for a client ID.
    if (mayPass && !interactive) throw new SyncError('SERVICE_UNAVAILABLE', message);
    context.warn(message);
  }
}

/** Returns the error for a login in two commands. @param isRegistered the platform gives the secret itself */
export function noSecretKept(isRegistered: boolean): SyncError {
  return new SyncError('USAGE', '--start keeps no client secret for --finish.', {
    hint: isRegistered
      ? phrase`The platform registers applications with a secret. Run ${sync('login', '--register')} without --start.`
      : 'Set SYNC_CLIENT_SECRET for both commands.',
  });
}

/** Forgets the client of the profile, and the registration of this computer at the platform. */
export async function forgetClient(config: Config, baseUrl: URL | undefined): Promise<void> {
  const { paths, profile, profiles } = config;
  if (baseUrl !== undefined) forgetClients(config, serviceId(baseUrl));
  if (!profiles.includes(profile)) return;
  await changeProfile(paths, profile, { settings: { clientId: null } });
}

/** Returns why `sync` must not register a client here; undefined if it may. */
function whyNever(
  { env }: AppContext,
  config: Config,
  redirectUri: string,
  { withToken }: ClientFlags,
): string | undefined {
  if (withToken) return 'the tokens on stdin have their client';
  const { port, pathname } = new URL(redirectUri);
  if (port === '0') return 'a registered redirect URI has one port, not any free one';
  // Coach Watts gives such a registration the client of another program.
  if (pathname.endsWith('/callback'))
    return 'the path of the redirect URI must not end in /callback';
  // Each run of such a container would register another client.
  const isContainer = existsSync('/.dockerenv') || (env['container'] ?? '') !== '';
  const hasState = (env['SYNC_STATE_DIR'] ?? '').trim() !== '';
  return isContainer && !hasState
    ? 'set SYNC_STATE_DIR to a folder that the container keeps'
    : undefined;
}
