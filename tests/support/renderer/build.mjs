// Bundles the simulator for the Node versions that it runs on.  node tests/support/renderer/build.mjs <out.cjs>
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';

await build({
  entryPoints: [path.join(import.meta.dirname, 'simulator.ts')],
  outfile: process.argv[2],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  packages: 'external',
  alias: { obsidian: path.join(import.meta.dirname, '../../obsidian/index.ts') },
  logLevel: 'warning',
});
