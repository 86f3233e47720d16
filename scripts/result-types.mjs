// Writes out the types of the library's results, with the meaning of each field: the package has no valibot, from
// whose schemas scripts/json-schema/results.ts infers them.
import { format, resolveConfig } from 'prettier';
import { load } from './generated.mjs';

/** Returns the declarations in place of scripts/json-schema/results.ts. */
export async function resultTypes() {
  const { LINES } = await load('scripts/json-schema/lines.ts');
  const { shapesOf } = await load('scripts/json-schema/schema.ts');
  const { factsOf, partsOf, rulesOf } = await load('scripts/json-schema/fields.ts');
  const { FIELDS_OF_COMMANDS, OUTCOMES_OF_COMMANDS, RESULTS } = await load(
    'scripts/json-schema/results.ts',
  );

  const results = Object.entries(RESULTS).map(([name, type]) => {
    const kind = LINES.find(({ types }) => types.includes(type));
    const each = shapesOf(kind)
      .filter(({ is = {} }) => !OUTCOMES_OF_COMMANDS.some((word) => word in is))
      .map(({ fields }) => members(fields));
    return { name, about: kind.about, each };
  });
  const shared = sharedFields(results.flatMap(({ each }) => each));
  const fields = [...shared.values()].join('');
  const types = results.map(({ name, about, each }) => {
    const forms = each.map((shape) => shapeType(shape, shared));
    return `${comment(about)}export type ${name} = ${forms.join(' | ')};`;
  });
  const text = [
    `/** The fields that several results have. */\ninterface Fields { ${fields} }`,
    ...types,
  ];
  const options = await resolveConfig(import.meta.filename);
  return await format(text.join('\n\n'), { ...options, parser: 'typescript' });

  /** Returns the fields of an object as TypeScript, by name. */
  function members(shape) {
    const own = Object.entries(shape).filter(([name]) => !FIELDS_OF_COMMANDS.includes(name));
    return new Map(
      own.map(([name, given]) => {
        const { schema, about, when, unit, words } = factsOf(given);
        const meaning = [
          unit === undefined ? about : about.replace(/\.$/, ` (${unit}).`),
          when && `Only if ${when}.`,
          words && meaningOf(words),
        ];
        const text = meaning.filter(Boolean).join(' ');
        return [name, field(when === undefined ? name : `${name}?`, typeOf(schema), text)];
      }),
    );
  }

  function typeOf(schema) {
    const { entries, item, options } = partsOf(schema);
    if (options !== undefined) return options.map((word) => `'${word}'`).join(' | ');
    if (entries !== undefined) return `{ ${[...members(entries).values()].join('')} }`;
    if (item !== undefined) return `readonly ${typeOf(item)}[]`;
    if (schema.type === 'record') return 'Readonly<Record<string, unknown>>';
    return rulesOf(schema)[0]?.type ?? schema.type;
  }
}

/** Returns the fields that occur several times, each in its most frequent form. */
function sharedFields(all) {
  const counts = new Map();
  for (const [name, text] of all.flatMap((shape) => [...shape])) {
    if (name === 'outcome') continue;
    const forms = counts.get(name) ?? counts.set(name, new Map()).get(name);
    forms.set(text, (forms.get(text) ?? 0) + 1);
  }
  const found = [...counts].flatMap(([name, forms]) => {
    const [[text, count]] = [...forms].sort((a, b) => b[1] - a[1]);
    return count > 1 ? [[name, text]] : [];
  });
  return new Map(found);
}

/** Returns a form of a result: the fields that others have, too, by their names. */
function shapeType(shape, shared) {
  const isShared = ([name, text]) => shared.get(name) === text;
  const own = [...shape].filter((each) => !isShared(each)).map(([, text]) => text);
  const picked = [...shape].filter(isShared).map(([name]) => `'${name}'`);
  const parts = [
    ...(own.length > 0 ? [`{ ${own.join('')} }`] : []),
    ...(picked.length > 0 ? [`Pick<Fields, ${picked.join(' | ')}>`] : []),
  ];
  return `(${parts.join(' & ')})`;
}

export function field(name, type, about = '') {
  return `${comment(about)}readonly ${name}: ${type};\n`;
}

export function comment(text) {
  return text === '' ? '' : `/** ${text} */\n`;
}

function meaningOf(values) {
  const meanings = Object.entries(values).map(([word, about]) => `\`${word}\`: ${about}`);
  return `${meanings.join('; ')}.`;
}
