/**
 * Counts stock idioms per 1,000 words of comments (default), or of test titles (`--titles`) or
 * documents (`--docs`). `--max=N` fails above that rate, and names each file with more than three idioms and
 * three times that rate.
 * Usage: node scripts/prose.mjs [--titles | --docs] [--list] [--max=N] [PATH...]
 */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Phrases that withhold the actor or paraphrase a term of the field. */
const IDIOMS = [
  /\b(?:somebody|someone|nobody|no one|whoever|whatever|anybody)(?:'s)?\b/,
  /\b(?:is|are|was|were|be|being|been) (?:told|said|at it|done with|gone on with)\b/,
  /\btold\b/,
  /\b(?:goes|go|going|gone|went) on\b/,
  /\b(?:becomes|become|became) of\b/,
  /\bwhose\b/,
  /\bso (?:long|many|much|often)\b/,
  /\bas (?:long|far) as\b/,
  /\bat it\b/,
  /\bin vain\b/,
  /\bmend(?:s|ed|ing)?\b/,
  /\bone that\b/,
  /\bthose that\b/,
  /\bthere (?:are|is) that\b/,
  /\bwhat (?:is|was|were|are|waits|comes|came|goes|stands|lies|has|had|it|he|they|we)\b/,
  /\bunder way\b/,
  /\bof (?:its|their|our) own\b/,
  /\bas (?:it|they) (?:is|are|was|were)\b/,
  /\bby (?:itself|themselves)\b/,
  /\bhas to be\b/,
  /\bis of (?:no )?use\b/,
];
const ANY_IDIOM = new RegExp(IDIOMS.map(({ source }) => source).join('|'), 'gi');

/** Where a kind of prose is, and how its passages look in a file. */
const KINDS = {
  comments: { paths: ['src'], ending: '.ts', passages: /(?<=^|\s)(?:\/\*[^]*?\*\/|\/\/.*)/gm },
  // The first argument of `describe`, `it` and `test`, also behind the table of `each`.
  titles: {
    paths: ['test'],
    ending: '.ts',
    passages:
      /(?<=(?:^\s*(?:describe|it|test)\b.*|^\s*[\])].*)\(\s*)(?:'(?:\\.|[^'\\])+'|"[^"]+"|`[^`$]+`)/gm,
  },
  docs: { paths: ['docs', 'README.md'], ending: '.md', passages: /[^]+/g },
};
/** Code in prose, and the marks of comments. */
const NO_PROSE = /^```[^]*?^```|`[^`]*`|\s[\s*]*/gm;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    titles: { type: 'boolean' },
    docs: { type: 'boolean' },
    list: { type: 'boolean' },
    max: { type: 'string', default: 'Infinity' },
  },
});
const kind = values.docs ? 'docs' : values.titles ? 'titles' : 'comments';
const { paths, ending, passages } = KINDS[kind];
const max = Number(values.max);

let words = 0;
let idioms = 0;
const crowded = [];
for (const path of (positionals.length > 0 ? positionals : paths).flatMap(filesBelow)) {
  const before = { words, idioms };
  const text = readFileSync(path, 'utf8');
  for (const { 0: passage, index } of text.matchAll(passages)) {
    const prose = kind === 'titles' ? passage : passage.replace(NO_PROSE, ' ');
    words += prose.match(/[A-Za-z][A-Za-z'-]*/g)?.length ?? 0;
    for (const found of prose.match(ANY_IDIOM) ?? []) {
      idioms++;
      const line = text.slice(0, index).split('\n').length;
      if (values.list) console.log(`${path}:${line}: ${found}`);
    }
  }
  const found = idioms - before.idioms;
  if (found > 3 && (found / (words - before.words)) * 1000 > 3 * max) crowded.push(path);
}
const rate = words === 0 ? 0 : (idioms / words) * 1000;
console.log(`${kind}: ${words} words, ${idioms} idioms, ${rate.toFixed(1)} per 1,000 words`);
for (const path of crowded) console.log(`too many in ${path}: --list shows them`);
if (rate > max || crowded.length > 0) process.exitCode = 1;

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true }).sort();
  return names.filter((name) => name.endsWith(ending)).map((name) => join(path, name));
}
