import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

/** What a build with the swaps says of a program, bundled from the folder of this project: its errors, or its text. */
function built(program: string): { errors: string[]; text: string } {
  const swaps = pathToFileURL(path.resolve('scripts/bundle-swaps.mjs')).href;
  const script = `
    import { build } from 'esbuild';
    import { bundleSwaps } from ${JSON.stringify(swaps)};
    const stdin = { contents: ${JSON.stringify(program)}, resolveDir: process.cwd() };
    const options = { stdin, bundle: true, write: false, platform: 'node', logLevel: 'silent', plugins: [bundleSwaps] };
    const { errors, text } = await build(options).then(
      ({ outputFiles }) => ({ errors: [], text: outputFiles[0].text }),
      ({ errors }) => ({ errors: errors.map((error) => error.text), text: '' }),
    );
    console.log(JSON.stringify({ errors, text }));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(said);
}

it('fails a build that does not meet one of the files any more, and says which', () => {
  const { errors } = built("import 'qs'");
  expect(errors).toContain(
    'The bundle does not load mime-db/db.json any more. Look what takes its place, and mend scripts/bundle-swaps.mjs.',
  );
  expect(errors.filter((error) => error.includes('qs/lib/index.js'))).toEqual([]);
});

it.each(['main.js', 'dist/brain.mjs'])('keeps out of %s what it never reaches', (file) => {
  const text = readFileSync(file, 'utf8');
  // Of the table of media types, the validator of JSON Schema, and zod 3.
  const signs = ['application/vnd.3gpp', 'must NOT have additional properties', 'ZodPipeline'];
  expect(signs.filter((sign) => text.includes(sign))).toEqual([]);
  expect(text.includes('is not part of this bundle: see scripts/bundle-swaps.mjs.')).toBe(true);
});

it('leaves the media types that Express looks up by their short names', () => {
  const text = readFileSync('dist/brain.mjs', 'utf8');
  const types = ['application/json', 'application/octet-stream', 'text/html', 'text/plain'];
  expect(types.filter((type) => !text.includes(`"${type}": {`))).toEqual([]);
});
