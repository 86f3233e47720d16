import { SETTINGS } from './settings.ts';

/** An environment variable that changes what the program does. */
interface Variable {
  readonly name: string;
  readonly about: string;
}

/** The environment variables for users: those of settings first. */
export const VARIABLES: readonly Variable[] = [
  ...Object.values(SETTINGS).flatMap(({ env, about }) =>
    env === undefined ? [] : [{ name: env, about }],
  ),
  { name: 'SYNC_PROFILE', about: 'the account to use, if there is no --profile' },
  { name: 'SYNC_CLIENT_SECRET', about: 'client secret, if the service gave this application one' },
  { name: 'SYNC_ACCESS_TOKEN', about: 'access token to use instead of a stored login' },
  {
    name: 'SYNC_REFRESH_TOKEN',
    about: 'refresh token to use instead of a stored login; needs SYNC_CLIENT_ID',
  },
  { name: 'SYNC_CONFIG_DIR', about: 'folder of the configuration file' },
  { name: 'SYNC_STATE_DIR', about: 'folder of the ledger, locks and logs' },
  {
    name: 'SYNC_DEVICE_FOLDERS',
    about: 'folders in which devices are mounted, in place of the usual ones; separated as in PATH',
  },
  { name: 'NO_COLOR', about: 'if set, output has no colours' },
  { name: 'HTTPS_PROXY', about: 'proxy for https addresses' },
  { name: 'NO_PROXY', about: 'hosts to reach without the proxy' },
];
