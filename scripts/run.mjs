// Runs a TypeScript file of this project: bundled by esbuild, as the product is, but with source maps.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const [entry, ...args] = process.argv.slice(2);
const outfile = join('.cache', `${basename(entry, '.ts')}.mjs`);
mkdirSync('.cache', { recursive: true });
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // What finds files beside itself stays where it is.
  external: ['fsevents', 'playwright-core', 'esbuild', '@electric-sql/*', 'better-sqlite3'],
  banner: {
    // A package may import the function by its own name.
    js: "import { createRequire as requireOfBundle } from 'node:module'; const require = requireOfBundle(import.meta.url);",
  },
  sourcemap: 'inline',
  logLevel: 'warning',
});
process.exitCode =
  spawnSync(process.execPath, ['--enable-source-maps', outfile, ...args], { stdio: 'inherit' }).status ?? 1;
