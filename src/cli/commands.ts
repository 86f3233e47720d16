import type { CommandDeclaration } from './tree.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandDeclaration[] = [
  {
    name: 'upload',
    group: 'Every day',
    summary: 'upload recordings: files and folders',
    load: async () => (await import('../commands/upload.ts')).upload,
  },
  {
    name: 'import',
    group: 'Every day',
    summary: 'show what is in an export, an archive or a folder, then send it',
    load: async () => (await import('../commands/import/import.ts')).importExport,
  },
  {
    name: 'push',
    group: 'Every day',
    summary: 'send wellness and nutrition: exports of other programs, or JSON',
    subcommands: [
      {
        name: 'wellness',
        summary: 'send wellness records, one request a day',
        load: async () => (await import('../commands/push.ts')).pushWellness,
      },
      {
        name: 'nutrition',
        summary:
          'send nutrition records, each item once: a file replaces its earlier items, another file adds to the day',
        load: async () => (await import('../commands/push.ts')).pushNutrition,
      },
    ],
  },
  {
    name: 'undo',
    group: 'Every day',
    summary: 'take back what was sent from here',
    subcommands: [
      {
        name: 'nutrition',
        summary: 'remove the items of a day that were sent from here',
        load: async () => (await import('../commands/undo.ts')).undoNutrition,
      },
      {
        name: 'wellness',
        summary: 'send the values of a day again that were sent before the last ones',
        load: async () => (await import('../commands/undo.ts')).undoWellness,
      },
      {
        name: 'upload',
        summary: 'remove the workout of a recording that was sent from here',
        load: async () => (await import('../commands/undo-upload.ts')).undoUpload,
      },
    ],
  },
  {
    name: 'status',
    group: 'Every day',
    summary: 'show the account, the login, the watchers and the uploads',
    load: async () => (await import('../commands/status/status.ts')).status,
  },
  {
    name: 'devices',
    group: 'Every day',
    summary: 'list connected watches and bike computers, and apps with recordings',
    load: async () => (await import('../commands/devices/devices.ts')).devices,
  },
  {
    name: 'watch',
    group: 'In the background',
    summary: 'upload new recordings from a device folder as they appear',
    load: async () => (await import('../commands/watch/watch.ts')).watch,
  },
  {
    name: 'daemon',
    group: 'In the background',
    summary: 'manage watchers in the background',
    subcommands: [
      {
        name: 'status',
        summary: 'show the background watchers of this profile',
        load: async () => (await import('../commands/daemon/daemon.ts')).daemonStatus,
      },
      {
        name: 'stop',
        summary: 'stop background watchers',
        load: async () => (await import('../commands/daemon/daemon.ts')).daemonStop,
      },
      {
        name: 'logs',
        summary: 'show the logs of background watchers',
        load: async () => (await import('../commands/daemon/daemon.ts')).daemonLogs,
      },
      {
        name: 'install',
        summary: 'start watching whenever you log in to this computer',
        load: async () => (await import('../commands/daemon/install.ts')).daemonInstall,
      },
      {
        name: 'uninstall',
        summary: 'remove the service that `sync daemon install` set up',
        load: async () => (await import('../commands/daemon/install.ts')).daemonUninstall,
      },
    ],
  },
  {
    name: 'login',
    group: 'Account',
    summary: 'log in through the browser',
    load: async () => (await import('../commands/login/login.ts')).login,
  },
  {
    name: 'logout',
    group: 'Account',
    summary: 'revoke the login and delete it',
    load: async () => (await import('../commands/logout.ts')).logout,
  },
  {
    name: 'profile',
    group: 'Account',
    summary: "show the athlete's profile, or update weight and FTP",
    load: async () => (await import('../commands/profile.ts')).profile,
  },
  {
    name: 'config',
    group: 'Account',
    summary: 'read and change settings',
    subcommands: [
      {
        name: 'get',
        summary: 'print a setting',
        load: async () => (await import('../commands/config.ts')).get,
      },
      {
        name: 'set',
        summary: 'change a setting',
        load: async () => (await import('../commands/config.ts')).set,
      },
      {
        name: 'unset',
        summary: 'restore the default of a setting',
        load: async () => (await import('../commands/config.ts')).unset,
      },
      {
        name: 'list',
        summary: 'print all settings with their origins',
        load: async () => (await import('../commands/config.ts')).list,
      },
      {
        name: 'path',
        summary: 'print the path of the configuration file',
        load: async () => (await import('../commands/config.ts')).path,
      },
    ],
  },
  {
    name: 'workouts',
    group: 'Look into',
    summary: 'list the workouts on the platform',
    load: async () => (await import('../commands/workouts.ts')).workouts,
  },
  {
    name: 'verify',
    group: 'Look into',
    summary: 'check that every uploaded recording became a workout',
    load: async () => (await import('../commands/verify.ts')).verify,
  },
  {
    name: 'explain',
    group: 'Look into',
    summary: 'say why a file or a day was sent, refused, or is waiting',
    load: async () => (await import('../commands/explain/explain.ts')).explain,
  },
  {
    name: 'inspect',
    group: 'Look into',
    summary: 'show the contents of a recording',
    load: async () => (await import('../commands/inspect/inspect.ts')).inspect,
  },
  {
    name: 'repair',
    group: 'Look into',
    summary: 'write a complete copy of a recording that was cut off',
    load: async () => (await import('../commands/repair.ts')).repair,
  },
  {
    name: 'sources',
    group: 'Look into',
    summary: 'list the exports that push understands, or look into a file',
    load: async () => (await import('../commands/sources.ts')).sources,
  },
  {
    name: 'doctor',
    group: 'Look into',
    summary: 'check this machine for common problems, and say how to fix them',
    load: async () => (await import('../commands/doctor/doctor.ts')).doctor,
  },
  {
    name: 'token',
    group: 'For developers',
    summary: 'print a valid access token, for scripts',
    load: async () => (await import('../commands/token.ts')).token,
  },
  {
    name: 'seed',
    group: 'For developers',
    summary: 'fill a test account with a synthetic athlete',
    load: async () => (await import('../commands/seed/seed.ts')).seed,
  },
  {
    name: 'sandbox',
    group: 'For developers',
    summary: 'run the platform on this machine, for trying things out',
    load: async () => (await import('../commands/sandbox.ts')).sandbox,
  },
  {
    name: 'completion',
    group: 'For developers',
    summary: 'print a completion script for a shell',
    load: async () => (await import('./completion/completion.ts')).completionOf(COMMANDS),
  },
  {
    name: 'complete',
    hidden: true,
    summary: 'print a list, for completion scripts',
    load: async () => (await import('./completion/complete.ts')).complete,
  },
];
