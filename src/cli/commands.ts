import { type CommandDeclaration, choice, dryRun, start } from './declaration.ts';
import { sandboxFlags } from './sandbox-flags.ts';

/** Every command there is, in the order of the help. */
export const COMMANDS: readonly CommandDeclaration[] = [
  {
    name: 'login',
    summary: 'log in through the browser',
    declare: (command) =>
      command
        .option('--base-url <url>', 'address of the service')
        .option('--client-id <id>', 'client identifier')
        .option('--client-secret-stdin', 'read the client secret from stdin', false)
        .option('--scope <scopes>', 'scopes to ask for, in quotes; saved for later logins')
        .option('--port <n>', 'port of the redirect URI; 0: any')
        .option('--redirect-uri <uri>', 'the redirect URI that is registered at the service')
        .option('--no-browser', 'show the address instead of opening it')
        .option('--timeout <duration>', 'how long to wait for the answer, such as 5m or 90s')
        .addOption(choice('--store <where>', 'where the login is kept', ['keychain', 'file']))
        .option('--with-token', 'read a token response (JSON) from stdin', false),
    start: async () => start((await import('./login.ts')).login),
  },
  {
    name: 'logout',
    summary: 'revoke the login and forget it',
    declare: (command) => command.option('--local-only', 'forget it here, do not revoke it', false),
    start: async () => start((await import('./login.ts')).logout),
  },
  {
    name: 'status',
    summary: 'show the account, the login, the daemon and what was sent',
    declare: (command) =>
      command.option('--check', 'ask the service whether it accepts the login', false),
    start: async () => start((await import('./status.ts')).status),
  },
  {
    name: 'token',
    summary: 'print a valid access token, for scripts',
    start: async () => start((await import('./login.ts')).token),
  },
  {
    name: 'upload',
    summary: 'upload recordings: files, and folders of them',
    load: async () => (await import('../commands/upload.ts')).upload,
  },
  {
    name: 'push',
    summary: 'send wellness or nutrition records (JSON)',
    subcommands: (['wellness', 'nutrition'] as const).map((kind) => ({
      name: kind,
      summary:
        kind === 'wellness'
          ? 'send wellness records, one request a day'
          : 'send nutrition records, each item once; the same file replaces what it sent before, another adds to the day',
      declare: (command) => {
        command
          .argument('<file...>', 'JSON or NDJSON files (see docs/records.md); - is stdin')
          .option('--tz <zone>', 'time zone that decides about dates, such as Europe/Berlin')
          .option(
            '--force',
            kind === 'wellness'
              ? 'send even what is unchanged'
              : 'look at unchanged days too, and overwrite what was edited in the platform',
            false,
          )
          .option(
            '--strict',
            'refuse unknown fields, days far ahead, and values that would have to be adapted',
            false,
          )
          .option('--raw', 'send each record as it was read along, as rawJson', false)
          .option('--jobs <n>', 'days at once')
          .addOption(dryRun());
        if (kind === 'wellness') return;
        command
          .option('--add', 'keep what was sent before, also what the input no longer has', false)
          .option('--replace-day', 'remove what was sent before and is not in the input', false)
          .option('--assume-arrived', 'you have looked: items that got no answer are there', false);
      },
      start: async () => start((await import('./push.ts')).push[kind]),
    })),
  },
  {
    name: 'undo',
    summary: 'take back what was sent from here',
    subcommands: [
      {
        name: 'nutrition',
        summary: 'remove the items of a day that were sent from here',
        declare: (command) =>
          command
            .argument('<date>', 'YYYY-MM-DD, today, yesterday or 7d')
            .option('--force', 'also items that were edited in the platform', false)
            .addOption(dryRun()),
        start: async () => start((await import('./undo.ts')).undoNutrition),
      },
    ],
  },
  {
    name: 'profile',
    summary: "show the athlete's profile, or update weight and FTP",
    declare: (command) =>
      command
        .option('--weight <kg>', 'body weight, kg')
        .option('--ftp <watts>', 'functional threshold power, W')
        .option('--force', "send a weight even if the athlete's display unit cannot be read", false)
        .addOption(dryRun()),
    start: async () => start((await import('./profile.ts')).profile),
  },
  {
    name: 'workouts',
    summary: 'list workouts',
    declare: (command) =>
      command
        .option('--since <date>', 'from this day on: YYYY-MM-DD, today, yesterday, 7d')
        .option('--until <date>', 'up to this day')
        .option('--limit <n>', 'how many at most, the newest first (default: 20)'),
    start: async () => start((await import('./workouts.ts')).workouts),
  },
  {
    name: 'verify',
    summary: 'check that every uploaded recording became a workout',
    declare: (command) =>
      command.option('--since <date>', 'recordings from this day on: YYYY-MM-DD, today, 7d'),
    start: async () => start((await import('./verify.ts')).verify),
  },
  {
    name: 'watch',
    summary: 'upload new recordings from a device folder as they appear',
    load: async () => (await import('../commands/watch/watch.ts')).watch,
  },
  {
    name: 'daemon',
    summary: 'manage watchers in the background',
    subcommands: [
      {
        name: 'status',
        summary: 'show the daemons of this profile',
        load: async () => (await import('../commands/daemon.ts')).daemonStatus,
      },
      {
        name: 'stop',
        summary: 'stop running daemons',
        load: async () => (await import('../commands/daemon.ts')).daemonStop,
      },
      {
        name: 'logs',
        summary: 'show daemon logs',
        load: async () => (await import('../commands/daemon.ts')).daemonLogs,
      },
      {
        name: 'install',
        summary: 'start watching whenever you log in to this computer',
        load: async () => (await import('../commands/daemon-install.ts')).daemonInstall,
      },
      {
        name: 'uninstall',
        summary: 'remove the login service',
        load: async () => (await import('../commands/daemon-install.ts')).daemonUninstall,
      },
    ],
  },
  {
    name: 'explain',
    summary: 'say why a file or a day was sent, skipped, is waiting or was refused',
    declare: (command) => command.argument('<file|date>', 'a recording, or a date (YYYY-MM-DD)'),
    start: async () => start((await import('./explain.ts')).explain),
  },
  {
    name: 'inspect',
    summary: 'show what a recording holds',
    declare: (command) => command.argument('<file...>', 'recordings'),
    start: async () => start((await import('./inspect.ts')).inspect),
  },
  {
    name: 'seed',
    summary: 'fill a test account with a synthetic athlete',
    declare: (command) =>
      command
        .option('--days <n>', 'how many days, up to --until')
        .option('--seed <n>', 'which athlete: the same number, the same data')
        .option('--until <date>', 'the last day: YYYY-MM-DD, or today')
        .option('--tz <zone>', "the athlete's time zone")
        .option('--out <dir>', 'write files there instead of sending')
        .option('--accounts <file>', 'several accounts, from a JSON list')
        .option('--force', 'send even what is there already', false)
        .option('--jobs <n>', 'requests at once')
        .addOption(dryRun()),
    start: async () => start((await import('./seed.ts')).seed),
  },
  {
    name: 'sandbox',
    summary: 'run the platform on this machine, to try things on',
    declare: sandboxFlags,
    start: async () => start((await import('./sandbox.ts')).sandbox),
  },
  {
    name: 'doctor',
    summary: 'look for what may be wrong on this machine, and say how to mend it',
    start: async () => start((await import('./doctor.ts')).doctor),
  },
  {
    name: 'config',
    summary: 'read and change settings',
    subcommands: [
      {
        name: 'get',
        summary: 'print a setting',
        declare: (command) => command.argument('<key>'),
        start: async () => start((await import('./config.ts')).get),
      },
      {
        name: 'set',
        summary: 'change a setting',
        declare: (command) => command.argument('<key>').argument('<value>'),
        start: async () => start((await import('./config.ts')).set),
      },
      {
        name: 'unset',
        summary: 'go back to the default',
        declare: (command) => command.argument('<key>'),
        start: async () => start((await import('./config.ts')).unset),
      },
      {
        name: 'list',
        summary: 'print all settings and where they come from',
        start: async () => start((await import('./config.ts')).list),
      },
      {
        name: 'path',
        summary: 'print where the configuration file is',
        start: async () => start((await import('./config.ts')).path),
      },
    ],
  },
  {
    name: 'completion',
    summary: 'print a completion script',
    declare: (command) => command.argument('<shell>', 'bash, zsh, fish or powershell'),
    start: async () => start((await import('./completion.ts')).completion),
  },
];
