import { ExitCode } from '../../src/base/errors.ts';
import { SETTINGS } from '../../src/config/settings.ts';

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
  {
    name: 'SYNC_ACCOUNT',
    about: 'your name for the athlete of these tokens, if the platform names none',
  },
  { name: 'SYNC_CLIENT_SECRET', about: 'client secret, if the platform gave this application one' },
  { name: 'SYNC_ACCESS_TOKEN', about: 'access token to use instead of a stored login' },
  {
    name: 'SYNC_REFRESH_TOKEN',
    about: 'refresh token to use instead of a stored login; needs SYNC_CLIENT_ID',
  },
  { name: 'SYNC_CONFIG_DIR', about: 'folder of the configuration file' },
  { name: 'SYNC_STATE_DIR', about: 'folder of the record of sent data, locks and logs' },
  {
    name: 'SYNC_DEVICE_FOLDERS',
    about: 'folders in which devices are mounted, in place of the usual ones; separated as in PATH',
  },
  { name: 'NO_COLOR', about: 'if set, output has no colours' },
  { name: 'FORCE_COLOR', about: 'if set, output has colours, also in a pipe; 0: none' },
  { name: 'CLICOLOR', about: '0: output has no colours' },
  { name: 'HTTPS_PROXY', about: 'proxy for https addresses' },
  { name: 'NO_PROXY', about: 'hosts and networks to reach without the proxy' },
];

/** What each exit code tells a script. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  [ExitCode.ok]: 'everything is delivered (uploaded, pushed, duplicate, skipped, undone)',
  [ExitCode.internal]: 'a fault of the program itself, or of the disk',
  [ExitCode.usage]: 'the command or the configuration is wrong; nothing was done',
  [ExitCode.invalidInput]: 'some input was invalid; the rest was done',
  [ExitCode.loginNeeded]: 'a login, or a scope, is missing',
  [ExitCode.unavailable]:
    'the platform could not be reached or keeps failing, or a device was unplugged; try again later',
  [ExitCode.refused]:
    'the platform refused something for good, or holds something that cannot be corrected; `sync verify`: one is missing',
  [ExitCode.interrupted]: 'interrupted',
};
