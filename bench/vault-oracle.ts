import { posix } from 'node:path';
import matter from 'gray-matter';

/** A link of a note into the vault, read apart from the product. */
export interface FoundLink {
  /** Decoded, without the fragment; '' for a place in the same note. */
  readonly target: string;
  /** True for `[words](target)`, which leads from the folder of its note. */
  readonly relative: boolean;
}

/** The files of a vault by their names in lower case, as the app looks them up. */
export class FileNames {
  readonly #byName = new Map<string, string[]>();
  readonly #paths = new Map<string, string>();

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      this.#paths.set(path.toLowerCase(), path);
      const name = posix.basename(path).toLowerCase();
      const same = this.#byName.get(name);
      if (same === undefined) this.#byName.set(name, [path]);
      else same.push(path);
    }
  }

  /**
   * Returns the file that the app opens for a link in the note at `from`, or null: the whole path, the path from the folder of the
   * note, the file of that name in the same folder, the shortest path that ends so. A Markdown link leads from its folder first.
   */
  opens({ target, relative }: FoundLink, from: string): string | null {
    const written = target.normalize('NFC').replace(/\\/g, '/').trim();
    if (written === '') return from;
    const near = this.#at(posix.normalize(posix.join(posix.dirname(from), written)));
    if (/^\.\.?\//.test(written)) return near;
    const rooted = this.#at(posix.normalize(written.replace(/^\/+/, '')));
    if (written.startsWith('/')) return rooted;
    const exact = relative ? (near ?? rooted) : (rooted ?? near);
    if (exact !== null) return exact;
    const end = written.toLowerCase();
    const named = [end, `${end}.md`].flatMap((each) =>
      (this.#byName.get(posix.basename(each)) ?? []).filter((path) =>
        `/${path.toLowerCase()}`.endsWith(`/${each}`),
      ),
    );
    const isFar = (path: string): number => Number(posix.dirname(path) !== posix.dirname(from));
    const order = (a: string, b: string): number =>
      isFar(a) - isFar(b) || a.length - b.length || (a < b ? -1 : 1);
    return named.sort(order)[0] ?? null;
  }

  #at(path: string): string | null {
    const key = path.toLowerCase();
    return this.#paths.get(key) ?? this.#paths.get(`${key}.md`) ?? null;
  }
}

/** Removes fences, code between backticks, comments and HTML tags, in which nothing is a link. */
function withoutCode(text: string): string {
  return text
    .replace(/^([ \t>]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^\1\2[`~]*[ \t]*$|(?![\s\S]))/gm, '')
    .replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '')
    .replace(/<!--[\s\S]*?-->|%%[\s\S]*?%%|\$\$[\s\S]*?\$\$/g, '')
    .replace(/^(?: {4}|\t).*$/gm, '');
}

/** Returns the links of a note into the vault, in its text and its properties. */
export function linksIn(text: string): FoundLink[] {
  const bare = withoutCode(text);
  const links: FoundLink[] = [];
  for (const [, inside = ''] of bare.matchAll(/\[\[([^\][\n]+)\]\]/g)) {
    const [written = ''] = inside.split(/\\?\|/);
    add(written, false);
  }
  for (const [, address = ''] of bare.matchAll(
    /(?<!\\)\]\((<[^<>\n]*>|[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)/g,
  )) {
    const plain = address.startsWith('<') ? address.slice(1, -1) : address;
    if (/^[a-z][a-z\d+.-]*:|^\/\/|^$/i.test(plain)) continue;
    try {
      add(decodeURIComponent(plain), true);
    } catch {
      // The app reads no link there either.
    }
  }
  return links;

  function add(written: string, relative: boolean): void {
    const [target = ''] = written.split('#');
    if (!/^[a-z][a-z\d+.-]*:/i.test(target)) links.push({ target: target.trim(), relative });
  }
}

/** Returns the words of a note by which a person may remember it: of its text and of the values of its properties. */
export function wordsIn(text: string): { readonly text: Set<string>; readonly properties: Set<string> } {
  let body = text;
  const properties = new Set<string>();
  try {
    // The options keep it from answering from its cache.
    const read = matter(text, {});
    body = read.content;
    collect(read.data, properties);
  } catch {
    // A block that is no YAML has no properties.
  }
  const shown = body
    .replace(/(!\[\[[^\]#\n]*)#[^\]\n]*/g, '$1')
    .replace(/<!--[\s\S]*?-->|%%[\s\S]*?%%/g, ' ')
    .replace(/\]\([^)\n]*\)|<[^>\n]+>|https?:\/\/\S+|\[\[[^\]|\n]*\||\^[\w-]+$/gm, ' ')
    .replace(/&[a-z]+;|\\[a-z]+/gi, ' ');
  return { text: split(shown), properties };
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === 'string')
    for (const word of split(value.replace(/https?:\/\/\S+/g, ' '))) into.add(word);
  else if (Array.isArray(value)) for (const each of value) collect(each, into);
  else if (typeof value === 'object' && value !== null && !(value instanceof Date))
    for (const each of Object.values(value)) collect(each, into);
}

const split = (text: string): Set<string> =>
  new Set(
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/(?<![\p{L}\p{M}\p{N}_-])[\p{L}\p{M}]{4,24}(?![\p{L}\p{M}\p{N}_-])/gu),
  );

/** Returns the files that the cards of a canvas show. */
export function cardsIn(canvas: string): string[] {
  const { nodes = [] }: { nodes?: { type: string; file?: string }[] } = JSON.parse(canvas);
  return nodes.flatMap(({ type, file }) => (type === 'file' && file !== undefined ? [file] : []));
}
