import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * The import arrows of docs/architecture.md: what the files of a folder may not import. Imports
 * point down, siblings on one level do not know each other, and the sandbox knows nobody.
 */
const layers = {
  fit: [
    'auth',
    'commands',
    'credentials',
    'ledger',
    'records',
    'sandbox',
    'seed',
    'service',
    'upload',
    'watch',
  ],
  credentials: [
    'auth',
    'commands',
    'fit',
    'ledger',
    'records',
    'sandbox',
    'seed',
    'service',
    'upload',
    'watch',
  ],
  ledger: [
    'auth',
    'commands',
    'credentials',
    'fit',
    'records',
    'sandbox',
    'seed',
    'service',
    'upload',
    'watch',
  ],
  service: [
    'auth',
    'commands',
    'credentials',
    'fit',
    'ledger',
    'records',
    'sandbox',
    'seed',
    'upload',
    'watch',
  ],
  auth: ['commands', 'fit', 'records', 'sandbox', 'seed', 'upload', 'watch'],
  upload: ['auth', 'commands', 'credentials', 'records', 'sandbox', 'seed', 'watch'],
  records: ['auth', 'commands', 'credentials', 'fit', 'sandbox', 'seed', 'upload', 'watch'],
  seed: [
    'auth',
    'commands',
    'credentials',
    'ledger',
    'records',
    'sandbox',
    'service',
    'upload',
    'watch',
  ],
  watch: ['auth', 'commands', 'credentials', 'records', 'sandbox', 'seed'],
  sandbox: [
    'auth',
    'commands',
    'credentials',
    'fit',
    'ledger',
    'records',
    'seed',
    'service',
    'upload',
    'watch',
  ],
};
const top = ['main', 'run', 'cli', 'deps'];
const topFolders = ['cli', 'render'];

const arrows = Object.entries(layers).map(([folder, forbidden]) => ({
  files: [`src/${folder}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(\\.\\./)+(${[...forbidden, ...topFolders].join('|')})/`,
            message: 'Imports point down: see docs/architecture.md.',
          },
          {
            regex: `^(\\.\\./)+(${top.join('|')})\\.ts$`,
            message: 'Imports point down: see docs/architecture.md.',
            allowTypeImports: true,
          },
          ...(folder === 'sandbox'
            ? [
                {
                  regex: '^\\.\\./[a-z-]+\\.ts$',
                  message: 'The sandbox shares nothing with the client.',
                },
              ]
            : []),
        ],
      },
    ],
  },
}));

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
        { object: 'process', property: 'env', message: 'Only deps.ts reads the environment.' },
        {
          object: 'process',
          property: 'exit',
          message: 'Set an exit code and let the program end.',
        },
      ],
    },
  },
  { files: ['src/deps.ts', 'src/run.ts'], rules: { 'no-restricted-properties': 'off' } },
  ...arrows,
  {
    files: ['src/commands/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: 'commander', message: 'Flags are declared in cli.ts.' }],
          patterns: [
            { regex: '^\\.\\./((main|run|cli)\\.ts$|cli/|render/)', allowTypeImports: true },
          ],
        },
      ],
    },
  },
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
