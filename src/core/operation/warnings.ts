/** The files that a warning names. */
const MAX_NAMED = 3;

/** A file with the warnings about it and about its pages. */
interface WarnedFile {
  readonly file: string;
  readonly warnings: readonly string[];
  readonly pages?: readonly { readonly warnings: readonly string[] }[];
}

/** Returns the distinct warnings of files that came together, each behind the names of the files that it is about. */
export function namedWarnings(files: Iterable<WarnedFile>): string[] {
  const about = new Map<string, string[]>();
  for (const { file, warnings, pages = [] } of files) {
    for (const warning of new Set([...warnings, ...pages.flatMap((page) => page.warnings)])) {
      const names = about.get(warning);
      if (names === undefined) about.set(warning, [file]);
      else names.push(file);
    }
  }
  return [...about].map(([warning, names]) => {
    const more = names.length - MAX_NAMED;
    return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${warning}`;
  });
}
