import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { OTHER_WORDS, commandMeant } from '../../src/cli/usage-error.ts';
import { type CommandNode, createTree } from '../../src/cli/tree.ts';

interface Found {
  readonly node: CommandNode;
  /** The words after the command. */
  readonly rest: readonly string[];
}

const tree = await createTree(COMMANDS);

it.each(Object.entries(OTHER_WORDS))('%s means a command and flags that exist', (words, meant) => {
  const [, ...typed] = meant.render('default').replaceAll('`', '').split(' ');
  if (typed[0] === '--version') return;
  const find = (nodes: readonly CommandNode[], [name, ...rest]: readonly string[]): Found => {
    const node = nodes.find(({ path }) => path.at(-1) === name);
    if (node === undefined) throw new Error(`there is no ${String(name)}`);
    return node.subcommands.length === 0 ? { node, rest } : find(node.subcommands, rest);
  };
  const { node, rest } = find(tree.subcommands, typed);
  const flags = rest.filter((word) => word.startsWith('--'));
  expect(node.command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(flags));
  // No entry hides a command.
  const [first = '', second] = words.split(' ');
  const own = tree.subcommands.find(({ path }) => path[0] === first);
  if (second === undefined) expect(own).toBeUndefined();
  else expect(own?.subcommands.map(({ path }) => path[1]) ?? []).not.toContain(second);
});

it('prefers an entry of two words, and knows no inherited names', () => {
  expect(commandMeant(['auth', 'logout'])?.render(undefined)).toBe('`sync logout`');
  expect(commandMeant(['auth', 'x'])?.render(undefined)).toBe('`sync login`');
  expect(commandMeant(['constructor'])).toBeUndefined();
  expect(commandMeant([])).toBeUndefined();
});
