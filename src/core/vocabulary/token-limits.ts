import type { TokenLimits } from '../access/tokens';
import { BrainError } from '../base/errors';
import { dashed, sanitiseWing } from './address';
import { fold, inputPath, withoutBrain, zoneOf } from './paths';

/** The most read paths, and the most wings, of one token. */
const MAX_LISTED = 100;

/**
 * Reads the paths that a token may read: folders and files of the vault, relative to it, in any order. Returns each once, as
 * `wiki/homelab` or `Projects/plan.md`.
 * @throws BrainError `invalid_field` for an empty list, too many paths, and a path outside the vault or in a hidden folder
 */
export function readPaths(given: readonly string[]): string[] {
  return listed(given, 'read', 'folder or file', (text) => {
    const plain = withoutBrain(
      `${text
        .trim()
        .replace(/^\.?\//, '')
        .replace(/\/+$/, '')}/`,
    ).slice(0, -1);
    try {
      const path = inputPath(plain);
      if (zoneOf(path) !== 'hidden') return path;
    } catch (error) {
      if (!(error instanceof BrainError)) throw error;
      throw invalid('read', `"${text}" cannot be read: ${lowerFirst(error.message)}`);
    }
    throw invalid(
      'read',
      `"${text}" is hidden, and no token reads hidden files. Name another folder or file.`,
    );
  });
}

/**
 * Reads the names of the wings that a token may write into. Returns each once, sanitised.
 * @throws BrainError `invalid_field` for an empty list, too many wings, and a name that no wing can have
 */
export function wingNames(given: readonly string[]): string[] {
  return listed(given, 'write_wings', 'wing', (text) => {
    try {
      return sanitiseWing(text);
    } catch (error) {
      if (!(error instanceof BrainError)) throw error;
      throw invalid('write_wings', `"${text}" is no wing: ${lowerFirst(error.message)}`);
    }
  });
}

function listed(
  given: readonly string[],
  field: string,
  noun: string,
  read: (text: string) => string,
): string[] {
  if (given.length === 0) throw invalid(field, `Name at least one ${noun}, or give no limit.`);
  if (given.length > MAX_LISTED)
    throw invalid(field, `There are ${given.length} names; a token has at most ${MAX_LISTED}.`);
  return [...new Set(given.map(read))];
}

function invalid(field: string, message: string): BrainError {
  return new BrainError('invalid_field', message, { field });
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Reads stored limits; null when they are damaged, so that a token never gets more than it was given.
 */
export function storedLimits(read: unknown, wings: unknown): TokenLimits | null {
  try {
    return {
      ...(read !== undefined && { read: readPaths(textsIn(read)) }),
      ...(wings !== undefined && { writeWings: wingNames(textsIn(wings)) }),
    };
  } catch (error) {
    if (error instanceof BrainError) return null;
    throw error;
  }
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw invalid('limits', 'The list is damaged.');
}

/** Returns true for limits that limit something. */
export function isLimited(limits: TokenLimits | undefined): limits is TokenLimits {
  return limits?.read !== undefined || limits?.writeWings !== undefined;
}

/** The limits of one caller, as operations ask for them. */
export class CallerLimits {
  readonly #read: readonly string[] | null;
  readonly #wings: ReadonlySet<string> | null;
  readonly #hidden: readonly string[];
  /** The last folder that was asked about, and which of its files the caller may read: files are mostly listed by folder. */
  #last: { readonly folder: string; readonly files: 'all' | 'some' | 'none' } = { folder: '', files: 'some' };

  /**
   * @param name that of the token
   * @param owns for a token that may not read: returns true for the path of a note that it wrote itself, which is all it sees
   * @param hidden folders that exist for no token but the owner's
   */
  constructor(
    private readonly limits: TokenLimits,
    readonly name: string,
    private readonly owns: ((path: string) => boolean) | null = null,
    hidden: readonly string[] = [],
  ) {
    this.#hidden = hidden.map(keyOf);
    this.#read = limits.read?.map(keyOf) ?? null;
    this.#wings = limits.writeWings === undefined ? null : new Set(limits.writeWings.map(wingKeyOf));
  }

  /** True when something of the vault does not exist for the caller. */
  get hidesNotes(): boolean {
    return this.#read !== null || this.isBlind || this.#hidden.length > 0;
  }

  /** True when the token may not read, so that it sees only what it wrote itself. */
  get isBlind(): boolean {
    return this.owns !== null;
  }

  /** True when the caller writes into some wings only. */
  get hasWriteWings(): boolean {
    return this.#wings !== null;
  }

  /** Returns true when a file at this path exists for the caller, if there is one. */
  sees(path: string): boolean {
    return this.owns === null ? this.reaches(path) : this.owns(path);
  }

  /** Returns true when the path is among the read paths, whether or not the caller may read. */
  reaches(path: string): boolean {
    if (this.#isHidden(path)) return false;
    if (this.#read === null) return true;
    const end = Math.max(0, path.lastIndexOf('/'));
    if (this.#last.folder.length !== end || !path.startsWith(this.#last.folder)) {
      const folder = path.slice(0, end);
      const key = keyOf(folder);
      const isAbove = folder === '' || this.#read.some((each) => each.startsWith(`${key}/`));
      this.#last = { folder, files: this.#includes(key) ? 'all' : isAbove ? 'some' : 'none' };
    }
    const { files } = this.#last;
    return files === 'some' ? this.#includes(keyOf(path)) : files === 'all';
  }

  #isHidden(path: string): boolean {
    return this.#hidden.length > 0 && isWithin(keyOf(path), this.#hidden);
  }

  #includes(key: string): boolean {
    return this.#read !== null && isWithin(key, this.#read);
  }

  /** Returns true when a folder has, or may have, files that the caller may read. */
  seesInto(folder: string): boolean {
    if (this.isBlind) return folder === '';
    if (this.#isHidden(folder)) return false;
    if (this.#read === null || folder === '' || this.sees(folder)) return true;
    const key = keyOf(folder);
    return this.#read.some((each) => each.startsWith(`${key}/`));
  }

  /** Returns true when the caller may write into a wing, in any of its spellings. */
  writesInto(wing: string): boolean {
    return this.#wings === null || this.#wings.has(wingKeyOf(wing));
  }

  /** What the caller may read and write, in a sentence for it. */
  get description(): string {
    const { read, writeWings } = this.limits;
    return [
      ...(this.isBlind ? ['This token reads nothing but what it wrote itself.'] : []),
      ...(read === undefined || this.isBlind
        ? []
        : [`This token reads ${read.join(', ')} and nothing else.`]),
      ...(writeWings === undefined
        ? []
        : [`This token writes into the wings ${writeWings.join(', ')} and no other.`]),
    ].join(' ');
  }
}

/** Returns true for a path that is one of the folders and files or lies below one; all in the form of `keyOf`. */
function isWithin(key: string, places: readonly string[]): boolean {
  return places.some((each) => key === each || key.startsWith(`${each}/`));
}

/** Returns the form in which paths are compared: as names that are one on any disk, and a wing in all its spellings. */
function keyOf(path: string): string {
  const segments = path.split('/');
  const isInWiki = fold(segments[0] ?? '') === 'wiki';
  return segments.map((segment, at) => (isInWiki && at === 1 ? wingKeyOf(segment) : fold(segment))).join('/');
}

function wingKeyOf(name: string): string {
  // Folders that begin so are no wings, and must not be taken for one.
  if (/^[._]/.test(name)) return fold(name);
  return dashed(name) || fold(name);
}
