// The built plugin in the real app: the oldest app that the manifest allows on the oldest installer that runs it, and the
// latest of both. Prepared for machines that may download the app; it has not been run where this project was written.
//   npm ci && npm run build && npm ci --prefix tests/e2e && npm test --prefix tests/e2e
import path from 'node:path';
import { readFileSync } from 'node:fs';

const root = path.resolve(import.meta.dirname, '../..');
const { minAppVersion } = JSON.parse(readFileSync(path.join(root, 'manifest.json'), 'utf8'));

export const config = {
  runner: 'local',
  framework: 'mocha',
  specs: ['./specs/**/*.e2e.mjs'],
  maxInstances: 1,
  capabilities: [
    [minAppVersion, 'earliest'],
    ['latest', 'latest'],
  ].map(([browserVersion, installerVersion]) => ({
    browserName: 'obsidian',
    browserVersion,
    'wdio:obsidianOptions': {
      installerVersion,
      plugins: [root],
      vault: path.join(import.meta.dirname, 'vault'),
    },
  })),
  services: ['obsidian'],
  reporters: ['obsidian'],
  cacheDir: path.join(import.meta.dirname, '.obsidian-cache'),
  mochaOpts: { ui: 'bdd', timeout: 90_000 },
  logLevel: 'warn',
};
