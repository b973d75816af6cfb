import path from 'node:path';

/**
 * What to declare tests with that cannot run on some systems. There they are skipped, and a line on standard error says why: Jest
 * prints no console of a file whose tests are all skipped.
 * @param why what those systems do otherwise, as a part of a sentence.
 */
export function notOn(
  systems: readonly NodeJS.Platform[],
  why: string,
): { readonly it: jest.It; readonly describe: jest.Describe } {
  if (!systems.includes(process.platform)) return { it, describe };
  const file = path.relative('.', expect.getState().testPath ?? '');
  process.stderr.write(`Skipped on ${process.platform}: some tests of ${file}, as ${why}.\n`);
  return { it: it.skip, describe: describe.skip };
}
