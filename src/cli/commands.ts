import type { CommandDeclaration, CommandGroup } from './tree.ts';

type Named = Readonly<
  Record<string, Pick<CommandDeclaration, 'summary' | 'load'> & { readonly subcommands?: Named }>
>;

/** The commands by their heading in the help, in its order; no help lists the hidden ones. */
const TREE: Readonly<Record<CommandGroup | 'hidden', Named>> = {
  'Every day': {
    upload: {
      summary: 'upload recordings: files and folders',
      load: async () => (await import('../commands/upload.ts')).upload,
    },
    import: {
      summary: 'show what is in an export, an archive or a folder, then send it',
      load: async () => (await import('../commands/import/import.ts')).importExport,
    },
    push: {
      summary: 'send wellness and nutrition: exports of other programs, or JSON',
      subcommands: {
        wellness: {
          summary: 'send wellness records, one request a day',
          load: async () => (await import('../commands/push.ts')).pushWellness,
        },
        nutrition: {
          summary:
            'send nutrition records, each item once: a file replaces its earlier items, another file adds to the day',
          load: async () => (await import('../commands/push.ts')).pushNutrition,
        },
      },
    },
    undo: {
      summary: 'undo what this computer sent',
      subcommands: {
        nutrition: {
          summary: 'remove the items of a day that were sent from here',
          load: async () => (await import('../commands/undo.ts')).undoNutrition,
        },
        wellness: {
          summary: 'send the values of a day again that were sent before the last ones',
          load: async () => (await import('../commands/undo.ts')).undoWellness,
        },
        upload: {
          summary: 'remove the workout of a recording that was sent from here',
          load: async () => (await import('../commands/undo-upload.ts')).undoUpload,
        },
      },
    },
    status: {
      summary: 'show the account, the login, the watchers and the uploads',
      load: async () => (await import('../commands/status/status.ts')).status,
    },
    devices: {
      summary: 'list connected watches and bike computers, and apps with recordings',
      load: async () => (await import('../commands/devices/devices.ts')).devices,
    },
  },
  'In the background': {
    watch: {
      summary: 'upload new recordings from a device folder as they appear',
      load: async () => (await import('../commands/watch/watch.ts')).watch,
    },
    daemon: {
      summary: 'manage watchers in the background',
      subcommands: {
        status: {
          summary: 'show the background watchers of this profile',
          load: async () => (await import('../commands/daemon/daemon.ts')).daemonStatus,
        },
        stop: {
          summary: 'stop background watchers',
          load: async () => (await import('../commands/daemon/daemon.ts')).daemonStop,
        },
        logs: {
          summary: 'show the logs of background watchers',
          load: async () => (await import('../commands/daemon/daemon.ts')).daemonLogs,
        },
        install: {
          summary: 'start watching whenever you log in to this computer',
          load: async () => (await import('../commands/daemon/install.ts')).daemonInstall,
        },
        uninstall: {
          summary: 'remove the service that `sync daemon install` set up',
          load: async () => (await import('../commands/daemon/install.ts')).daemonUninstall,
        },
      },
    },
  },
  Account: {
    login: {
      summary: 'log in through the browser',
      load: async () => (await import('../commands/login/login.ts')).login,
    },
    logout: {
      summary: 'revoke the login and delete it',
      load: async () => (await import('../commands/logout.ts')).logout,
    },
    profile: {
      summary: "show the athlete's profile, or update weight and FTP",
      load: async () => (await import('../commands/profile.ts')).profile,
    },
    config: {
      summary: 'read and change settings',
      subcommands: {
        get: {
          summary: 'print a setting',
          load: async () => (await import('../commands/config.ts')).get,
        },
        set: {
          summary: 'change a setting',
          load: async () => (await import('../commands/config.ts')).set,
        },
        unset: {
          summary: 'restore the default of a setting',
          load: async () => (await import('../commands/config.ts')).unset,
        },
        list: {
          summary: 'print all settings, and where each is set',
          load: async () => (await import('../commands/config.ts')).list,
        },
        path: {
          summary: 'print the path of the configuration file',
          load: async () => (await import('../commands/config.ts')).path,
        },
      },
    },
  },
  Inspect: {
    workouts: {
      summary: 'list the workouts on the platform',
      load: async () => (await import('../commands/workouts.ts')).workouts,
    },
    verify: {
      summary: 'check that every uploaded recording became a workout',
      load: async () => (await import('../commands/verify.ts')).verify,
    },
    explain: {
      summary: 'say why a file or a day was sent, refused, or is waiting',
      load: async () => (await import('../commands/explain/explain.ts')).explain,
    },
    inspect: {
      summary: 'show the contents of a recording',
      load: async () => (await import('../commands/inspect/inspect.ts')).inspect,
    },
    repair: {
      summary: 'write a complete copy of a recording that was cut off',
      load: async () => (await import('../commands/repair.ts')).repair,
    },
    convert: {
      summary: 'show the FIT recording that a GPX or TCX file becomes',
      load: async () => (await import('../commands/convert.ts')).convert,
    },
    sources: {
      summary: 'list the exports that push understands, or check a file',
      load: async () => (await import('../commands/sources.ts')).sources,
    },
    doctor: {
      summary: 'check this machine for common problems, and say how to fix them',
      load: async () => (await import('../commands/doctor/doctor.ts')).doctor,
    },
  },
  'For developers': {
    token: {
      summary: 'print a valid access token, for scripts',
      load: async () => (await import('../commands/token.ts')).token,
    },
    seed: {
      summary: 'fill a test account with a synthetic athlete',
      load: async () => (await import('../commands/seed/seed.ts')).seed,
    },
    sandbox: {
      summary: 'run the platform on this machine, for trying things out',
      load: async () => (await import('../commands/sandbox.ts')).sandbox,
    },
    completion: {
      summary: 'print a completion script for a shell',
      load: async () => (await import('./completion/completion.ts')).completion,
    },
  },
  hidden: {
    complete: {
      summary: 'print what fits at the cursor, for completion scripts',
      load: async () => (await import('./completion/complete.ts')).completeOf(COMMANDS),
    },
  },
};

export const COMMANDS: readonly CommandDeclaration[] = Object.entries(TREE).flatMap(
  ([group, commands]) =>
    declarations(commands).map((command) =>
      group === 'hidden'
        ? { ...command, hidden: true }
        : { ...command, group: group as CommandGroup },
    ),
);

function declarations(commands: Named): CommandDeclaration[] {
  return Object.entries(commands).map(([name, { subcommands, ...command }]) => ({
    name,
    ...command,
    ...(subcommands === undefined ? {} : { subcommands: declarations(subcommands) }),
  }));
}
