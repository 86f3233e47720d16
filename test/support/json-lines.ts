import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { LINES } from '../../scripts/json-schema/lines.ts';
import { candidates, jsonSchema, reference, shapesOf } from '../../scripts/json-schema/schema.ts';
import { JSON_VERSION } from '../../src/base/version.ts';

const SCHEMA = 'lines';
let ajv: Ajv2020 | undefined;

/** The compiled schema of one definition; compiled at its first use in this worker. */
function validator(definition: string): ValidateFunction {
  if (ajv === undefined) {
    // To optimise the code takes longer than to run it.
    ajv = new Ajv2020({ allErrors: true, strict: true, code: { optimize: false } });
    ajv.addSchema(jsonSchema(LINES), SCHEMA);
  }
  const validate = ajv.getSchema(`${SCHEMA}${reference(definition)}`);
  if (validate === undefined) throw new Error(`the schema has no ${definition}`);
  return validate;
}

/**
 * Finds the first line that violates docs/json.md. An incomplete last line, after the last line
 * feed, is not checked.
 *
 * @param stdout of a run with `--json`
 * @returns the problem, with the line
 */
export function wrongJsonLine(stdout: string): string | undefined {
  for (const line of stdout.split('\n').slice(0, -1)) {
    const wrong = problemOf(line);
    if (wrong !== undefined) return `Not a line of --json (docs/json.md): ${wrong}\n${line}`;
  }
  return undefined;
}

function problemOf(text: string): string | undefined {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return 'it is no JSON';
  }
  if (typeof line !== 'object' || line === null) return 'it is no object';
  const [first, second] = Object.entries(line) as [string, unknown][];
  if (first?.[0] !== 'type' || second?.[0] !== 'v') return 'it does not begin with type and v';
  if (second[1] !== JSON_VERSION) return `v is ${String(second[1])}, not ${JSON_VERSION}`;
  const definitions = candidates(LINES, line as Record<string, unknown>);
  if (definitions.length === 0) return `${kindOf(line)} is not a known kind`;
  const wrong = definitions.map((definition) => problemsBy(definition, line));
  if (wrong.some((problems) => problems.length === 0)) return undefined;
  // If several kinds have this type, the closest kind is taken as intended.
  const [fewest = []] = wrong.sort((a, b) => a.length - b.length);
  return `${kindOf(line)}: ${fewest.join('; ')}`;
}

function problemsBy(definition: string, line: unknown): string[] {
  const validate = validator(definition);
  return validate(line) ? [] : (validate.errors ?? []).map(problemText);
}

function problemText({ instancePath, message, params }: ErrorObject): string {
  const { additionalProperty } = params as { additionalProperty?: string };
  const which = additionalProperty === undefined ? '' : ` (${additionalProperty})`;
  return `${instancePath === '' ? 'the line' : instancePath} ${message ?? 'is wrong'}${which}`;
}

/** `upload uploaded`: the type, and what tells its variants apart. */
function kindOf(line: object): string {
  const fields: Readonly<Record<string, unknown>> = { ...line };
  const kind = LINES.find(({ types }) => types.some((type) => type === fields['type']));
  const by = kind === undefined ? undefined : shapesOf(kind)[0]?.by;
  const variant = by === undefined ? '' : ` ${String(fields[by])}`;
  return `${String(fields['type'])}${variant}`;
}
