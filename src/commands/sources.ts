import { resolve } from 'node:path';
import { type CommandModule, zoneFlag } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { indentedJson, noteText } from '../app/words/days.ts';
import { zoneFor } from '../app/zone.ts';
import type { AppContext } from '../app/context.ts';
import { exportJson, exportText, sourcesFor, unitFlag } from '../app/sources.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import { prepareInputs } from '../records/prepare.ts';
import { plainFileInput } from '../records/read/input.ts';
import { matchInput } from '../records/read-input.ts';
import { SOURCES } from '../records/sources/all.ts';
import type { Source } from '../records/sources/types.ts';
import type { RecordKind } from '../records/types.ts';

interface SourcesFlags {
  readonly tz?: string;
  readonly unit?: readonly string[];
}

export const sources: CommandModule = {
  declare: (command) =>
    command
      .argument('[file]', 'a file: shows what it is read as, and its first day as it would be sent')
      .addOption(unitFlag())
      .addOption(zoneFlag()),
  examples: ['sync sources', 'sync sources export.json'],
  documents: ['sources.md'],

  async run(context, file: string | undefined, flags: SourcesFlags) {
    context.output.summarise();
    if (file !== undefined) return await check(context, file, flags);
    for (const source of SOURCES) context.output.result(sourceJson(source), sourceText(source));
    return ExitCode.ok;
  },
};

function kindsOf({ files }: Source): RecordKind[] {
  return [...new Set(files.map(({ kind }) => kind))];
}

function sourceJson(source: Source): Record<string, unknown> {
  const { name, title, howTo, evidence, files } = source;
  const holds = files.map(({ kind, holds, format }) => ({ kind, holds, format }));
  return { type: 'source', name, title, kinds: kindsOf(source), files: holds, howTo, evidence };
}

function sourceText(source: Source): Text {
  return phrase`${source.name}: ${source.title} (${kindsOf(source).join(', ')})\n  ${source.howTo}`;
}

/** Reads a file without sending anything, and prints its contents. */
async function check(context: AppContext, path: string, flags: SourcesFlags): Promise<ExitCode> {
  const { clock, cwd, output, signal } = context;
  const config = configFor(context, { timezone: flags.tz });
  const list = sourcesFor(context, flags);
  const input = () => ({ ...plainFileInput(resolve(cwd, path)), name: path });
  const matches = await matchInput(input(), list.list);
  const zone = await zoneFor(config, context);
  const options = { zone, strict: false, now: clock.now(), sources: list };
  if (matches.length === 0) {
    const { unreadable } = await prepareInputs('wellness', [input()], options, signal);
    const [refused] = unreadable;
    throw new SyncError(
      'INPUT_INVALID',
      refused?.problems[0].problem ?? `${path} matches no source.`,
      {
        hint:
          refused?.hint ??
          phrase`${sync('sources')} lists the exports that sync reads. JSON records need no source: ${sync('push', 'wellness', path, '--dry-run')}, or nutrition, shows what is in them.`,
      },
    );
  }
  let code: ExitCode = ExitCode.ok;
  for (const match of matches) {
    const { kind } = match.mapping;
    const own = { ...options, sources: { ...list, list: [match.source] } };
    const read = await prepareInputs(kind, [input()], own, signal);
    const [first] = read.records;
    const example = first === undefined ? {} : { example: first.body };
    for (const found of read.exports) {
      const shown = first === undefined ? '' : phrase`\n${indentedJson(first.body)}`;
      output.result({ ...exportJson(found), ...example }, phrase`${exportText(found)}${shown}`);
    }
    for (const note of [...read.notes, ...read.warnings]) output.warn(note);
    const lost = read.records.flatMap(({ warnings }) => warnings.filter(({ unsent }) => unsent));
    for (const warning of lost) {
      output.warn(noteText(warning));
      code = ExitCode.invalidInput;
    }
    for (const { source, problems, ...item } of [...read.unreadable, ...read.invalid]) {
      const said = problems.map(({ field, problem }) =>
        field === undefined ? problem : `${field}: ${problem}`,
      );
      const hint = 'hint' in item ? phrase` ${item.hint}` : '';
      output.warn(phrase`${source}: ${said.join('; ')}${hint}`);
      code = ExitCode.invalidInput;
    }
    for (const { problem } of read.empty) {
      output.warn(problem);
      code = ExitCode.invalidInput;
    }
  }
  return code;
}
