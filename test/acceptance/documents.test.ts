import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ExitCode, worstExitCode } from '../../src/base/errors.ts';
import { OUTCOMES, SKIPPED } from '../../src/app/outcomes.ts';
import { systemConfigFile } from '../../src/config/paths.ts';
import { DEFAULT_SCOPES } from '../../src/config/scopes.ts';
import { CALLBACK_PATH, SETTINGS } from '../../src/config/settings.ts';
import { presetKeys, readSystemFile } from '../../src/config/system-file.ts';
import type { InvalidReason } from '../../src/upload/report.ts';
import { openHome } from '../support/acceptance.ts';
import { openComputer } from '../support/computer.ts';
import { documentedCommands, expectKnown } from '../support/documented-commands.ts';
import {
  ROOT,
  codeBlocks,
  quoted,
  readDocument,
  tableRows,
  withoutBlocks,
} from '../support/documents.ts';
import { missingTools, skipNote } from '../support/shell.ts';
import { scratchDir } from '../support/scratch-dir.ts';

const documents = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

describe('the documentation', () => {
  it.each(documents)('has no dead links in %s', (path) => {
    const text = withoutBlocks(readDocument(path));
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    if (path === 'README.md') expect(links.length).toBeGreaterThan(4);
    for (const [, file = '', anchor] of links) {
      const target = file === '' ? path : join(dirname(path), file);
      expect(existsSync(join(ROOT, target)), `${path}: ${target}`).toBe(true);
      if (anchor === undefined) continue;
      const anchors = [...readDocument(target).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      );
      expect(anchors, `${path}: #${anchor}`).toContain(anchor);
    }
  });

  it.each(documents)('in %s names source files that exist', (path) => {
    const named = quoted(readDocument(path)).filter((word) =>
      /^(?:src|test|bench|scripts)\/[\w./-]*$/.test(word),
    );
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it.each([
    ['README.md', 'a checkout needs', '22.12'],
    ['CONTRIBUTING.md', 'a checkout needs', '22.12'],
    ['docs/install.md', 'the package supports', '22.3'],
  ])('in %s names the versions of Node.js that %s', (path, _whose, least) => {
    const { engines, devEngines } = JSON.parse(readDocument('package.json')) as {
      engines: { node: string };
      devEngines: { runtime: { version: string } };
    };
    expect(engines.node).toBe('^20.19.0 || >=22.3.0');
    expect(devEngines.runtime.version).toBe('^20.19.0 || >=22.12.0');
    expect(readDocument(path).replace(/\s+/g, ' ')).toContain(`20.19, ${least} or newer (not 21)`);
  });

  it('names existing commands and flags only', async () => {
    const home = openHome();
    const texts = documents.map(readDocument).flatMap((text) => [
      ...codeBlocks(text)
        .filter(({ language }) => language === 'sh')
        .map((block) => block.text),
      ...quoted(withoutBlocks(text)).filter((code) => /^sync [a-z]/.test(code)),
    ]);
    const commands = texts.flatMap(documentedCommands);
    expect(commands.length).toBeGreaterThan(100);
    // One run of the help for each command, with the flags of all its mentions.
    const flags = new Map<string, Set<string>>();
    for (const command of commands) {
      const name = command.path.join(' ');
      flags.set(name, new Set([...(flags.get(name) ?? []), ...command.flags]));
    }
    for (const [text, named] of flags) {
      await expectKnown(home, { text, path: text.split(' '), flags: [...named] });
    }
  });
});

it('docs/ci.md lists every exit code and their precedence', () => {
  const document = readDocument('docs/ci.md');
  const codes = tableRows(document, 'exit code').map(([code]) => Number(code));
  expect(codes).toEqual(Object.values(ExitCode).sort((one, other) => one - other));
  const order = /^If several apply, the precedence is (.*)\.$/m
    .exec(document)?.[1]
    ?.split(', ')
    .map(Number);
  expect(order).toHaveLength(4);
  for (let rest = order ?? []; rest.length > 0; rest = rest.slice(1)) {
    expect(worstExitCode(rest as ExitCode[])).toBe(rest[0]);
  }
});

/** Complete by its type: a new reason must be added here and to the schema. */
const INVALID: Record<InvalidReason, true> = {
  'not-an-activity': true,
  'not-fit': true,
  incomplete: true,
  corrupt: true,
  unreadable: true,
};

it('docs/json.md lists every outcome and every reason', () => {
  expect(quoted(withoutBlocks(readDocument('docs/json.md')))).toEqual(
    expect.arrayContaining(Object.keys({ ...OUTCOMES, ...SKIPPED, ...INVALID })),
  );
});

it('docs/login.md and README.md say what a login asks for, and what to register', () => {
  const uri = `http://127.0.0.1:${String(SETTINGS.redirectPort.fallback)}${CALLBACK_PATH}`;
  const scopes = [DEFAULT_SCOPES.join(' '), 'nutrition:read'];
  for (const [path, more] of [
    ['README.md', []],
    ['docs/login.md', [uri, 'S256']],
  ] as const) {
    const words = quoted(withoutBlocks(readDocument(path)));
    expect(words).toEqual(expect.arrayContaining([...scopes, ...more]));
  }
});

describe('docs/operators.md', () => {
  const document = readDocument('docs/operators.md');

  it('has an example that is a valid preset', () => {
    const folder = scratchDir();
    const [example] = codeBlocks(document).filter(({ language }) => language === 'json');
    const path = join(folder, 'config.json');
    writeFileSync(path, example?.text ?? '', { mode: 0o644 });
    // Trusts the user who runs the tests, in place of root.
    const trust = {
      uid: process.geteuid?.(),
      accounts: () => ({ passwd: '', group: '' }),
      unmapped: () => undefined,
    };
    expect(readSystemFile(path, trust)).toEqual({
      path,
      settings: {
        baseUrl: 'https://training.example.com',
        clientId: 'athlete-sync',
        redirectPort: '8917',
      },
      fault: undefined,
    });
  });

  it('names every setting and path of a preset', () => {
    expect(quoted(withoutBlocks(document))).toEqual(
      expect.arrayContaining([
        ...presetKeys().filter((key) => !key.startsWith('endpoint.')),
        'endpoint.NAME',
        systemConfigFile({}, 'linux'),
        systemConfigFile({}, 'darwin'),
        systemConfigFile({ ProgramFiles: '%ProgramFiles%' }, 'win32'),
      ]),
    );
  });
});

describe('docs/settings.md', () => {
  const document = readDocument('docs/settings.md');
  const missing = missingTools('bash');

  it('lists exactly the variables that the program reads', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n');
    const read = new Set(
      [
        ...sources.matchAll(
          /['"](SYNC_[A-Z_]+|NO_COLOR|FORCE_COLOR|CLICOLOR|HTTPS_PROXY|NO_PROXY)['"]/g,
        ),
      ].map(([, name = '']) => name),
    );
    const listed = quoted(withoutBlocks(document)).filter((word) =>
      /^(?:SYNC_|NO_|FORCE_|CLI|HTTPS_)[A-Z_]+$/.test(word),
    );
    expect([...new Set(listed)].sort()).toEqual([...read].sort());
  });

  it.skipIf(process.platform === 'win32' || missing.length > 0)(
    `has working commands${skipNote(missing)}`,
    async () => {
      const { world, type } = await openComputer();
      const commands = codeBlocks(document)
        .filter(({ language }) => language === 'sh')
        .flatMap(({ text }) => text.split('\n'));
      expect(commands).toContain('sync config get timezone');
      await world.sync(['config', 'set', 'redirectPort', '0', '--profile', 'coach']);
      // The status of all profiles exits with 4 if one of them has no login.
      await type('sync login');
      for (const command of commands) {
        const run = await type(command);
        expect(run.code, `${command}\n${run.stdout}${run.stderr}`).toBe(0);
        if (command.includes(' get ')) expect(run.stdout).toBe('Europe/Berlin\n');
      }
      const [athlete] = world.sandbox.control.state('athlete-1').athletes;
      expect(athlete?.recordings).toHaveLength(1);
    },
  );
});
