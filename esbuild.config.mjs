// Builds both programs: the plugin (main.js) and the headless server with its command line (dist/brain.mjs), which
// carries the web page inside itself.
//   node esbuild.config.mjs [--out <folder>]
// The build refuses to finish when a bundle breaks one of the rules below, so that no release can carry it.
import { build, transform } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { bundleSwaps, noLogThreads, noOtherPostgres } from './scripts/bundle-swaps.mjs';
import { makeDocumentProgram } from './scripts/document-program.mjs';
import { joinedStyles } from './scripts/styles.mjs';
import { makeTextProgram } from './scripts/text-program.mjs';

/** The readers of Office files take 50 kB of it, the stemmers of five languages 51 kB; the answers that agents begin with, their lists and differences some 40 kB. */
const MAX_PLUGIN_BYTES = 3.76e6;
const BUILTINS = [...builtinModules, ...builtinModules.map((name) => `node:${name}`)];
const PLUGIN_EXTERNALS = ['obsidian', 'electron', ...BUILTINS];

const common = {
  // esbuild remembers the folder in which it was loaded, which may be another one.
  absWorkingDir: import.meta.dirname,
  bundle: true,
  platform: 'node',
  plugins: [bundleSwaps, noOtherPostgres],
  metafile: true,
  write: false,
  logLevel: 'warning',
  // Both hosts read their program as UTF-8; other letters would be escaped, in three times the bytes.
  charset: 'utf8',
  define: { 'process.env.NODE_ENV': '"production"' },
};

/** The web page: the screens with what stands around them in a browser. */
const page = {
  ...common,
  entryPoints: { page: 'src/headless/page/main.tsx' },
  outdir: 'dist',
  platform: 'browser',
  plugins: [],
  format: 'iife',
  target: ['chrome119', 'firefox128', 'safari18'],
  minify: true,
  legalComments: 'none',
};

const PAGE_FOLDER = 'src/headless/page';
/** The look of the app's own elements first, so that the screens' rules win as they do in the app. */
const STYLES = [`${PAGE_FOLDER}/theme.css`, 'styles.css', 'src/ui/web/web.css', `${PAGE_FOLDER}/page.css`];

const plugin = {
  ...common,
  entryPoints: ['main.ts'],
  outfile: 'main.js',
  format: 'cjs',
  target: 'es2022',
  external: PLUGIN_EXTERNALS,
  // For Node esbuild takes the CommonJS build, which brings all icons instead of the few that are used.
  alias: { lucide: path.join(import.meta.dirname, 'node_modules/lucide/dist/esm/lucide.mjs') },
  inject: ['src/plugin/shell/node-timers.ts'],
  minify: true,
  legalComments: 'none',
};

const server = {
  ...common,
  entryPoints: ['src/headless/cli/main.ts'],
  plugins: [...common.plugins, noLogThreads],
  outfile: 'dist/brain.mjs',
  format: 'esm',
  target: 'node20',
  external: BUILTINS,
  // Bundled CommonJS packages still call require for Node's own modules; an ES module has none unless it makes one.
  banner: {
    js: [
      '#!/usr/bin/env node',
      "import { createRequire as createRequireForBundle } from 'node:module';",
      'const require = createRequireForBundle(import.meta.url);',
    ].join('\n'),
  },
  // Names of our own and breaks between functions stay: a stack trace from someone's home server should be readable. Without it
  // esbuild makes a variable of every top-level constant; with it, those of files that import nothing at run time stand where
  // they are used, which the checksum of a large index file (fulltext/index-file.ts) needs: a third of its time.
  minifySyntax: true,
  legalComments: 'eof',
};

/** What the bundle still loads at run time, from esbuild's own account of it. */
function externals(metafile) {
  const outputs = Object.values(metafile.outputs);
  return [
    ...new Set(outputs.flatMap((output) => output.imports.filter((i) => i.external).map((i) => i.path))),
  ];
}

/** What no reader of a release should have to wonder about, in any bundle. */
function safetyFaults(name, text, metafile) {
  const faults = [];
  if (/\beval\(/.test(text)) faults.push(`${name} contains eval`);
  if (/rejectUnauthorized["']?:\s*(?:false|!1)/.test(text))
    faults.push(`${name} switches off the check of certificates`);
  if (/[A-Za-z0-9+/]{1000}/.test(text)) faults.push(`${name} contains what looks like an encoded payload`);
  const ours = Object.keys(metafile.inputs).filter((input) => /^(?:main\.ts|src\/)/.test(input));
  for (const input of ours) {
    const source = readFileSync(path.join(import.meta.dirname, input), 'utf8');
    if (/\bnew Function\b|\bFunction\(/.test(source)) faults.push(`${input} makes code out of text`);
  }
  return faults;
}

function pluginFaults({ text, bytes, metafile }) {
  const faults = externals(metafile)
    .filter((name) => !PLUGIN_EXTERNALS.includes(name))
    .map((name) => `main.js loads "${name}", which the app does not have`);
  if (bytes > MAX_PLUGIN_BYTES) faults.push(`main.js has ${bytes} bytes, more than ${MAX_PLUGIN_BYTES}`);
  if (text.includes('import.meta'))
    faults.push('main.js contains import.meta, which the app cannot evaluate');
  return [...faults, ...safetyFaults('main.js', text, metafile)];
}

/** The page is what its content security policy lets through: no code or style of its own in the HTML, nothing from afar. */
function pageFaults({ html, script, style, icon }, metafile) {
  const foreign = /^src\/(plugin|doors|adapters|headless\/(?!page\/))|^node_modules\/(obsidian)\//;
  const faults = [
    ...Object.keys(metafile.inputs)
      .filter((input) => foreign.test(input))
      .map((input) => `the page contains ${input}, which belongs to the server or the app`),
    ...externals(metafile).map((name) => `the page loads "${name}", which is not bundled`),
  ];
  if (/<style|\sstyle=|\son\w+=|<script(?! src="page\.js" defer><\/script>)/.test(html))
    faults.push('index.html has a script or a style of its own');
  if (/\beval\(|\bnew Function\(/.test(script)) faults.push('page.js makes code out of text');
  if (/@import|url\((?!["']?data:)/.test(style)) faults.push('page.css loads something');
  for (const [name, text] of Object.entries({ 'index.html': html, 'page.css': style }))
    if (/(?:src|href)="(?:https?:)?\/\/|url\(["']?(?:https?:)?\/\//.test(text))
      faults.push(`${name} names another host`);
  if (/<script|\son\w+=|href=/.test(icon)) faults.push('favicon.svg can run or load something');
  return faults;
}

function serverFaults({ text, metafile }) {
  const foreign = /^(main\.ts|src\/plugin\/|src\/adapters\/obsidian\/|node_modules\/obsidian\/)/;
  return [
    ...Object.keys(metafile.inputs)
      .filter((input) => foreign.test(input))
      .map((input) => `dist/brain.mjs contains ${input}, which needs Obsidian`),
    ...externals(metafile)
      .filter((name) => !BUILTINS.includes(name))
      .map((name) => `dist/brain.mjs loads "${name}", which is not bundled`),
    ...safetyFaults('dist/brain.mjs', text, metafile),
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

/** Bundles the page and checks it; the server's bundle carries it as text. */
async function makePage() {
  const { outputFiles, metafile } = await build(page);
  const styles = await Promise.all(STYLES.map((file) => readFile(file, 'utf8')));
  const { code: style } = await transform(styles.join('\n'), {
    loader: 'css',
    minify: true,
    charset: 'utf8',
  });
  const files = {
    html: await readFile(`${PAGE_FOLDER}/index.html`, 'utf8'),
    script: outputFiles[0].text,
    style,
    icon: await readFile(`${PAGE_FOLDER}/favicon.svg`, 'utf8'),
  };
  return { files, faults: pageFaults(files, metafile) };
}

/** A program for threads knows no host. */
function programFaults(what, { text, metafile }) {
  const foreign = /^src\/(?!adapters\/(?:document-program|exports|texts)\/|core\/)/;
  return [
    ...Object.keys(metafile.inputs)
      .filter((input) => foreign.test(input))
      .map((input) => `${what} contains ${input}`),
    ...(/(?<![\w$.])Function\(/.test(text) ? [`${what} makes code out of text`] : []),
    ...safetyFaults(what, text, metafile),
  ];
}

/** A bundle that carries the program that reads documents as text. */
function withProgram(options, { text }) {
  return { ...options, define: { ...options.define, DOCUMENT_PROGRAM: JSON.stringify(text) } };
}

async function makeServer(outFolder, program, texts) {
  const { files, faults } = await makePage();
  const options = withProgram(server, program);
  const define = {
    ...options.define,
    TEXT_PROGRAM: JSON.stringify(texts.text),
    BRAIN_PAGE: JSON.stringify(files),
  };
  const made = await make({ ...options, define }, serverFaults, outFolder);
  return { ...made, faults: [...faults, ...made.faults] };
}

process.chdir(import.meta.dirname);
const { values } = parseArgs({ options: { out: { type: 'string', default: '.' } } });
await writeFile('styles.css', joinedStyles());
const program = await makeDocumentProgram();
const texts = await makeTextProgram();
const made = await Promise.all([
  make(withProgram(plugin, program), pluginFaults, values.out),
  makeServer(values.out, program, texts),
]);

const faults = [
  ...programFaults('the program that reads documents', program),
  ...programFaults('the program that reads texts', texts),
  ...made.flatMap((one) => one.faults),
];
for (const fault of faults) console.error(`build: ${fault}`);
if (faults.length > 0) {
  process.exitCode = 1;
} else {
  const [, brain] = made;
  await chmod(brain.target, 0o755);
  // PDF files in Chinese, Japanese and Korean need them; the package of pdf.js is not installed with the server.
  await cp('node_modules/pdfjs-dist/cmaps', path.join(path.dirname(brain.target), 'cmaps'), {
    recursive: true,
  });
  // The manual page comes from the table of commands, which only the program has.
  const manual = execFileSync(process.execPath, [brain.target, 'man'], { encoding: 'utf8' });
  await writeFile(path.join(path.dirname(brain.target), 'brain.1'), manual);
  for (const { target, size } of made) {
    process.stdout.write(`${target.padEnd(16)} ${(size / 1e3).toFixed(1).padStart(8)} kB\n`);
  }
}
