import { isObject } from '../base/json.ts';
import { type CommandModule, dryRun } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { withConnection } from '../app/connection.ts';
import type { AppContext } from '../app/context.ts';
import { noteZoneOf } from '../app/platform-zone.ts';
import {
  METRICS,
  type ProfileReport,
  profileRequestLines,
  showOrUpdate,
} from '../app/profile-update.ts';
import { readZone } from '../app/zone-facts.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { type Text, joinTexts, linesOf, phrase, sync } from '../base/phrase.ts';
import { toJson } from '../base/printable.ts';
import type { Config } from '../config/config.ts';

interface ProfileFlags {
  readonly weight?: string;
  readonly ftp?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

export const profile: CommandModule = {
  declare: (command) =>
    command
      .option('--weight <kg>', 'set the body weight (kg)')
      .option('--ftp <watts>', 'set the functional threshold power (W)')
      .option('--force', "set the weight even if the platform's display unit cannot be read")
      .addOption(dryRun()),
  examples: [
    'sync profile',
    'sync profile --weight 72.5 --ftp 280',
    'sync profile --ftp 280 --dry-run',
  ],

  async run(context, flags: ProfileFlags) {
    const { output, signal } = context;
    const config = configFor(context);
    const change = {
      weight: decimal('--weight', flags.weight),
      ftp: decimal('--ftp', flags.ftp),
      force: flags.force ?? false,
      dryRun: flags.dryRun ?? false,
    };
    return await withConnection(context, config, {}, async (connection) => {
      const report = await showOrUpdate(change, connection, signal);
      if ('warnings' in report) for (const text of report.warnings ?? []) output.warn(text);
      output.result({ type: 'profile', ...report }, profileText(report));
      if (report.action === 'shown') await compareZones(report.profile, context, config);
      return ExitCode.ok;
    });
  },
};

/** Points out that days are counted in another zone than the one in the profile. */
async function compareZones(profile: unknown, context: AppContext, config: Config): Promise<void> {
  const theirs = noteZoneOf(profile, context, config);
  const { days, differs } = await readZone(context, config);
  if (theirs === undefined || !differs) return;
  context.output.say(
    phrase`Days are counted in ${days.name}, not in ${theirs}. If you live in ${theirs}, run ${sync('config', 'set', 'timezone', theirs)}.`,
  );
}

function decimal(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+(?:\.\d+)?$/.test(text)) {
    throw new SyncError('USAGE', `${flag} ${text}: not a positive number.`, {
      hint: 'Write it with a dot and without its unit: --weight 72.5 --ftp 280',
    });
  }
  return Number(text);
}

export function profileText(report: ProfileReport): Text {
  if (report.action === 'would-update') {
    return joinTexts(['Would be sent:', ...profileRequestLines(report.requests)]);
  }
  if (report.profile === undefined)
    return 'The platform accepted the update, and shows no profile.';
  const head = report.action === 'updated' ? ['The profile is updated. It now says:'] : [];
  return joinTexts([...head, ...profileLines(report.profile)]);
}

/** The fields that are shown, in this order. Services answer with kg; `weightUnits` is only the unit on their pages. */
const FIELDS: Readonly<Record<string, { readonly words: string; readonly unit?: string }>> = {
  name: { words: 'name' },
  email: { words: 'email' },
  timezone: { words: 'time zone' },
  weight: { words: METRICS.weight.noun, unit: METRICS.weight.unit },
  weightUnits: { words: 'weight units', unit: "(on the platform's pages)" },
  ftp: { words: METRICS.ftp.noun, unit: METRICS.ftp.unit },
  maxHr: { words: 'maximum heart rate', unit: 'bpm' },
  lthr: { words: 'threshold heart rate', unit: 'bpm' },
  restingHr: { words: 'resting heart rate', unit: 'bpm' },
  dob: { words: 'date of birth' },
  sex: { words: 'sex' },
  language: { words: 'language' },
  city: { words: 'city' },
  country: { words: 'country' },
};

function profileLines(profile: unknown): Text[] {
  const fields = isObject(profile) ? profile : {};
  const shown = Object.keys(FIELDS).filter((name) => (fields[name] ?? null) !== null);
  if (shown.length === 0) return [linesOf(toJson(profile, { indent: 2 }))];
  const textOf = (value: unknown) => (typeof value === 'string' ? value : toJson(value));
  const rows = shown.map((name) => ({ words: name, ...FIELDS[name], value: textOf(fields[name]) }));
  const width = Math.max(...rows.map(({ words }) => words.length));
  return rows.map(({ words, value, unit = '' }) =>
    `${words.padEnd(width)}  ${value} ${unit}`.trimEnd(),
  );
}
