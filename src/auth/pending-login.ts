import { existsSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { attempt } from '../base/errors.ts';
import { isObject, parseJson } from '../base/json.ts';
import { Secret } from '../base/secret.ts';
import type { SettingOverrides } from '../config/config.ts';
import { tokenFilePath } from '../credentials/file.ts';
import { readPlainFile } from '../system/plain-file.ts';
import { makeStateFolder, replaceFile, storageError } from '../system/storage.ts';

/** Lifetime of a login that waits for its second command (ms). */
const LIFETIME_MS = 30 * 60_000;

/** What a login in two commands is bound to. */
export interface PendingFacts {
  /** `serviceId` of the platform. */
  readonly service: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly store: 'keychain' | 'file';
  /** The ledger, if the platform does not name the athlete. */
  readonly unnamed: string;
  /** The flags of the first command. */
  readonly overrides: SettingOverrides;
}

export interface PendingLogin extends PendingFacts {
  readonly state: Secret;
  /** ms since 1970 */
  readonly expiresAt: number;
  /**
   * Ends the pending login, and returns the verifier of its code (RFC 7636 section 4.1). By its type, no code can be
   * exchanged twice; undefined if another process did it.
   */
  readonly claim: () => ClaimedLogin | undefined;
}

interface ClaimedLogin {
  readonly verifier: Secret;
  /** Lets the login wait again, if its code was not used. @returns false if the disk refused, or a newer login waits */
  readonly giveBack: () => boolean;
}

/** Keeps a login for its second command, readable by its owner only. @returns when it expires (ms since 1970) */
export function keepPending(
  stateDir: string,
  profile: string,
  facts: PendingFacts,
  { state, verifier }: { readonly state: Secret; readonly verifier: Secret },
  now: number,
): number {
  const path = tokenFilePath(stateDir, profile, 'pending');
  const expiresAt = now + LIFETIME_MS;
  const secrets = { state: state.reveal(), verifier: verifier.reveal() };
  makeStateFolder(dirname(path));
  try {
    write(path, { ...facts, ...secrets, expiresAt });
  } catch (cause) {
    throw storageError(path, cause, 'SYNC_STATE_DIR');
  }
  return expiresAt;
}

/** Returns the login that waits for its second command; undefined if there is none, or its file is damaged. */
export function pendingLogin(stateDir: string, profile: string): PendingLogin | undefined {
  const path = tokenFilePath(stateDir, profile, 'pending');
  const stored = attempt(() => parseJson(readPlainFile(path).toString()));
  if (!isStored(stored)) return undefined;
  const { state, verifier, ...facts } = stored;
  const giveBack = () => {
    if (existsSync(path)) return false;
    return attempt(() => write(path, stored)) !== undefined;
  };
  const claim = () =>
    attempt(() => {
      unlinkSync(path);
      return { verifier: new Secret(verifier), giveBack };
    });
  return { ...facts, state: new Secret(state), claim };
}

function write(path: string, stored: Stored): true {
  replaceFile(path, JSON.stringify(stored), { secret: true });
  return true;
}

type Stored = PendingFacts & {
  readonly state: string;
  readonly verifier: string;
  readonly expiresAt: number;
};

function isStored(value: unknown): value is Stored {
  if (!isObject(value)) return false;
  const { state, verifier, service, clientId, redirectUri, unnamed } = value;
  const { scopes, store, overrides, expiresAt } = value;
  return (
    [state, verifier, service, clientId, redirectUri, unnamed].every(isText) &&
    Array.isArray(scopes) &&
    scopes.every(isText) &&
    (store === 'keychain' || store === 'file') &&
    isObject(overrides) &&
    typeof expiresAt === 'number'
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
