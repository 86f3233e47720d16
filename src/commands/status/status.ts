import type { CommandModule } from '../../app/command.ts';
import { configFor } from '../../app/config.ts';
import { statusJson } from './json.ts';
import { statusOfAllProfiles } from './profiles.ts';
import { exitCodeFor, readStatus } from './read.ts';
import { statusText, viewOn } from './words.ts';

interface StatusFlags {
  readonly check?: boolean;
  readonly allProfiles?: boolean;
}

/** Shows the login, the watchers, deliveries and waiting files. Sends no request without `--check`. */
export const status: CommandModule = {
  declare: (command) =>
    command
      .option('--check', 'ask the platform whether it accepts the login')
      .option('--all-profiles', 'show each profile of this machine in short'),
  examples: ['sync status', 'sync status --check --json', 'sync status --all-profiles'],

  async run(context, { check = false, allProfiles = false }: StatusFlags) {
    if (allProfiles) return await statusOfAllProfiles(context, check);
    const report = await readStatus(context, configFor(context), check);
    const { clock, io, output } = context;
    output.result(statusJson(report), statusText(report, viewOn(io, clock.now())));
    return exitCodeFor(report);
  },
};
