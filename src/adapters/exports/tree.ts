/** A file of an export after its archives were unpacked. */
export interface TreeFile {
  /** Its path below the import, with `/` between the names. */
  readonly place: string;
  /** In bytes. */
  readonly size: number;
  /** When its source last changed it (ms since the epoch), where that is known. */
  readonly modified?: number;
}

/** The files of an export, as dialects read them. */
export interface Tree {
  /** In order of their places. */
  readonly files: readonly TreeFile[];
  /** Reads a file, or its first `most` bytes. @throws BrainError `too_large` for one that does not fit into memory */
  bytes(file: TreeFile, most?: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** The properties of a note. */
export type Properties = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** What a dialect makes of the files that it claims. Each `from` is the place of a file of the tree. */
export type Made =
  | {
      readonly kind: 'note';
      /** Where it is wanted, without extension. The tree makes it a name that every system takes, and unique. */
      readonly place: string;
      /** Names the note for the links of others of this dialect (`noteLink`). Of two notes with one id the first has it. */
      readonly id?: string;
      readonly title?: string;
      /**
       * The front matter: `created`, `modified` (RFC 3339; a day where the program names no time zone), `tags`, `aliases`, `source` (a web
       * address) and what else the program says.
       */
      readonly properties: Properties;
      /** Links and embeds name files of the tree and notes by `fileLink` and `noteLink`. */
      readonly markdown: string;
      readonly from: readonly string[];
      readonly warnings?: readonly string[];
    }
  /** A file that stays as it is, under its place or another one. */
  | {
      readonly kind: 'file';
      readonly from: string;
      readonly place?: string;
      readonly warnings?: readonly string[];
    }
  /** A side file of the export, which becomes no note; or only `part` of a file, such as a note that was in the trash. */
  | { readonly kind: 'left'; readonly from: string; readonly part?: string; readonly why: string };

/** A note that a dialect has made. */
export type MadeNote = Extract<Made, { kind: 'note' }>;

/** The export of one program, by its documented format. */
export interface Dialect {
  /** The name that its users know: `Google Keep`. */
  readonly program: string;
  /**
   * Returns the folders that are exports of this program, '' for the whole tree; none for a tree of others. It goes by names, then by
   * the first bytes of at most 20 files.
   */
  recognise(tree: Tree): Promise<readonly string[]>;
  /** Makes notes of the files of a folder. A file that it does not mention stays as it is, and other readers may read it. */
  convert(tree: Tree, folder: string): AsyncIterable<Made>;
}

/** A link in the Markdown of a made note, before it is known where notes and files lie. */
export interface Target {
  readonly kind: 'id' | 'place';
  /** The id of a note, or the place of a file. */
  readonly of: string;
  /** What of a note is meant, with its mark: `^block` or `Heading`; empty for all. */
  readonly part: string;
  /** Shown in place of the name; empty for the name. */
  readonly words: string;
  readonly isEmbed: boolean;
}

/** Returns the link to a note of this dialect: `[[id:…#part|words]]`. A link to a note that is not made becomes its words. */
export function noteLink(id: string, words = '', part = ''): string {
  return `[[id:${encoded(id)}${part === '' ? '' : `#${encoded(part)}`}${wordsIn(words)}]]`;
}

/** Returns the embed of a part of a note of this dialect. */
export function noteEmbed(id: string, part = ''): string {
  return `!${noteLink(id, '', part)}`;
}

/** Returns the link to a file of the tree: `[[place:…|words]]`. */
export function fileLink(place: string, words = ''): string {
  return `[[place:${encoded(place)}${wordsIn(words)}]]`;
}

/** Returns the embed of a file of the tree. */
export function fileEmbed(place: string): string {
  return `!${fileLink(place)}`;
}

/** Replaces the links of `noteLink` and `fileLink` in Markdown by what `link` returns; null leaves one as it is. */
export function replaceTargets(markdown: string, link: (target: Target) => string | null): string {
  return markdown.replace(
    // A bar in the cell of a table is escaped.
    /(!?)\[\[(id|place):([^[\]|#\n\\]+)(?:#([^[\]|#\n\\]+))?(?:\\?\|([^[\]|\n]*))?\]\]/g,
    (
      found,
      bang: string,
      kind: 'id' | 'place',
      of: string,
      part: string | undefined,
      words: string | undefined,
    ) =>
      link({ kind, of: decoded(of), part: decoded(part ?? ''), words: words ?? '', isEmbed: bang !== '' }) ??
      found,
  );
}

/** Writes the characters that end a link, or begin a part of it, as their codes. */
function encoded(text: string): string {
  return text.replace(/[%#^|\\[\]\p{Cc}]/gu, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

function wordsIn(words: string): string {
  const shown = words
    .replace(/[[\]|\\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return shown === '' ? '' : `|${shown}`;
}
