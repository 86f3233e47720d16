import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CommandModule, zoneFlag } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { indentedJson, noteText, problemTexts } from '../app/words/days.ts';
import { zoneFor } from '../app/zone.ts';
import type { AppContext } from '../app/context.ts';
import { exportJson, exportText, sourcesFor, unitFlag } from '../app/sources.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import { type PreparedInputs, type RecognisedInput, prepareInputs } from '../records/prepare.ts';
import { requestBody } from '../records/prepared-record.ts';
import { plainFileInput } from '../records/read/input.ts';
import { matchInput } from '../records/read-input.ts';
import { SOURCES } from '../records/sources/all.ts';
import { PLATFORM_FORM } from '../records/sources/platform-form.ts';
import type { Source } from '../records/sources/types.ts';
import type { RecordKind, Warning } from '../records/types.ts';

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
  if (statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new SyncError('INPUT_INVALID', `${path} is a folder.`, {
      hint: phrase`${sync('import', path, '--dry-run')} shows what is in it.`,
    });
  }
  const config = configFor(context, { timezone: flags.tz });
  const sources = sourcesFor(context, flags);
  const input = () => ({ ...plainFileInput(resolve(cwd, path)), name: path });
  const matches = await matchInput(input(), sources.list);
  const zone = await zoneFor(config, context);
  const readAs = async (kind: RecordKind, list: readonly Source[]) => {
    const options = { zone, strict: false, now: clock.now(), sources: { ...sources, list } };
    return await prepareInputs(kind, [input()], options, signal);
  };
  if (matches.length === 0) {
    const read = await readOwn(path, (kind) => readAs(kind, sources.list));
    return print(output, read, () => true) ? ExitCode.ok : ExitCode.invalidInput;
  }
  let isWhole = true;
  for (const { source, mapping } of matches) {
    const read = await readAs(mapping.kind, [source]);
    if (!print(output, read, ({ unsent }) => unsent === true)) isWhole = false;
  }
  return isWhole ? ExitCode.ok : ExitCode.invalidInput;
}

/**
 * Reads a file that matches no source as records in the platform's form: wellness, else nutrition.
 *
 * @throws SyncError `INPUT_INVALID` if it has none
 */
async function readOwn(
  path: string,
  readAs: (kind: RecordKind) => Promise<PreparedInputs>,
): Promise<PreparedInputs> {
  const wellness = await readAs('wellness');
  const [refused] = wellness.unreadable;
  if (refused === undefined)
    return { ...wellness, exports: ownExports(path, 'wellness', wellness) };
  const nutrition = await readAs('nutrition');
  if (nutrition.records.length > 0)
    return { ...nutrition, exports: ownExports(path, 'nutrition', nutrition) };
  const { problems, hint } = refused;
  throw new SyncError('INPUT_INVALID', problems[0].problem, { hint, details: { path } });
}

function ownExports(
  input: string,
  kind: RecordKind,
  { records }: PreparedInputs,
): readonly RecognisedInput[] {
  const mapping = PLATFORM_FORM.files.find((file) => file.kind === kind);
  const [first, last] = [records[0]?.date, records.at(-1)?.date];
  if (mapping === undefined || first === undefined || last === undefined) return [];
  return [{ input, source: PLATFORM_FORM, mapping, days: records.length, first, last }];
}

/** Most notes about the days of a file that are printed. */
const MAX_NOTES = 20;

/** Prints the values that are read, and the others. @returns false if a part of the file cannot be sent */
function print(
  output: AppContext['output'],
  { exports, records, notes, warnings, unreadable, invalid, empty }: PreparedInputs,
  isShown: (note: Warning) => boolean,
): boolean {
  const [first] = records;
  const body = first && requestBody(first);
  const example = body === undefined ? {} : { example: body };
  const shown = body === undefined ? '' : phrase`\n${indentedJson(body)}`;
  for (const found of exports)
    output.result({ ...exportJson(found), ...example }, phrase`${exportText(found)}${shown}`);
  for (const note of [...notes, ...warnings]) output.warn(note);
  const ofDays = records.flatMap((day) => day.warnings).filter(isShown);
  for (const note of ofDays.slice(0, MAX_NOTES)) output.warn(noteText(note));
  if (ofDays.length > MAX_NOTES) output.warn(`and ${ofDays.length - MAX_NOTES} more notes`);
  for (const { source, problems, ...item } of [...unreadable, ...invalid]) {
    const hint = 'hint' in item ? phrase` ${item.hint}` : '';
    output.warn(phrase`${source}: ${problemTexts(problems).join('; ')}${hint}`);
  }
  for (const { problem } of empty) output.warn(problem);
  const isUnsent = ofDays.some(({ unsent }) => unsent === true);
  return !isUnsent && [unreadable, invalid, empty].every((lost) => lost.length === 0);
}
