import picomatch from 'picomatch';
import { isRecord } from '../base/json';
import { fileName, fold, folderOf, isIgnoredName, zoneOf } from './paths';

/** Folders that hold programs, which nobody wrote as notes. They are left out wherever they are. */
const NEVER_NOTES: ReadonlySet<string> = new Set(['node_modules', 'bower_components']);

/** Returns true for a folder of programs, which holds no file that a person links to. */
export function holdsPrograms(path: string): boolean {
  return NEVER_NOTES.has(fileName(path));
}

/** The characters that make an entry of the setting a glob rather than the path of a folder or file. */
const GLOB = /[*?[\]{}()!+@]/;

/** The choices of an owner that decide which of the owner's notes are read. */
export interface ReadScopeOptions {
  /** `vault` reads the owner's notes as well; `brain` reads the service's folders alone. */
  readonly scope: 'vault' | 'brain';
  /** Paths of folders or files, or globs, as in the setting `exclude`. A glob without a slash means a name in any folder. */
  readonly exclude: readonly string[];
  /** The files and folders that the service itself uses outside its own folders: the root note, an inbox elsewhere. */
  readonly own: readonly string[];
  /** What the app leaves out. */
  readonly app?: AppExclusions;
}

/** What Obsidian's own settings leave out of a vault. */
export interface AppExclusions {
  /** The "Excluded files": the beginning of a path, or a regular expression between slashes. */
  readonly filters: readonly string[];
  /** The folders of templates, which the core plugin "Templates" and the plugin "Templater" name. */
  readonly templates: readonly string[];
  /** The files of settings that cannot be read, each with the reason: `.obsidian/app.json is not JSON`. */
  readonly unread: readonly string[];
}

const NOTHING_LEFT_OUT: AppExclusions = { filters: [], templates: [], unread: [] };

/** A place that is left out, and the setting that says so. */
export interface Excluded {
  readonly what: string;
  readonly by: 'exclude' | 'excluded files of Obsidian' | 'template folder';
}

/**
 * Decides which files outside the service's folders are read as notes of the owner. It never leaves out a file of the
 * service's own folders. A path is compared as file systems that fold case compare it. While a file of the app's settings cannot
 * be read, the scope is `brain`: what the owner leaves out is unknown then.
 */
export class ReadScope {
  readonly scope: 'vault' | 'brain';
  /** The files of the app's settings that cannot be read, each with the reason. */
  readonly unread: readonly string[];
  /** The places that the owner's settings leave out, in the order of the settings. */
  readonly excluded: readonly Excluded[];
  /** The entries of the app's settings that are no regular expression, with the reason. */
  readonly unusable: readonly string[];
  readonly #own: ReadonlySet<string>;
  readonly #tests: readonly PathTest[];
  /** The last folder that `excludes` was asked about, and its answer: files are mostly listed folder by folder. */
  #last = { folder: '', excluded: false };

  constructor({ scope, exclude, own, app = NOTHING_LEFT_OUT }: ReadScopeOptions) {
    this.scope = app.unread.length > 0 ? 'brain' : scope;
    this.unread = app.unread;
    this.#own = new Set(own.map(plain).filter((path) => path !== '' && zoneOf(path) === 'other'));
    const unusable: string[] = [];
    const tests: PathTest[] = [];
    const excluded: Excluded[] = [];
    const add = (what: string, by: Excluded['by'], test: PathTest | null): void => {
      if (test === null) return;
      tests.push(test);
      excluded.push({ what, by });
    };
    for (const entry of exclude) add(entry, 'exclude', entryTest(entry));
    for (const filter of app.filters) {
      try {
        add(filter, 'excluded files of Obsidian', filterTest(filter));
      } catch (error) {
        unusable.push(`${filter}: ${String(error)}`);
      }
    }
    for (const folder of app.templates) add(folder, 'template folder', placeTest(folder));
    this.excluded = excluded;
    this.unusable = unusable;
    this.#tests = tests;
  }

  /**
   * Returns true for a file or a folder whose files are not read: a hidden one, one that the owner leaves out, and everything
   * outside the service's folders when the scope is `brain`. What is below such a folder is left out as well.
   */
  leavesOut(path: string): boolean {
    const zone = zoneOf(path);
    if (zone === 'hidden' || zone === 'sessions') return true;
    return zone === 'other' && (this.scope === 'brain' || this.excludes(path));
  }

  /**
   * Returns true for a path outside the service's folders that the owner or the service leaves out, whatever the scope is: it is
   * named itself, or a folder above it is.
   */
  excludes(path: string): boolean {
    const folder = folderOf(path);
    if (folder !== this.#last.folder) {
      let excluded = false;
      for (let at = folder.length; at > 0 && !excluded; at = folder.lastIndexOf('/', at - 1))
        excluded = this.#names(folder.slice(0, at));
      this.#last = { folder, excluded };
    }
    return this.#last.excluded || this.#names(path);
  }

  /** Returns true for a file or a folder that is left out by its own path. */
  #names(path: string): boolean {
    const name = fileName(path);
    if (isIgnoredName(name) || NEVER_NOTES.has(name)) return true;
    const folded = widely(path);
    return this.#own.has(folded) || this.#tests.some((test) => test(path, folded));
  }
}

/** Returns true for a file or a folder that one entry names, by its path and its folded path; the rest of the path is tested apart. */
type PathTest = (path: string, folded: string) => boolean;

/** A scope that reads the whole vault and leaves nothing out but hidden files and programs. */
export const WHOLE_VAULT = new ReadScope({ scope: 'vault', exclude: [], own: [] });

/** Returns a sentence for the owner: what is read of the vault, and what is left out by whose word. */
export function scopeSentence({
  scope,
  excluded,
  unread,
}: Pick<ReadScope, 'scope' | 'excluded' | 'unread'>): string {
  if (unread.length > 0)
    return `Only the folders of the service are read, because ${unread.join(' and ')}: what it leaves out is unknown.`;
  if (scope === 'brain') return 'Only the folders of the service are read, and no other note of the vault.';
  const left = excluded.map(({ what, by }) => (by === 'exclude' ? what : `${what} (${by})`));
  const but = left.length === 0 ? '' : `, except ${left.join(', ')}`;
  return `Every note of the vault is read${but}. Yours are never changed.`;
}

/** Returns a sentence that says why an entry of the setting `exclude` is unusable; null when it is usable. */
export function excludeFault(entry: string): string | null {
  if (plain(entry) === '') return 'An empty entry would leave out the whole vault.';
  if (entry.startsWith('!'))
    return `"${entry}" begins with "!", and there is no entry that takes a folder back in.`;
  if (entry.includes('\\')) return `"${entry}" has a backslash. Separate folders with "/".`;
  return null;
}

/** A remedy for the owner when a file of the app's settings cannot be read. */
export const MEND_SETTINGS =
  'Mend the file, or remove it so that the app makes it anew, and start the service again.';

/**
 * Returns the settings of the app that leave files out, from the files of its configuration folder.
 * @param read returns the text of a file of the vault; null when there is none
 */
export async function appExclusions(
  read: (path: string) => Promise<string | null>,
  configFolder: string,
): Promise<AppExclusions> {
  const unread: string[] = [];
  const texts = async (file: string, key: string): Promise<string[]> => {
    const path = `${configFolder}/${file}`;
    try {
      const value = fieldOf((await read(path)) ?? '{}', key);
      if (value !== null) return value;
      unread.push(`${path} holds something else than settings`);
    } catch (error) {
      unread.push(
        error instanceof SyntaxError ? `${path} is not JSON` : `${path} cannot be read (${String(error)})`,
      );
    }
    return [];
  };
  const filters = await texts('app.json', 'userIgnoreFilters');
  const templates = await texts('templates.json', 'folder');
  const templater = await texts('plugins/templater-obsidian/data.json', 'templates_folder');
  return { filters, templates: [...templates, ...templater], unread };
}

/**
 * Returns the texts in one field of a JSON object; none when the field is absent; null when there is no such object or the
 * field has another type.
 * @throws SyntaxError when the text is not JSON
 */
function fieldOf(json: string, key: string): string[] | null {
  const data: unknown = JSON.parse(json.replace(/^\uFEFF/, ''));
  if (!isRecord(data)) return null;
  const value = data[key] ?? [];
  if (typeof value !== 'string' && !Array.isArray(value)) return null;
  const all: readonly unknown[] = typeof value === 'string' ? [value] : value;
  return all.filter((item): item is string => typeof item === 'string' && item !== '');
}

/** Returns a path without slashes at its ends, in NFC. */
function trimmed(path: string): string {
  return path
    .normalize('NFC')
    .trim()
    .replace(/^(?:\.?\/)+|\/+$/g, '');
}

/**
 * Folds a path for the comparison with what is left out: a file too many is left out rather than read against the owner's word,
 * so the dotted and the dotless i of all languages are one letter here.
 */
function widely(path: string): string {
  return fold(path).replaceAll('i\u0307', 'i');
}

/** Returns a path as it is compared: trimmed and folded. */
function plain(path: string): string {
  return widely(trimmed(path));
}

/** Returns a glob as it is compared with a folded path. A character that folding turns into a sign of globs stays a character. */
function foldedGlob(glob: string): string {
  return widely(glob.replace(/[^ -~]/gu, (character) => (GLOB.test(fold(character)) ? '?' : character)));
}

/** Returns the test of a folder or file; null for the root. */
function placeTest(entry: string): PathTest | null {
  const place = plain(entry);
  return place === '' ? null : (_, folded) => folded === place;
}

/** Returns the test of an entry of the setting `exclude`. */
function entryTest(entry: string): PathTest | null {
  const isPlace = placeTest(entry);
  if (isPlace === null || !GLOB.test(entry)) return isPlace;
  const glob = trimmed(entry);
  const options = { dot: true, nocase: true, windows: false };
  const [matches, matchesFolded] = [picomatch(glob, options), picomatch(foldedGlob(glob), options)];
  const isName = !glob.includes('/');
  const named = (path: string): string => (isName ? fileName(path) : path);
  // A folder may have brackets in its name.
  return (path, folded) => matches(named(path)) || matchesFolded(named(folded)) || isPlace(path, folded);
}

/** Returns the test of one of the app's "Excluded files". @throws SyntaxError for an invalid regular expression */
function filterTest(filter: string): PathTest | null {
  const pattern = /^\/(.+)\/$/.exec(filter)?.[1];
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'i');
    return (path, folded) => expression.test(path) || expression.test(folded);
  }
  // The app compares the beginning of the path; "Archive/" means the folder, and so does "Archive" for a folder of that name.
  const start = widely(filter.normalize('NFC').replace(/^\/+/, ''));
  return start === '' ? null : (_, folded) => folded.startsWith(start) || `${folded}/` === start;
}
