import { inner, joinPath, parentOf } from '../core/path';

/** The path without `#heading` or `#^block`. */
export function getLinkpath(linktext: string): string {
  return parseLinktext(linktext).path;
}

export function parseLinktext(linktext: string): { path: string; subpath: string } {
  const hash = linktext.indexOf('#');
  if (hash < 0) return { path: linktext, subpath: '' };
  return { path: linktext.slice(0, hash), subpath: linktext.slice(hash) };
}

/**
 * Which of the files a link means: the exact path first, then the files whose path ends so, where case does not count, one in the
 * folder of the note before others, and then the one with the shortest path.
 */
export function resolveLink<T extends { readonly path: string }>(
  files: readonly T[],
  linkpath: string,
  sourcePath: string,
): T | null {
  const wanted = dissolve(linkpath, sourcePath);
  if (wanted === '') return files.find((file) => file.path === sourcePath) ?? null;
  const spellings = [wanted, `${wanted}.md`].map((path) => path.toLowerCase());
  const exact = files.find((file) => spellings.includes(file.path.toLowerCase()));
  if (exact !== undefined || /^(\.\.?|)\//.test(linkpath)) return exact ?? null;
  const ending = files.filter((file) =>
    spellings.some((path) => `/${file.path.toLowerCase()}`.endsWith(`/${path}`)),
  );
  const beside = (file: T): number => (parentOf(file.path) === parentOf(sourcePath) ? 0 : 1);
  const [best] = [...ending].sort(
    (a, b) => beside(a) - beside(b) || a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
  );
  return best ?? null;
}

function dissolve(linkpath: string, sourcePath: string): string {
  if (!/^\.\.?\//.test(linkpath)) return inner(linkpath);
  let folder = parentOf(sourcePath);
  let rest = linkpath;
  for (let step = /^(\.\.?)\//.exec(rest); step !== null; step = /^(\.\.?)\//.exec(rest)) {
    if (step[1] === '..') folder = parentOf(folder);
    rest = rest.slice(step[0].length);
  }
  return joinPath(folder, rest);
}
