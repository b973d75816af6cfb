import { execFileSync } from 'node:child_process';

let program: string | undefined;

/** Stands in for `src/adapters/documents/bundled-program.ts`: what the build puts there is made when a test first asks for it. */
export function documentProgram(): string {
  program ??= execFileSync(process.execPath, ['scripts/document-program.mjs'], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  return program;
}
