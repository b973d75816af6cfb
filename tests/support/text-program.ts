import { execFileSync } from 'node:child_process';

let program: string | undefined;

/** Stands in for `src/adapters/texts/bundled-text-program.ts`: what the build puts there is made when a test first asks for it. */
export function textProgram(): string {
  program ??= execFileSync(process.execPath, ['scripts/text-program.mjs'], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  return program;
}
