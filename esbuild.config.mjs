// Builds both programs: the plugin (main.js) and the headless server with its command line (dist/brain.mjs).
//   node esbuild.config.mjs [--out <folder>]
// The build refuses to finish when a bundle breaks one of the rules below, so that no release can carry it.
import { build } from 'esbuild';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

const MAX_PLUGIN_BYTES = 3.4e6;
const BUILTINS = [...builtinModules, ...builtinModules.map((name) => `node:${name}`)];
const PLUGIN_EXTERNALS = ['obsidian', 'electron', ...BUILTINS];
// chokidar's native helper of older lines on macOS: optional, found at run time or not at all.
const SERVER_EXTERNALS = ['fsevents', ...BUILTINS];

/** Front matter is YAML and nothing else: gray-matter would run `---js` as code, and js-yaml `!!js/function`. */
const yamlOnly = {
  name: 'yaml-only',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]gray-matter[\\/]lib[\\/]engines\.js$/ }, () => ({
      contents: `const yaml = require('js-yaml');
        exports.yaml = { parse: yaml.safeLoad, stringify: yaml.safeDump };`,
    }));
    builder.onLoad({ filter: /[\\/]js-yaml[\\/]lib[\\/]js-yaml[\\/]schema[\\/]default_full\.js$/ }, () => ({
      contents: `const Schema = require('../schema');
        module.exports = Schema.DEFAULT = new Schema({ include: [require('./default_safe')] });`,
    }));
  },
};

/** Bodies are UTF-8 here; the tables of legacy encodings are half a megabyte that nobody reaches. */
const utfOnly = {
  name: 'utf-only',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]iconv-lite[\\/]encodings[\\/]index\.js$/ }, () => ({
      contents: `for (const encodings of [require('./internal'), require('./utf32'), require('./utf16'), require('./utf7')])
        Object.assign(exports, encodings);`,
    }));
  },
};

const common = {
  bundle: true,
  platform: 'node',
  plugins: [yamlOnly, utfOnly],
  metafile: true,
  write: false,
  logLevel: 'warning',
  define: { 'process.env.NODE_ENV': '"production"' },
};

const plugin = {
  ...common,
  entryPoints: ['main.ts'],
  outfile: 'main.js',
  format: 'cjs',
  target: 'es2022',
  external: PLUGIN_EXTERNALS,
  inject: ['src/plugin/node-timers.ts'],
  minify: true,
  legalComments: 'none',
};

const server = {
  ...common,
  entryPoints: ['src/headless/main.ts'],
  outfile: 'dist/brain.mjs',
  format: 'esm',
  target: 'node20',
  external: SERVER_EXTERNALS,
  // Bundled CommonJS packages still call require for Node's own modules; an ES module has none unless it makes one.
  banner: {
    js: [
      '#!/usr/bin/env node',
      "import { createRequire as createRequireForBundle } from 'node:module';",
      'const require = createRequireForBundle(import.meta.url);',
    ].join('\n'),
  },
  // Not minified: a stack trace from someone's home server should be readable.
  legalComments: 'eof',
};

/** What the bundle still loads at run time, from esbuild's own account of it. */
function externals(metafile) {
  const outputs = Object.values(metafile.outputs);
  return [
    ...new Set(outputs.flatMap((output) => output.imports.filter((i) => i.external).map((i) => i.path))),
  ];
}

function pluginFaults({ text, bytes, metafile }) {
  const faults = externals(metafile)
    .filter((name) => !PLUGIN_EXTERNALS.includes(name))
    .map((name) => `main.js loads "${name}", which the app does not have`);
  if (bytes > MAX_PLUGIN_BYTES) faults.push(`main.js has ${bytes} bytes, more than ${MAX_PLUGIN_BYTES}`);
  if (text.includes('import.meta'))
    faults.push('main.js contains import.meta, which the app cannot evaluate');
  return faults;
}

function serverFaults({ metafile }) {
  const foreign = /^(main\.ts|src\/plugin\/|src\/adapters\/obsidian\/|node_modules\/obsidian\/)/;
  return [
    ...Object.keys(metafile.inputs)
      .filter((input) => foreign.test(input))
      .map((input) => `dist/brain.mjs contains ${input}, which needs Obsidian`),
    ...externals(metafile)
      .filter((name) => !SERVER_EXTERNALS.includes(name))
      .map((name) => `dist/brain.mjs loads "${name}", which is not bundled`),
  ];
}

/** Builds one bundle and checks it; a bundle with faults is not written. */
async function make(options, faultsOf, outFolder) {
  const { outputFiles, metafile } = await build(options);
  const [file] = outputFiles;
  const faults = faultsOf({ text: file.text, bytes: file.contents.length, metafile });
  if (faults.length > 0) return { faults };
  const target = path.join(outFolder, options.outfile);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, file.contents);
  return { faults, target, size: file.contents.length };
}

process.chdir(import.meta.dirname);
const { values } = parseArgs({ options: { out: { type: 'string', default: '.' } } });
const made = await Promise.all([
  make(plugin, pluginFaults, values.out),
  make(server, serverFaults, values.out),
]);

const faults = made.flatMap((one) => one.faults);
for (const fault of faults) console.error(`build: ${fault}`);
if (faults.length > 0) {
  process.exitCode = 1;
} else {
  const [, brain] = made;
  await chmod(brain.target, 0o755);
  for (const { target, size } of made) {
    process.stdout.write(`${target.padEnd(16)} ${(size / 1e3).toFixed(1).padStart(8)} kB\n`);
  }
}
