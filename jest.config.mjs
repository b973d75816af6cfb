const at = (folder) => `**/tests/${folder}/**/*.test.{ts,tsx}`;
/** Suites in these folders start browsers, databases or many processes, or draw thousands of cases. */
const FOLDERS = ['adapters/postgres', 'browser', 'conformance', 'crash', 'faults', 'fuzz', 'hosts', 'load'];
const SLOW = ['**/tests/**/*.slow.test.{ts,tsx}', ...FOLDERS.map(at)];
/** Suites of the browser that are quick enough to run at every change. */
const SMOKE = '**/tests/browser/{connect,queue-bulk,stamps}.test.ts';

/** Jest takes a limit only from the command line or for all projects, so a file sets that of the slow one. */
const hasLimit = process.argv.some((argument) => argument.startsWith('--testTimeout'));

const shared = {
  testEnvironment: 'node',
  // Jest runs files in a context of its own, where each use of a global is slow; these are handed to every file instead.
  sandboxInjectedGlobals: ['Math'],
  roots: ['<rootDir>/tests'],
  moduleNameMapper: {
    '^obsidian$': '<rootDir>/tests/obsidian/index.ts',
    '/bundled-program$': '<rootDir>/tests/support/document-program.ts',
    '/bundled-text-program$': '<rootDir>/tests/support/text-program.ts',
  },
  transform: { '\\.[mc]?[jt]sx?$': '<rootDir>/tests/esbuild-transform.mjs' },
  setupFilesAfterEnv: ['<rootDir>/tests/support/properties.ts'],
  transformIgnorePatterns: ['/node_modules/(?!(@noble|preact|lucide|diff|marked)/)'],
};

/**
 * A suite is slow when it lies in one of the folders above or its name ends in `.slow.test.ts`. Every suite is in exactly one
 * project. `npm test` runs the quick ones, `npm run test:slow` the others, `npx jest <path>` both.
 * @type {import('jest').Config}
 */
export default {
  projects: [
    {
      ...shared,
      displayName: 'quick',
      testMatch: ['**/tests/**/*.test.{ts,tsx}', ...SLOW.map((glob) => `!${glob}`), SMOKE],
    },
    {
      ...shared,
      displayName: 'slow',
      testMatch: [...SLOW, `!${SMOKE}`],
      setupFilesAfterEnv: [
        ...shared.setupFilesAfterEnv,
        ...(hasLimit ? [] : ['<rootDir>/tests/support/slow-limit.ts']),
      ],
    },
  ],
  globalSetup: '<rootDir>/tests/support/global-setup.ts',
  testTimeout: 30_000,
  maxWorkers: 2,
  // The garbage of a hundred suites makes its collection, and so the last suites, several times slower.
  workerIdleMemoryLimit: '700MB',
  // A worker with a large heap takes longer than half a second to end on a busy machine, which Jest would tell as a leak.
  workerGracefulExitTimeout: 10_000,
};
