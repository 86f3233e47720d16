import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * The layers of docs/architecture.md, lowest first. A file imports from its own folder and from
 * lower layers only: not from above, and not from another folder of its layer.
 */
const LAYERS = [
  ['base'],
  ['json'],
  ['system', 'terminal', 'fit'],
  ['config'],
  ['ledger', 'credentials', 'api'],
  ['auth', 'upload', 'records', 'seed'],
  ['daemon', 'os-service'],
  ['watch'],
  ['app'],
  ['render'],
  ['commands', 'sandbox'],
  ['cli'],
];
const FOLDERS = LAYERS.flat();

/** Folders that a folder may import from, besides itself. */
function allowedIn(folder) {
  // The sandbox shares nothing with the client, so that a misreading cannot hide on both sides.
  if (folder === 'sandbox') return [];
  const lower = LAYERS.slice(
    0,
    LAYERS.findIndex((layer) => layer.includes(folder)),
  ).flat();
  // Transitional: `render/` is folded into `commands/`.
  if (folder === 'render') lower.push('commands');
  return folder === 'commands' ? [...lower, 'sandbox'] : lower;
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
                    message: 'Imports point down: see docs/architecture.md.',
                  },
                ]),
            {
              regex: '^(\\.\\./)+(main|run)\\.ts$',
              message: 'Imports point down: see docs/architecture.md.',
            },
          ],
        },
      ],
    },
  };
});

export default defineConfig(
  { ignores: ['dist/', 'node_modules/', 'coverage/'] },
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
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only app/system.ts reads the environment.' },
        {
          object: 'process',
          property: 'exit',
          message: 'Set an exit code and let the program end.',
        },
      ],
    },
  },
  { files: ['src/app/system.ts', 'src/run.ts'], rules: { 'no-restricted-properties': 'off' } },
  ...arrows,
  {
    files: ['bin/*.js', '**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        require: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        setTimeout: 'readonly',
        module: 'writable',
      },
    },
  },
  prettier,
);
