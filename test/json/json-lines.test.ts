import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { LINES } from '../../scripts/json-schema/lines.ts';
import { JSON_VERSION } from '../../src/base/version.ts';
import { ROOT, codeBlocks, readDocument } from '../support/documents.ts';
import { wrongJsonLine } from '../support/json-lines.ts';
import { openHome, runSync } from '../support/program.ts';

/** The examples of docs/json.md, by their headings. */
const EXAMPLES = readDocument('docs/json.md')
  .split(/^## /m)
  .flatMap((section) =>
    codeBlocks(section)
      .filter(({ language }) => language === 'json')
      .map(({ text }): [string, Readonly<Record<string, unknown>>] => [
        section.split('\n', 1)[0] ?? '',
        JSON.parse(text) as Readonly<Record<string, unknown>>,
      ]),
  );

const UPLOADED = Object.fromEntries(EXAMPLES)['`upload`'] ?? {};

describe('the schema of --json', () => {
  it('is exported by the package, and accepts each example as one kind of line', () => {
    const file = createRequire(join(ROOT, 'package.json')).resolve('athlete-sync/json-schema');
    const validate = new Ajv2020().compile(JSON.parse(readFileSync(file, 'utf8')) as object);
    for (const [, example] of EXAMPLES) {
      expect(
        validate(example),
        `${JSON.stringify(example)}: ${JSON.stringify(validate.errors)}`,
      ).toBe(true);
    }
    expect(validate({ ...UPLOADED, v: JSON_VERSION + 1 })).toBe(false);
  });

  it.each(EXAMPLES)('describes the example of %s', (_heading, line) => {
    expect(wrongJsonLine(`${JSON.stringify(line)}\n`)).toBeUndefined();
  });

  it('has an example of each kind of line', () => {
    expect(EXAMPLES).toHaveLength(LINES.length);
  });

  it.each<[string, object, string]>([
    ['an unknown kind', { type: 'Ride', v: 1 }, 'Ride is not a known kind'],
    ['an unknown outcome', { ...UPLOADED, outcome: 'gone' }, 'upload gone is not a known kind'],
    ['a missing field', { ...UPLOADED, sha256: undefined }, "must have required property 'sha256'"],
    ['an unknown field', { ...UPLOADED, hash: 'a1' }, 'additional properties (hash)'],
    ['an unknown inner field', { ...UPLOADED, service: { id: 'x' } }, '/service must NOT'],
    ['a time in ms', { ...UPLOADED, at: 1_771_142_531_402 }, '/at must be string'],
    ['a local time', { ...UPLOADED, at: '2026-02-15T09:02:11' }, '/at must match pattern'],
    ['another version', { ...UPLOADED, v: 2 }, 'v is 2, not 1'],
    ['type at another place', { v: 1, type: 'paths' }, 'does not begin with type and v'],
    ['no version', { type: 'paths' }, 'does not begin with type and v'],
    [
      'a wrong count in a summary',
      { type: 'summary', v: 1, total: 3, present: 1, missing: '1', pending: 0, notKnown: 1 },
      'summary: /missing must be integer',
    ],
  ])('does not allow %s', (_what, line, problem) => {
    const text = JSON.stringify(line);
    expect(wrongJsonLine(`${text}\n`)).toContain(problem);
    expect(wrongJsonLine(`${text}\n`)).toContain(text);
  });

  it('does not allow lines that are no objects of JSON', () => {
    expect(wrongJsonLine('ride.fit: uploaded\n')).toContain('it is no JSON');
    expect(wrongJsonLine('7\n')).toContain('it is no object');
    expect(wrongJsonLine('{}\n')).toContain('does not begin with type and v');
  });

  it('does not judge a line that was cut off', () => {
    expect(wrongJsonLine('{"type":"upl')).toBeUndefined();
    expect(wrongJsonLine('')).toBeUndefined();
  });
});

describe('a run of the program in a test', () => {
  /** A program that prints this line, in the place of the built one. */
  async function run(line: string, ...args: readonly string[]): Promise<string> {
    const home = openHome();
    const program = join(home.dir, 'main.cjs');
    writeFileSync(program, `console.log(${JSON.stringify(line)});`);
    return (await runSync(args, { home, program })).stdout;
  }

  it('fails if the program prints a line of --json that the schema does not describe', async () => {
    await expect(run('{"type":"paths","v":1}', 'config', 'path', '--json')).rejects.toThrow(
      "sync config path --json: Not a line of --json (docs/json.md): paths: the line must have required property 'configFile'",
    );
  });

  it('returns the output if the schema describes it, and of help and text in any case', async () => {
    const line = '{"type":"sandbox-stopped","v":1,"requests":1,"recordings":0}';
    expect(await run(line, 'sandbox', '--json')).toBe(`${line}\n`);
    expect(await run('Usage: sync', 'upload', '--json', '--help')).toBe('Usage: sync\n');
    expect(await run('anything', 'config', 'path')).toBe('anything\n');
  });
});
