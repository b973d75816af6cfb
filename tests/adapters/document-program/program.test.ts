import { Linter } from 'eslint';
import { documentProgram } from '../../support/document-program';

/** What a browser has, or another runtime, and Node has not. */
const ELSEWHERE = new Set([
  'ActiveXObject',
  'Bun',
  'DOMMatrix',
  'Deno',
  'FileReader',
  'Float16Array',
  'ImageData',
  'ImageDecoder',
  'Iterator',
  'OffscreenCanvas',
  'XMLHttpRequest',
  'createImageBitmap',
  'document',
  'navigator',
  'self',
  'window',
]);

it('uses no name that is defined nowhere, so that every part that was left out of pdf.js is unused', () => {
  const found = new Linter().verify(documentProgram(), {
    languageOptions: { ecmaVersion: 2024, sourceType: 'script' },
    rules: { 'no-undef': 'error' },
  });
  const names = new Set(
    found.map(({ message }) => /^'(.+)' is not defined\.$/.exec(message)?.[1] ?? message),
  );
  expect(names).toContain('TextDecoder');
  expect([...names].filter((name) => !(name in globalThis) && !ELSEWHERE.has(name))).toEqual([]);
});
