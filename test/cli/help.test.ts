import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentUrl } from '../../src/base/version.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { describeOption } from '../../src/cli/help.ts';
import { type CommandNode, createTree } from '../../src/cli/tree.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { FAULT_ROUTES } from '../../src/sandbox/faults/spec.ts';
import { SETTINGS as SANDBOX_SETTINGS } from '../../src/sandbox/settings.ts';

const root = await createTree(COMMANDS);
const nodes = allOf(root);

function allOf(node: CommandNode): CommandNode[] {
  return [node, ...node.subcommands.flatMap(allOf)];
}

/** Returns a page of the help as a terminal of this width shows it. */
function page({ command }: CommandNode, width = 80): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => width });
  command.outputHelp();
  return text;
}

/** @param name such as `push wellness` */
function nodeOf(name: string): CommandNode {
  const node = nodes.find(({ path }) => path.join(' ') === name);
  if (node === undefined) throw new Error(`no command ${name}`);
  return node;
}

/** Returns the page of a command, in one paragraph. */
function pageOf(name: string): string {
  return page(nodeOf(name)).replace(/\s+/g, ' ');
}

describe('help', () => {
  it.each([60, 80, 200])('stays within %i columns', (width) => {
    const wide = nodes
      .flatMap((node) => page(node, width).split('\n'))
      // Commands to copy, and addresses, are never broken.
      .filter((line) => line.length > width && !/^ {2}(?:\$ |https:)/.test(line));
    expect(wide).toEqual([]);
  });

  it('prints ASCII only', () => {
    // eslint-disable-next-line no-control-regex -- the first and the last ASCII character
    for (const node of nodes) expect(page(node)).toMatch(/^[\x00-\x7f]*$/);
  });

  it('shows an example for every command, and the common flags in a separate group', () => {
    for (const { path, ...node } of nodes.filter(({ module }) => module !== undefined)) {
      const text = page({ path, ...node });
      expect(text).toMatch(/^Examples:\n {2}[$#] /m);
      expect(text).toMatch(/^Common options:\n {2}--profile/m);
      expect(text).not.toMatch(/default: (?:false|true|\[\])/);
      for (const command of exampleCommands(text))
        expect(command, path.join(' ')).toContain(`sync ${path.join(' ')}`);
    }
  });

  it.each([
    ['login', '--port <n>', '8917'],
    ['login', '--timeout <duration>', '5m'],
    ['login', '--store <where>', 'keychain'],
    ['login', '--scope <scopes>', 'workout:write health:write'],
    ['upload', '--jobs <n>', '4'],
    ['push wellness', '--jobs <n>', '4'],
    ['seed', '--days <n>', '30'],
    ['seed', '--seed <n>', '1'],
    ['workouts', '--limit <n>', '20'],
    ['watch', '--poll [seconds]', '30'],
    ['daemon logs', '-n, --lines <n>', '50'],
    ['sandbox', '--port <n>', '8918'],
    ['sandbox', '--platform <name>', 'coach-watts'],
  ])('of %s shows the default of %s: %s', (name, flag, value) => {
    const option = nodeOf(name).command.options.find(({ flags }) => flags === flag);
    expect(option && describeOption(option)).toContain(`(default: ${value}`);
  });

  it('of config set lists every key, and of sandbox every route of a fault and every setting', () => {
    for (const key of Object.keys(SETTINGS)) expect(pageOf('config set')).toContain(` ${key} `);
    for (const route of FAULT_ROUTES) expect(pageOf('sandbox')).toContain(route);
    for (const name of SANDBOX_SETTINGS.keys()) {
      expect(pageOf('sandbox')).toContain(` ${name}=`);
    }
  });

  it('lists every command of the program in a group', () => {
    const text = page(root);
    expect(text).not.toContain('\nCommands:');
    for (const { path } of root.subcommands) expect(text).toContain(`\n  ${path.join(' ')} `);
    expect(text).not.toMatch(/^ {2}(?:complete|manual) /m);
  });

  it('names documents that exist', () => {
    const names = nodes.flatMap(({ module }) => module?.documents ?? []);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !existsSync(`docs/${name}`))).toEqual([]);
    expect(pageOf('import')).toContain(documentUrl('import.md'));
    expect(documentUrl('import.md')).toMatch(/^https:\/\/github\.com\/.*\/docs\/import\.md$/);
  });
});

function exampleCommands(text: string): string[] {
  const [, examples = ''] = text.split('\nExamples:\n');
  return [...examples.matchAll(/^ {2}\$ (.*)$/gm)].map(([, command = '']) => command);
}
