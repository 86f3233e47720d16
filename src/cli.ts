import { Command, CommanderError, Option } from 'commander';
import type { CommandShape } from './cli/completion.ts';
import type { Invocation } from './cli/invocation.ts';
import type { Deps } from './deps.ts';
import { ExitCode, SyncError } from './errors.ts';
import { type GlobalFlags, createOutput } from './output.ts';

/** The command tree: flags are declared here; what they start is loaded when it is asked for. */
export interface Program {
  readonly commandNames: readonly string[];
  shortHelp(): string;
  run(args: readonly string[]): Promise<ExitCode>;
}

export interface ProgramNeeds {
  readonly version: string;
  readonly deps: Deps;
  /** Called before a command runs, so that its failure is told as its flags want it. */
  readonly onFlags: (flags: GlobalFlags) => void;
}

/** What a lazily loaded command does with its arguments and flags. */
type Start<A extends readonly unknown[]> = (
  invocation: Invocation,
  ...args: A
) => Promise<ExitCode>;

const collect = (value: string, before: readonly string[]) => [...before, value];

export function buildProgram(needs: ProgramNeeds): Program {
  let exitCode: ExitCode = ExitCode.ok;
  const root = new Command('sync')
    .description("Moves an athlete's data into their training platform.")
    .version(needs.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', '\nBegin with `sync login`, then `sync upload ride.fit`.')
    .configureOutput({ writeErr: () => undefined })
    .exitOverride();

  /** The action of a command: its flags are sorted out, its module is loaded, and it is run. */
  const starts =
    <A extends readonly unknown[]>(load: () => Promise<Start<A>>) =>
    async (...given: unknown[]): Promise<void> => {
      // commander passes the arguments, the options, and the command itself.
      const command = given.at(-1) as Command;
      const flags = command.opts<GlobalFlags>();
      needs.onFlags(flags);
      const invocation: Invocation = {
        deps: needs.deps,
        version: needs.version,
        flags,
        output: createOutput(needs.deps.io, flags),
      };
      const start = await load();
      exitCode = await start(invocation, ...(given.slice(0, -1) as unknown as A));
    };

  /** A command that does something: it takes the flags that all of them take. */
  const add = (parent: Command, usage: string, summary: string) =>
    parent
      .command(usage)
      .description(summary)
      .option('--profile <name>', 'the account to act for (default: "default")')
      .option('--json', 'results as NDJSON on stdout', false)
      .option('--quiet', 'no progress, no remarks', false)
      .option('--verbose', 'a line for each request', false)
      .copyInheritedSettings(root);
  const dryRun = () =>
    new Option('--dry-run', 'show the exact requests, send nothing').default(false);

  add(root, 'login', 'log in through the browser')
    .option('--base-url <url>', 'address of the service')
    .option('--client-id <id>', 'client identifier')
    .option('--client-secret-stdin', 'read the client secret from stdin', false)
    .option('--scope <scopes>', 'scopes to ask for, in quotes')
    .option('--port <n>', 'port of the redirect URI; 0: any')
    .option('--redirect-uri <uri>', 'the redirect URI that is registered at the service')
    .option('--no-browser', 'show the address instead of opening it')
    .option('--timeout <duration>', 'how long to wait for the answer, such as 5m or 90s')
    .addOption(new Option('--store <where>', 'where the tokens go').choices(['keychain', 'file']))
    .option('--with-token', 'read a token response (JSON) from stdin', false)
    .action(starts(async () => (await import('./cli/login.ts')).login));

  add(root, 'logout', 'revoke the login and forget it')
    .option('--local-only', 'forget it here, do not revoke it', false)
    .action(starts(async () => (await import('./cli/login.ts')).logout));

  add(root, 'status', 'show the account, the login and what was sent').action(
    starts(async () => (await import('./cli/status.ts')).status),
  );

  add(root, 'token', 'print a valid access token, for scripts').action(
    starts(async () => (await import('./cli/login.ts')).token),
  );

  add(root, 'upload', 'upload recordings: files, and folders of them')
    .argument('<path...>', '.fit files, .fit.gz files, folders')
    .option('--name <name>', 'display name (default: from the recording)')
    .option('--metadata <json|key=value>', 'more metadata; may be repeated', collect, [])
    .option('--force', 'send even what is uploaded already', false)
    .option('--any-type', 'send FIT files that are not activities', false)
    .option('--jobs <n>', 'uploads at once')
    .addOption(dryRun())
    .action(starts(async () => (await import('./cli/upload.ts')).upload));

  const push = root.command('push').description('send wellness or nutrition records (JSON)');
  for (const kind of ['wellness', 'nutrition'] as const) {
    add(push, kind, `send ${kind} records, one request a day`)
      .argument('<file...>', 'JSON or NDJSON files; - is stdin')
      .option('--tz <zone>', 'time zone that decides about dates, such as Europe/Berlin')
      .option('--force', 'send even what is unchanged', false)
      .option('--strict', 'refuse values that would have to be adapted', false)
      .option('--raw', 'send each record as it was read along, as rawJson', false)
      .option('--jobs <n>', 'days at once')
      .addOption(dryRun())
      .action(starts(async () => (await import('./cli/push.ts')).push[kind]));
  }

  add(root, 'profile', "show the athlete's profile, or update weight and FTP")
    .option('--weight <kg>', 'body weight, kg')
    .option('--ftp <watts>', 'functional threshold power, W')
    .addOption(dryRun())
    .action(starts(async () => (await import('./cli/profile.ts')).profile));

  add(root, 'workouts', 'list workouts')
    .option('--since <date>', 'from this day on, YYYY-MM-DD')
    .option('--until <date>', 'up to this day')
    .option('--limit <n>', 'how many at most')
    .action(starts(async () => (await import('./cli/workouts.ts')).workouts));

  add(root, 'seed', 'fill a test account with a synthetic athlete')
    .option('--days <n>', 'how many days, up to --until')
    .option('--seed <n>', 'which athlete: the same number, the same data')
    .option('--until <date>', 'the last day: YYYY-MM-DD, or today')
    .option('--tz <zone>', "the athlete's time zone")
    .option('--out <dir>', 'write files there instead of sending')
    .option('--accounts <file>', 'several accounts, from a JSON list')
    .option('--force', 'send even what is there already', false)
    .option('--jobs <n>', 'requests at once')
    .addOption(dryRun())
    .action(starts(async () => (await import('./cli/seed.ts')).seed));

  add(root, 'inspect', 'show what a recording holds')
    .argument('<file...>', 'recordings')
    .action(starts(async () => (await import('./cli/inspect.ts')).inspect));

  add(root, 'sandbox', 'run the platform on this machine, to try things on')
    .option('--port <n>', 'port to listen on; 0: any')
    .option('--data <dir>', 'keep its data there (default: in memory)')
    .option('--auto-approve', 'approve logins without asking', false)
    .option('--athlete <id>', 'whom --auto-approve logs in')
    .option('--rotate', 'a refresh replaces the refresh token (default)')
    .option('--no-rotate', 'a refresh keeps the refresh token')
    .option('--access-ttl <seconds>', 'lifetime of access tokens')
    .option('--refresh-ttl <seconds>', 'lifetime of refresh tokens')
    .addOption(new Option('--nutrition <mode>', 'a day sent again').choices(['replace', 'append']))
    .option('--omit-refresh-token', 'a refresh answers without a refresh token')
    .option('--no-revoke-on-reuse', 'a rotated token that is used again ends nothing')
    .option('--no-announce-refresh-ttl', 'token answers without refresh_token_expires_in')
    .option('--no-upload-items', 'upload answers without items, as older services')
    .option('--success-false', '200 with success: false for all that is sent')
    .option('--exact-redirect-uris', 'compare redirect URIs letter by letter, the port too')
    .option('--redirect-uri <uri>', 'register one more; may be repeated', collect, [])
    .option('--grant-scope <scopes>', 'grant these at most, in quotes')
    .option('--rate-limit <n>', 'requests a minute, then 429')
    .option('--discard-bytes', 'keep hashes of uploads, not their bytes')
    .option('--fault <spec>', "misbehave, such as 'upload-fit:503*2'; may be repeated", collect, [])
    .action(starts(async () => (await import('./cli/sandbox.ts')).sandbox));

  add(root, 'explain', 'say why a file or a day was sent, skipped, is waiting or was refused')
    .argument('<file|date>', 'a recording, or a date (YYYY-MM-DD)')
    .action(starts(async () => (await import('./cli/explain.ts')).explain));

  add(root, 'doctor', 'look for what may be wrong on this machine, and say how to mend it').action(
    starts(async () => (await import('./cli/doctor.ts')).doctor),
  );

  add(root, 'completion', 'print a completion script')
    .argument('<shell>', 'bash, zsh, fish or powershell')
    .action(
      starts(async () => {
        const { completion } = await import('./cli/completion.ts');
        return (invocation: Invocation, shell: string) =>
          completion(invocation, shell, shapesOf(root, []));
      }),
    );

  const config = root.command('config').description('read and change settings');
  add(config, 'get', 'print a setting')
    .argument('<key>')
    .action(starts(async () => (await import('./cli/config.ts')).get));
  add(config, 'set', 'change a setting')
    .argument('<key>')
    .argument('<value>')
    .action(starts(async () => (await import('./cli/config.ts')).set));
  add(config, 'unset', 'go back to the default')
    .argument('<key>')
    .action(starts(async () => (await import('./cli/config.ts')).unset));
  add(config, 'list', 'print all settings and where they come from').action(
    starts(async () => (await import('./cli/config.ts')).list),
  );
  add(config, 'path', 'print where the configuration file is').action(
    starts(async () => (await import('./cli/config.ts')).path),
  );

  return {
    commandNames: [...root.commands.map((command) => command.name()), 'help'],
    shortHelp: () => root.helpInformation(),
    async run(args) {
      try {
        await root.parseAsync(args, { from: 'user' });
        return exitCode;
      } catch (error) {
        if (error instanceof CommanderError) return usageError(error, args);
        throw error;
      }
    },
  };
}

/** The tree as a shell's completion has to know it. */
function shapesOf(command: Command, path: readonly string[]): CommandShape[] {
  const shape = {
    path,
    subcommands: command.commands.map((sub) => ({ name: sub.name(), summary: sub.description() })),
    flags: command.options.flatMap(({ long }) => long ?? []),
  };
  return [shape, ...command.commands.flatMap((sub) => shapesOf(sub, [...path, sub.name()]))];
}

/** Help was shown, or the command line is wrong: then says how it is right. */
function usageError(error: CommanderError, args: readonly string[]): ExitCode {
  if (error.exitCode === 0) return ExitCode.ok;
  const words = args.filter((word) => !word.startsWith('-')).slice(0, 1);
  const message = error.message.replace(/^error: /, '');
  throw new SyncError('USAGE', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, {
    hint: `See \`${['sync', ...words, '--help'].join(' ')}\`.`,
  });
}
