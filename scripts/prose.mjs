/**
 * Counts stock idioms per 1,000 words of comments (default), or of test titles (`--titles`) or
 * documents (`--docs`). `--max=N` fails above that rate, and names each file with more than three idioms and
 * three times that rate.
 * Usage: node scripts/prose.mjs [--titles | --docs] [--list] [--max=N] [PATH...]
 */
import { readFileSync, statSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Phrases that withhold the actor or paraphrase a term of the field. */
const IDIOMS = [
  /\b(?:somebody|someone|nobody|no one|whoever|whatever|anybody)(?:'s)?\b/gi,
  /\b(?:is|are|was|were|be|being|been) (?:told|said|at it|done with|gone on with)\b/gi,
  /\btold\b/gi,
  /\b(?:goes|go|going|gone|went) on\b/gi,
  /\b(?:becomes|become|became) of\b/gi,
  /\bwhose\b/gi,
  /\bso (?:long|many|much|often)\b/gi,
  /\bas (?:long|far) as\b/gi,
  /\bat it\b/gi,
  /\bin vain\b/gi,
  /\bmend(?:s|ed|ing)?\b/gi,
  /\bone that\b/gi,
  /\bthose that\b/gi,
  /\bthere (?:are|is) that\b/gi,
  /\bwhat (?:is|was|were|are|waits|comes|came|goes|stands|lies|has|had|it|he|they|we)\b/gi,
  /\bunder way\b/gi,
  /\bof (?:its|their|our) own\b/gi,
  /\bas (?:it|they) (?:is|are|was|were)\b/gi,
  /\bby (?:itself|themselves)\b/gi,
  /\bhas to be\b/gi,
  /\bis of (?:no )?use\b/gi,
];

const args = process.argv.slice(2);
const flags = new Set(args.filter((arg) => arg.startsWith('--')));
const max = Number(args.find((arg) => arg.startsWith('--max='))?.slice(6) ?? Infinity);
const given = args.filter((arg) => !arg.startsWith('--'));
const kind = flags.has('--docs') ? 'docs' : flags.has('--titles') ? 'titles' : 'comments';
const DEFAULTS = { comments: ['src'], titles: ['test'], docs: ['docs', 'README.md'] };
const paths = given.length > 0 ? given : DEFAULTS[kind];

let words = 0;
let idioms = 0;
const crowded = [];
for (const path of paths.flatMap(filesBelow)) {
  const before = { words, idioms };
  const text = readFileSync(path, 'utf8');
  const passages =
    kind === 'docs' ? [{ text: withoutCode(text), line: 1 }] : passagesOf(path, text, kind);
  for (const passage of passages) {
    words += passage.text.match(/[A-Za-z][A-Za-z'-]*/g)?.length ?? 0;
    for (const found of idiomsIn(passage.text)) {
      idioms++;
      if (flags.has('--list')) console.log(`${path}:${passage.line}: ${found}`);
    }
  }
  const found = idioms - before.idioms;
  if (found > 3 && (found / (words - before.words)) * 1000 > 3 * max) crowded.push(path);
}
const rate = words === 0 ? 0 : (idioms / words) * 1000;
console.log(`${kind}: ${words} words, ${idioms} idioms, ${rate.toFixed(1)} per 1,000 words`);
for (const path of crowded) console.log(`too many in ${path}: --list shows them`);
if (rate > max || crowded.length > 0) process.exitCode = 1;

/** Each match once: a longer idiom hides a shorter one inside it. */
function idiomsIn(text) {
  const spans = IDIOMS.flatMap((idiom) =>
    [...text.matchAll(idiom)].map((match) => [
      match.index,
      match.index + match[0].length,
      match[0],
    ]),
  ).sort(([a, aEnd], [b, bEnd]) => a - b || bEnd - aEnd);
  let end = 0;
  return spans.flatMap(([from, to, found]) => {
    if (from < end) return [];
    end = to;
    return [found];
  });
}

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
    .filter((file) => (kind === 'docs' ? file.endsWith('.md') : file.endsWith('.ts')));
}

function passagesOf(path, text, wanted) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return wanted === 'titles' ? titlesOf(source) : commentsOf(source, text);
}

function commentsOf(source, text) {
  const found = new Map();
  const visit = (node) => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of ranges) {
      const line = source.getLineAndCharacterOfPosition(pos).line + 1;
      const clean = text.slice(pos, end).replace(/^\/\*+|\*\/$|^\s*\*|\/\//gm, ' ');
      found.set(pos, { text: clean.replace(/`[^`]*`|\s+/g, ' '), line });
    }
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...found.values()];
}

/** The titles of `describe`, `it` and `test`. */
function titlesOf(source) {
  const titles = [];
  const visit = (node) => {
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      const called = node.expression.getText(source);
      if (
        title !== undefined &&
        /^(?:describe|it|test)\b/.test(called) &&
        ts.isStringLiteralLike(title)
      ) {
        const line = source.getLineAndCharacterOfPosition(title.pos).line + 1;
        titles.push({ text: title.text, line });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

/** Prose of a Markdown file: neither code blocks nor inline code. */
function withoutCode(text) {
  return text.replace(/^```[\s\S]*?^```/gm, ' ').replace(/`[^`]*`/g, ' ');
}
