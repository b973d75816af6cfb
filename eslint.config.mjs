import obsidianmd from 'eslint-plugin-obsidianmd';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const CODE = ['**/*.ts', '**/*.tsx'];

export default defineConfig([
  {
    ignores: [
      'dist/',
      'main.js',
      'node_modules/',
      'brain/',
      'coverage/',
      'tests/fixtures/',
      'tests/e2e/',
      '.cache/',
    ],
  },
  ...obsidianmd.configs.recommended,
  {
    files: CODE,
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // The compiler knows better what is defined.
      'no-undef': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_$', argsIgnorePattern: '^_$' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { prefer: 'type-imports', fixStyle: 'inline-type-imports' },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ExportDefaultDeclaration',
          message: 'Named exports only; Obsidian wants one default, in main.ts.',
        },
        {
          selector: "ImportDeclaration[source.value='zod'] > ImportSpecifier",
          message: "Write import * as z from 'zod': the named import triples zod's share of the bundle.",
        },
        {
          selector:
            "NewExpression[callee.name='WeakMap'] :matches(TSIndexedAccessType, TSTypeReference[typeName.name=/^(Brain|Catalog|HybridRetrieval|StateStore|VaultStore)$/]):first-child",
          message: 'What an open vault remembers is a field of the brain, made where the vault is opened.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}', 'main.ts'],
    // Two flat lists of commands: each command is read by itself, and the list has no steps.
    ignores: ['src/headless/cli/curate.ts', 'src/headless/cli/read.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}', 'main.ts'],
    rules: { complexity: ['error', 20] },
  },
  {
    // Parsers and loops that are clearest in one piece.
    files: [
      // Loops over every hit of every document, in which `?? 0` is for the compiler and no branch.
      'src/core/fulltext/rerank.ts',
      'src/core/fulltext/streams.ts',
      // The tokenizer of a tag reads its name, attributes and end in one pass.
      'src/core/markdown/html.ts',
      // A state machine over the tokens of JSON.
      'src/adapters/document-program/json.ts',
    ],
    rules: { complexity: ['error', 25] },
  },
  {
    // One module reads YAML; everything else goes through it.
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/core/frontmatter/yaml.ts'],
    rules: {
      'no-restricted-imports': ['error', { paths: ['gray-matter', 'js-yaml-3'] }],
    },
  },
  {
    // The document of a page that is read is domino's, which has none of Obsidian's functions.
    files: ['src/adapters/document-program/**/*.ts'],
    rules: { 'obsidianmd/prefer-create-el': 'off' },
  },
  {
    // Without the app there is nobody to ask for the name of its settings folder.
    files: ['src/headless/**/*.{ts,tsx}'],
    rules: { 'obsidianmd/hardcoded-config-path': 'off' },
  },
  {
    // Tests and benches are not part of what is shipped: long tables and Node's own globals are fine there, matchers
    // are typed loosely by Jest, and paths of the host's settings folder are what some tests are about.
    files: ['tests/**/*.{ts,tsx}', 'bench/**/*.ts', 'scripts/**'],
    rules: {
      'no-restricted-globals': 'off',
      'no-console': 'off',
      'obsidianmd/rule-custom-message': 'off',
      'obsidianmd/hardcoded-config-path': 'off',
      'obsidianmd/prefer-window-timers': 'off',
      'obsidianmd/no-global-this': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
]);
