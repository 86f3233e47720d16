import { connect } from '../app/connect.ts';
import { runProfile } from '../commands/profile.ts';
import { requireBaseUrl } from '../config/config.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { profileReport, profileText } from '../render/profile.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { type Invocation, configFor, connectOptions } from '../app/invocation.ts';

export interface ProfileFlags {
  readonly weight?: string;
  readonly ftp?: string;
  readonly force: boolean;
  readonly dryRun: boolean;
}

export async function profile(invocation: Invocation, flags: ProfileFlags): Promise<ExitCode> {
  const { deps, output } = invocation;
  const config = configFor(invocation);
  const options = {
    weight: amount('--weight', flags.weight),
    ftp: amount('--ftp', flags.ftp),
    force: flags.force,
    dryRun: flags.dryRun,
  };
  const connection = connect(config, deps, connectOptions(invocation, 1));
  try {
    const report = await runProfile(options, {
      client: () => connection.client(),
      profileUrl: () => endpointUrl(requireBaseUrl(config), config.endpoints.profile),
      signal: deps.signal,
    });
    if (report.action === 'updated') for (const text of report.warnings ?? []) output.warn(text);
    output.result(profileReport(report), profileText(report));
    return ExitCode.ok;
  } finally {
    await connection.close();
  }
}

function amount(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+(?:\.\d+)?$/.test(text)) {
    throw new SyncError('USAGE', `${flag} ${text}: not a number.`, {
      hint: 'Write it with a dot and without its unit: --weight 72.5 --ftp 280',
    });
  }
  return Number(text);
}
