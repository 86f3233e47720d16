import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * The layers of docs/internals/architecture.md, lowest first. A file imports from its own folder and from
 * lower layers only: not from above, and not from another folder of its layer.
 */
const LAYERS = [
  ['base'],
  ['system', 'terminal', 'fit'],
  ['archive', 'tracks'],
  ['config'],
  ['ledger', 'credentials', 'api'],
  ['inputs'],
  ['auth', 'upload', 'records'],
  ['devices', 'seed'],
  ['import', 'daemon'],
  ['watch'],
  ['app'],
  ['commands', 'library', 'sandbox'],
  ['cli'],
];
const FOLDERS = LAYERS.flat();
const BELOW_COMMANDS = FOLDERS.filter(
  (folder) => !['system', 'terminal', 'commands', 'cli'].includes(folder),
);

/** Folders that a folder may import from, besides itself. */
function allowedIn(folder) {
  // The sandbox shares nothing with the client, so that a misreading cannot hide on both sides.
  if (folder === 'sandbox') return [];
  const lower = LAYERS.slice(
    0,
    LAYERS.findIndex((layer) => layer.includes(folder)),
  ).flat();
  return ['commands', 'library'].includes(folder) ? [...lower, 'sandbox'] : lower;
}

const arrows = FOLDERS.map((folder) => {
  const allowed = [folder, ...allowedIn(folder)];
  const forbidden = FOLDERS.filter((other) => !allowed.includes(other));
  return {
    files: [`src/${folder}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...(forbidden.length === 0
              ? []
              : [
                  {
                    regex: `^(\\.\\./)+(${forbidden.join('|')})/`,
                    message: 'Imports point down: see docs/internals/architecture.md.',
                  },
                ]),
            {
              regex: '^(\\.\\./)+(main|run)\\.ts$',
              message: 'Imports point down: see docs/internals/architecture.md.',
            },
          ],
        },
      ],
    },
  };
});

/**
 * The rooms of two folders, lowest first, with the files of the folder that every room may import (`shared`). All
 * other files of the folder lie above its rooms. Types may be imported from anywhere.
 */
const INNER = {
  records: {
    shared: [
      'clock',
      'digest',
      'fields',
      'listed',
      'members',
      'names',
      'notes',
      'number-hint',
      'people',
      'plan',
      'prefer',
      'refused-input',
      'types',
      'values',
    ],
    rooms: [['sources'], ['days'], ['read'], ['engine'], ['nutrition', 'wellness']],
  },
  watch: {
    shared: ['below', 'events', 'parts', 'report'],
    rooms: [['hooks', 'send'], ['find'], ['wellness']],
  },
};

const walls = Object.entries(INNER).flatMap(([folder, { shared, rooms }]) => {
  const wall = (files, forbidden) => ({
    files,
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: forbidden.map((regex) => ({
            regex,
            allowTypeImports: true,
            message: 'Imports point down: see INNER in eslint.config.mjs.',
          })),
        },
      ],
    },
  });
  const inRooms = rooms.flatMap((layer, at) =>
    layer.map((room) => {
      const allowed = [room, ...rooms.slice(0, at).flat()];
      const others = rooms.flat().filter((other) => !allowed.includes(other));
      return wall(
        [`src/${folder}/${room}/**/*.ts`],
        [
          ...(others.length === 0 ? [] : [`^(\\.\\./)+(${others.join('|')})/`]),
          `^\\.\\./(?!(${shared.join('|')})\\.ts$)[\\w-]+\\.ts$`,
        ],
      );
    }),
  );
  return [
    wall(
      shared.map((name) => `src/${folder}/${name}.ts`),
      [`^\\./(${rooms.flat().join('|')})/`, `^\\./(?!(${shared.join('|')})\\.ts$)[\\w-]+\\.ts$`],
    ),
    ...inRooms,
  ];
});

/** The rules of `no-restricted-syntax` for the program. */
const SYNTAX = [
  {
    selector:
      'CallExpression[callee.name=/^(spawn|exec|execFile|fork)(Sync)?$/]:not(:has(Property[key.name="env"] > CallExpression[callee.name="childEnv"]))',
    message: 'A child process inherits what childEnv() gives it: `env: childEnv(...)`.',
  },
  {
    selector:
      'ImportDeclaration[source.value=/^(node:)?child_process$/] :matches(ImportDefaultSpecifier, ImportNamespaceSpecifier)',
    message: 'Import the functions by name: a rule checks the environment of each call.',
  },
  {
    selector:
      'ExpressionStatement > :matches(NewExpression, CallExpression[callee.name=/^(decodeURI|decodeURIComponent|encodeURI|encodeURIComponent|BigInt)$/])',
    message: 'The bundler drops a call that only throws: use its result.',
  },
];
/** Text from outside may be nested deeper than the stack. */
const NO_JSON_PARSE = {
  selector: 'MemberExpression[object.name="JSON"][property.name="parse"]',
  message: 'Use parseJson() of base/json.ts, which limits the depth.',
};
/** Files that parse text which this program wrote, or text of limited depth. */
const PARSES_OWN_JSON = [
  'src/base/json.ts',
  // Rows of the ledger.
  'src/ledger/nutrition.ts',
  'src/ledger/wellness.ts',
  'src/ledger/rides.ts',
  'src/ledger/upload-rows.ts',
  // Messages between this program and its keychain child.
  'src/credentials/keychain-child.ts',
  'src/credentials/keychain-protocol.ts',
  // Messages between this program and its device child.
  'src/devices/device-child.ts',
  'src/devices/find.ts',
  // After scanJson() checked the depth.
  'src/records/read/json.ts',
  // The sandbox shares nothing with the client.
  'src/sandbox/**',
];

export default defineConfig(
  { ignores: ['dist/', 'release/', 'node_modules/', 'coverage/'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/return-await': ['error', 'always'],
      '@typescript-eslint/no-unused-expressions': ['error', { allowTaggedTemplates: true }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Only app/context.ts reads the environment.',
        },
        {
          object: 'process',
          property: 'exit',
          message: 'Set an exit code and let the program end.',
        },
      ],
      'no-restricted-syntax': ['error', ...SYNTAX, NO_JSON_PARSE],
    },
  },
  {
    files: PARSES_OWN_JSON,
    rules: { 'no-restricted-syntax': ['error', ...SYNTAX] },
  },
  {
    files: [
      'src/app/context.ts',
      'src/run.ts',
      'src/credentials/keychain-child.ts',
      'src/devices/monitor-child.ts',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // `system/` and `terminal/` hold what these need of the process; the children are programs.
    files: BELOW_COMMANDS.map((folder) => `src/${folder}/**/*.ts`),
    ignores: [
      'src/app/context.ts',
      'src/credentials/keychain-child.ts',
      'src/devices/device-child.ts',
      'src/devices/remote/remote-child.ts',
      'src/devices/monitor-child.ts',
    ],
    rules: {
      'no-restricted-globals': [
        'error',
        {
          name: 'process',
          message: 'Modules below commands/ get the outside world as an argument.',
        },
        { name: 'console', message: 'Modules below commands/ print nothing.' },
      ],
    },
  },
  ...arrows,
  ...walls,
  {
    files: ['bin/*.js', '**/*.mjs'],
    languageOptions: {
      globals: {
        AbortSignal: 'readonly',
        process: 'readonly',
        require: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        setTimeout: 'readonly',
        module: 'writable',
      },
    },
  },
  {
    // The script of the sandbox's page runs in browsers.
    files: ['src/sandbox/page/page.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['document', 'window', 'location', 'history', 'navigator', 'fetch', 'FormData'],
          ...['EventSource', 'URLSearchParams', 'XMLHttpRequest'],
          ...['setTimeout', 'clearTimeout', 'setInterval'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    // A version of Node.js that is too old for the program reads these, to say so.
    files: ['bin/*.js'],
    languageOptions: { ecmaVersion: 5, sourceType: 'script' },
    rules: { 'no-unused-vars': ['error', { caughtErrors: 'none' }] },
  },
  prettier,
);
