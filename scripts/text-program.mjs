// Bundles the program that reads long texts in a thread (src/adapters/texts/program.ts) into one text, which the server carries.
// node scripts/text-program.mjs prints it, for tests that run from the sources.
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The program and esbuild's account of what it holds. As a script it defines `brainTexts`. */
export async function makeTextProgram() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: path.join(import.meta.dirname, '..'),
    entryPoints: ['src/adapters/texts/program.ts'],
    bundle: true,
    format: 'iife',
    globalName: 'brainTexts',
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
  });
  return { text: outputFiles[0].text, metafile };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text } = await makeTextProgram();
  process.stdout.write(text);
}
