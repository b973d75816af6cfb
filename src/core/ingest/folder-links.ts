import { sortSteps, type Steps, Tally } from '../base/steps';
import { hasFragment } from '../links/headings';
import { foldLink, type LinkTargets, type Resolution, titleKey, withLookups } from '../links/resolve';
import type { MarkdownFacts } from '../markdown/facts';
import { fileName, folderOf, linkPath, stemOf, type VaultPath } from '../vocabulary/paths';

/** A page of a file as a link target: a page that will be created, or an existing note. */
export interface FilePage {
  readonly path: VaultPath;
  readonly title: string;
  readonly aliases: readonly string[];
  /** True when it is or will be in the review queue. */
  readonly queued: boolean;
  /** Null for an existing note, whose facts the catalog has. */
  readonly facts: Pick<MarkdownFacts, 'headings' | 'blockIds'> | null;
}

/** A file of a folder and the pages made of it; none when nothing came of it. */
export interface LinkedFile {
  readonly place: string;
  readonly pages: readonly FilePage[];
  /** What links of the folder call it in the program that made the folder. */
  readonly names?: readonly string[];
}

/** The pages of a folder that link to one another, and the place of the file whose links are resolved. */
interface LinkOrigin {
  readonly place: string;
  /** True for a page that goes to the review queue: only it may link to a queued one. */
  readonly queued: boolean;
}

/** The files that one step adds. */
const FILES_PER_STEP = 64;

/** The file that a link to a folder means, as on a web site. */
const INDEX_NAMES = ['index.html', 'index.htm', 'index.md', 'readme.md'];

/**
 * Finds the files of one folder by the links between them: by path, relative to the linking file or to the folder, by the end
 * of a path, by name, then by title or alias. Names that the program gives which made the folder go before ends of paths. Names are
 * compared without case. Of several files with a name the app's rule chooses: the one at the top, the one in the same folder, else the
 * one with the shortest path. Building takes time linear in the number of files, and so does
 * resolving all links.
 */
export class FolderLinks {
  readonly #byPath = new Map<string, LinkedFile>();
  /** Without extension; Markdown comes first, since a link without an extension is one to a note. */
  readonly #byStemPath = new Map<string, LinkedFile>();
  /** By the end of the path, in whole names; of several files the one with the shortest path. */
  readonly #byEnd = new Map<string, LinkedFile>();
  readonly #byStemEnd = new Map<string, LinkedFile>();
  readonly #byFolded = new Map<string, LinkedFile>();
  /** By the names of the program that made the folder; null for that of several files. */
  readonly #byName = new Map<string, LinkedFile | null>();
  /** Null for the title of several files. */
  readonly #byTitle = new Map<string, LinkedFile | null>();
  /** By folder and title; null for that of several files. */
  readonly #byTitleHere = new Map<string, LinkedFile | null>();
  readonly #pages = new Map<string, FilePage>();

  private constructor(private readonly label: string) {}

  /** @param label the name of the folder, with which links may begin */
  static *steps(files: readonly LinkedFile[], label: string): Steps<FolderLinks> {
    const links = new FolderLinks(label);
    const tally = new Tally(FILES_PER_STEP);
    for (const file of yield* sortSteps([...files], byLength)) {
      links.#add(file);
      if (tally.isFull()) yield;
    }
    return links;
  }

  /** Returns true for the path of a page that does not exist before its file is ingested. */
  promises(path: VaultPath): boolean {
    return (this.#pages.get(linkPath(path))?.facts ?? null) !== null;
  }

  /** Returns a function that adds the pages of the folder to link targets, before every note of the vault. */
  targets({ place, queued }: LinkOrigin): (targets: LinkTargets) => LinkTargets {
    const pageAt = (path: string): FilePage | null => {
      const page = this.#pages.get(linkPath(path));
      return page === undefined || (page.queued && !queued) ? null : page;
    };
    return (targets) =>
      withLookups(targets, {
        within: (target, relative, path) => {
          const known = pageAt(target);
          if (known !== null) return resolution(known.path, path);
          const found = this.find(target, place, relative);
          if (found === null) return targets.within?.(target, relative, path) ?? null;
          const [page] = found.pages;
          if (page === undefined || (page.queued && !queued)) return { status: 'missing' };
          return resolution(page.path, path);
        },
        has: (path) => pageAt(path)?.path ?? targets.has(path),
        admits: (path) => pageAt(path)?.path ?? targets.admits?.(path) ?? null,
        holds(path, fragment) {
          const facts = pageAt(path)?.facts ?? null;
          return facts === null
            ? targets.holds(path, fragment)
            : hasFragment(facts.headings, facts.blockIds, fragment);
        },
        title: (path) => {
          const page = pageAt(path);
          return page === null || page.facts === null ? targets.title(path) : page.title;
        },
      });
  }

  #add(file: LinkedFile): void {
    const place = pathKey(file.place);
    this.#byPath.set(place, file);
    const stem = withoutExtension(place);
    const other = this.#byStemPath.get(stem);
    if (other === undefined || (isMarkdown(place) && !isMarkdown(other.place))) {
      this.#byStemPath.set(stem, file);
    }
    for (const end of endsOf(place)) {
      if (!this.#byEnd.has(end)) this.#byEnd.set(end, file);
      const stemEnd = withoutExtension(end);
      const known = this.#byStemEnd.get(stemEnd);
      if (known === undefined || (isMarkdown(place) && !isMarkdown(known.place))) {
        this.#byStemEnd.set(stemEnd, file);
      }
    }
    for (const name of new Set((file.names ?? []).map(titleKey))) addOnly(this.#byName, name, file);
    const folded = foldLink(fileName(stem));
    if (!this.#byFolded.has(folded)) this.#byFolded.set(folded, file);
    for (const page of file.pages) {
      this.#pages.set(linkPath(page.path), page);
      for (const title of new Set([page.title, ...page.aliases].map(titleKey))) {
        addOnly(this.#byTitle, title, file);
        addOnly(this.#byTitleHere, titleIn(folderOf(place), title), file);
      }
    }
  }

  /** Returns the file that a link in the file at `from` means; null when it means none of the folder. */
  find(target: string, from: string, relative: boolean): LinkedFile | null {
    const plain = target.normalize('NFC').trim().replace(/\\/g, '/').replace(/\/+$/, '');
    const isRooted = plain.startsWith('/');
    const path = pathKey(plain.replace(/^\/+/, ''));
    if (path === '') return null;
    const isDotted = /^\.\.?(?:\/|$)/.test(path);
    const folder = pathKey(folderOf(from));
    const near = isRooted ? null : join(folder, path);
    const isName = !path.includes('/');
    const label = pathKey(this.label);
    const exact = [
      ...(relative || isDotted ? [near] : []),
      join('', path),
      ...(label !== '' && path.startsWith(`${label}/`) ? [path.slice(label.length + 1)] : []),
      near,
    ];
    const paths = exact.filter((each): each is string => each !== null);
    // A wikilink with the name of a note means it, also where a folder has the name.
    const mayBeFolder = relative || isDotted || !isName;
    const here = this.#at(paths) ?? (mayBeFolder ? this.#indexOf(paths) : null);
    if (here !== null) return here;
    const title = titleKey(plain);
    const named = this.#byName.get(title) ?? null;
    if (named !== null || isDotted) return named;
    const ending = this.#byEnd.get(path) ?? this.#byStemEnd.get(path);
    if (ending !== undefined) return ending;
    if (!isName) return null;
    return this.#indexOf(paths) ?? this.#byFolded.get(foldLink(path)) ?? this.#titled(title, folder);
  }

  /** Returns the only file with a title, else the only one of the folder. */
  #titled(title: string, folder: string): LinkedFile | null {
    return this.#byTitle.get(title) ?? this.#byTitleHere.get(titleIn(folder, title)) ?? null;
  }

  /** Returns the file at the first of the paths that has one. */
  #at(paths: readonly string[]): LinkedFile | null {
    for (const path of paths) {
      const found = this.#byPath.get(path) ?? this.#byStemPath.get(path);
      if (found !== undefined) return found;
    }
    return null;
  }

  /** Returns the file that stands for the first of the folders that has one. */
  #indexOf(folders: readonly string[]): LinkedFile | null {
    for (const folder of folders) {
      const names = INDEX_NAMES.map((name) => (folder === '' ? name : `${folder}/${name}`));
      const index = this.#at(names);
      if (index !== null) return index;
    }
    return null;
  }
}

function resolution(path: VaultPath, from: VaultPath | null): Resolution {
  return path === from ? { status: 'self', path } : { status: 'resolved', path, tier: 'exact' };
}

/** Returns the ends of a path that begin with a whole name, the shortest first. */
function endsOf(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(names.length - 1 - index).join('/'));
}

/** Returns a path for comparison: NFC, without case. */
function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function isMarkdown(place: string): boolean {
  return /\.(?:md|markdown)$/i.test(place);
}

function withoutExtension(path: string): string {
  const folder = folderOf(path);
  return folder === '' ? stemOf(path) : `${folder}/${stemOf(path)}`;
}

/** Joins a folder and a path and resolves `.` and `..`; null for a path that leaves the folder of all. */
function join(folder: string, path: string): string | null {
  const segments = folder === '' ? [] : folder.split('/');
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return null;
    } else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

function byLength({ place: a }: LinkedFile, { place: b }: LinkedFile): number {
  return a.length !== b.length ? a.length - b.length : a < b ? -1 : 1;
}

function titleIn(folder: string, title: string): string {
  return `${folder}\n${title}`;
}

/** Maps the key to the file, or to null when another file has it too. */
function addOnly(files: Map<string, LinkedFile | null>, key: string, file: LinkedFile): void {
  const other = files.get(key);
  files.set(key, other === undefined || other === file ? file : null);
}
