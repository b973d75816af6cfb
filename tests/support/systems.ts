/**
 * What to declare tests with that cannot run on some systems. There they are skipped, and a line says why.
 * @param why what those systems do otherwise, as a part of a sentence.
 */
export function notOn(
  systems: readonly NodeJS.Platform[],
  why: string,
): { readonly it: jest.It; readonly describe: jest.Describe } {
  if (!systems.includes(process.platform)) return { it, describe };
  console.warn(`Skipped on ${process.platform}: ${why}.`);
  return { it: it.skip, describe: describe.skip };
}
