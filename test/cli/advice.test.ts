import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { type CommandNode, createTree } from '../../src/cli/tree.ts';
import { SETTINGS } from '../../src/config/settings.ts';

const src = new URL('../../src', import.meta.url).pathname;
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(src, name), 'utf8') }));

let nodes: readonly CommandNode[];
const withAll = (node: CommandNode): readonly CommandNode[] => [
  node,
  ...node.subcommands.flatMap(withAll),
];
beforeAll(async () => void (nodes = withAll(await createTree(COMMANDS))));

it('each command that a message advises exists, with its flags', () => {
  const all = new Map(nodes.map(({ path, command }) => [path.join(' '), command]));
  const wrong = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/\bsync\(((?:'[^']*'(?:,\s*)?)+)/g)].flatMap(([, list = '']) => {
      const words = [...list.matchAll(/'([^']*)'/g)].map(([, word = '']) => word);
      const [first = '', second = ''] = words;
      const isRoot = first === 'help' || first.startsWith('-');
      const command = isRoot
        ? nodes[0]?.command
        : (all.get(`${first} ${second}`) ?? all.get(first));
      const flags = [command, nodes[0]?.command].flatMap((each) => each?.options ?? []);
      const isKnown = (word: string) =>
        !word.startsWith('-') ||
        word === '--help' ||
        flags.some(({ long, short }) => long === word || short === word);
      return command !== undefined && words.every(isKnown) ? [] : [`${name}: ${words.join(' ')}`];
    }),
  );
  expect(wrong).toEqual([]);
});

it('each setting is read', () => {
  const text = sources.map((each) => each.text).join('\n');
  const unread = Object.keys(SETTINGS).filter(
    (key) => !key.startsWith('endpoint.') && !text.includes(`get('${key}')`),
  );
  expect(unread).toEqual([]);
});
