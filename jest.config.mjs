/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/tests'],
  testMatch: ['**/*.test.ts', '**/*.test.tsx'],
  moduleNameMapper: {
    '^obsidian$': '<rootDir>/tests/obsidian/index.ts',
    '/bundled-program$': '<rootDir>/tests/support/document-program.ts',
  },
  transform: { '\\.[mc]?[jt]sx?$': '<rootDir>/tests/esbuild-transform.mjs' },
  transformIgnorePatterns: ['/node_modules/(?!(@noble|preact|lucide|diff|marked|chokidar|readdirp)/)'],
  globalSetup: '<rootDir>/tests/support/global-setup.ts',
  testTimeout: 30_000,
  maxWorkers: 2,
  // What a hundred suites leave behind makes the collection of garbage, and so the last suites, several times slower.
  workerIdleMemoryLimit: '700MB',
};
