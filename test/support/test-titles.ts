import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, readDocument } from './documents.ts';

/** A test, by the text in its source. */
export interface TestTitle {
  /** Titles of the groups around it, outermost first. */
  readonly groups: readonly string[];
  /** Of a table of tests the template, such as `refuses $name`. */
  readonly title: string;
}

/**
 * Returns the tests in a file. An expression in a title is written as `…`; at the end of a title it is a
 * note about the machine, and left out.
 *
 * @param path such as `test/auth/callback.test.ts`
 */
export function testTitles(path: string): TestTitle[] {
  const file = ts.createSourceFile(
    join(ROOT, path),
    readDocument(path),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: TestTitle[] = [];
  const visit = (node: ts.Node, groups: readonly string[]) => {
    const call = ts.isCallExpression(node) ? namedCall(node) : undefined;
    if (call?.kind === 'test') found.push({ groups, title: call.title });
    const inside = call?.kind === 'group' ? [...groups, call.title] : groups;
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(file, []);
  return found;
}

const KINDS = new Map([
  ['it', 'test'],
  ['test', 'test'],
  ['describe', 'group'],
] as const);

function namedCall({ expression, arguments: [first] }: ts.CallExpression) {
  const kind = KINDS.get(rootName(expression) as 'it' | 'test' | 'describe');
  const title = first === undefined ? undefined : textOf(first);
  return kind === undefined || title === undefined ? undefined : { kind, title };
}

/** Returns `it` for `it`, `it.skipIf(...)` and `it.each(...)`. */
function rootName(node: ts.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) {
    return rootName(node.expression);
  }
  return undefined;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  const rest = node.templateSpans.map(({ literal }) => literal.text);
  return [node.head.text, ...rest].join('…').replace(/…$/, '');
}
