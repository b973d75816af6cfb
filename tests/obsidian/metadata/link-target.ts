import { inner, joinPath, nameOf, parentOf } from '../core/path';

/** The path without `#heading` or `#^block`. */
export function getLinkpath(linktext: string): string {
  const hash = linktext.indexOf('#');
  return hash < 0 ? linktext : linktext.slice(0, hash);
}

/** The files of a vault by what links call them. Made anew when a file appears, goes or moves. */
export class LinkTargets<T extends { readonly path: string }> {
  readonly #byPath = new Map<string, T>();
  /** The place of each file in the list: of two that fit equally, the first one is meant. */
  readonly #places = new Map<T, number>();
  readonly #exactly = new Map<string, T>();
  readonly #byName = new Map<string, T[]>();

  constructor(files: readonly T[]) {
    for (const file of files) {
      const path = file.path.toLowerCase();
      this.#places.set(file, this.#places.size);
      if (!this.#byPath.has(path)) this.#byPath.set(path, file);
      if (!this.#exactly.has(file.path)) this.#exactly.set(file.path, file);
      const twins = this.#byName.get(nameOf(path));
      if (twins === undefined) this.#byName.set(nameOf(path), [file]);
      else twins.push(file);
    }
  }

  /**
   * Which of the files a link means: the exact path first, then the files whose path ends so, where case does not count, one
   * at this path from the folder of the note before one in that folder, this one before others, and then the one with the shortest path.
   */
  resolve(linkpath: string, sourcePath: string): T | null {
    const wanted = dissolve(linkpath, sourcePath);
    if (wanted === '') return this.#exactly.get(sourcePath) ?? null;
    const spellings = [wanted, `${wanted}.md`].map((path) => path.toLowerCase());
    const place = (file: T): number => this.#places.get(file) ?? 0;
    const [exact] = spellings
      .flatMap((path) => this.#byPath.get(path) ?? [])
      .sort((a, b) => place(a) - place(b));
    if (exact !== undefined || /^(\.\.?|)\//.test(linkpath)) return exact ?? null;
    const ending = spellings.flatMap((path) =>
      (this.#byName.get(nameOf(path)) ?? []).filter((file) =>
        `/${file.path.toLowerCase()}`.endsWith(`/${path}`),
      ),
    );
    const near = spellings.map((path) => joinPath(parentOf(sourcePath), path).toLowerCase());
    const beside = (file: T): number => {
      if (near.includes(file.path.toLowerCase())) return 0;
      return parentOf(file.path) === parentOf(sourcePath) ? 1 : 2;
    };
    const [best] = ending.sort(
      (a, b) => beside(a) - beside(b) || a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
    );
    return best ?? null;
  }
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
