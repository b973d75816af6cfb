// Bundles the program that reads long texts in a thread (src/adapters/texts/program.ts) into one text, which the server carries.
// node scripts/text-program.mjs prints it, for tests that run from the sources.
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Returns a program for a thread as one script, with esbuild's account of what it holds. */
export async function makeProgram(options) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: path.join(import.meta.dirname, '..'),
    bundle: true,
    format: 'iife',
    // Neither Node's modules nor the page's: a program may run in both hosts.
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    ...options,
  });
  return { text: outputFiles[0].text, metafile };
}

/** Makes the program of texts. As a script it defines `brainTexts`. */
export function makeTextProgram() {
  return makeProgram({ entryPoints: ['src/adapters/texts/program.ts'], globalName: 'brainTexts' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text } = await makeTextProgram();
  process.stdout.write(text);
}
