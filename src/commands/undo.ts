import type { Text } from '../base/phrase.ts';
import {
  type CommandModule,
  type SendFlags,
  dryRun,
  sendOptions,
  zoneFlag,
} from '../app/command.ts';
import type { AppContext } from '../app/context.ts';
import type { ExitCode } from '../base/errors.ts';
import type { RecordKind } from '../records/types.ts';
import { configFor } from '../app/config.ts';
import { DATE_FORMS, dateFlag } from '../app/flags/date.ts';
import { targetsOf, withLedger } from '../app/ledger.ts';
import { zoneFor } from '../app/zone.ts';
import { requireBaseUrl } from '../config/config.ts';
import { type RecordItem, deliverRecords } from '../records/deliver.ts';
import { emptyDay } from '../records/prepared-record.ts';
import { exitCodeOfItem } from '../app/outcomes.ts';
import { pushItemJson, pushItemText } from '../app/words/days.ts';

interface UndoFlags extends SendFlags {
  readonly tz?: string;
}

/** Removes the items of a nutrition day that were sent from here; keeps all others. */
export const undoNutrition: CommandModule = {
  declare: (command) =>
    command
      .argument('<date>', DATE_FORMS)
      .option('--force', 'also remove items that were edited in the platform')
      .addOption(zoneFlag())
      .addOption(dryRun('the day without them')),
  examples: ['sync undo nutrition yesterday', 'sync undo nutrition 2026-02-15 --dry-run'],
  documents: ['nutrition.md'],
  run: (context, day: string, flags: UndoFlags) => undo('nutrition', context, day, flags),
};

/** Sends the values of a wellness day again that were sent before the last ones. */
export const undoWellness: CommandModule = {
  declare: (command) =>
    command.argument('<date>', DATE_FORMS).addOption(zoneFlag()).addOption(dryRun()),
  examples: ['sync undo wellness yesterday', 'sync undo wellness 2026-02-15 --dry-run'],
  documents: ['records.md'],
  run: (context, day: string, flags: UndoFlags) => undo('wellness', context, day, flags),
};

async function undo(
  kind: RecordKind,
  context: AppContext,
  day: string,
  flags: UndoFlags,
): Promise<ExitCode> {
  const { clock, output } = context;
  const config = configFor(context, { timezone: flags.tz });
  requireBaseUrl(config);
  const { name: zone } = await zoneFor(config, context);
  const date = dateFlag('DATE', day, zone, clock.now());
  const options = { ...sendOptions(flags), undo: { remember: true } };
  return await withLedger(
    context,
    config,
    { offline: options.dryRun },
    async (connection, ledger) => {
      const items: RecordItem[] = [];
      await deliverRecords(context, [emptyDay(date, [], kind)], options, {
        ...targetsOf(connection, ledger, output).records,
        report: (item) => items.push(item),
      });
      const [item] = items;
      if (item === undefined) throw new Error(`no outcome for ${date}`);
      output.result(pushItemJson(item), undoText(item));
      return exitCodeOfItem(item);
    },
  );
}

const REMOVED = { pushed: 'sent', conflict: 'not undone', failed: 'not undone' };

function undoText(item: RecordItem): Text | undefined {
  if (item.outcome === 'skipped') {
    return `${item.date}: ${item.reason === 'undone' ? 'undone before' : 'nothing of that day was sent from here'}.`;
  }
  return pushItemText(item, '', REMOVED);
}
