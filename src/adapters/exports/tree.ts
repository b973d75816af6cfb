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

/** What a dialect makes of the files that it claims. Each `from` is the place of a file of the tree. */
export type Made =
  | {
      readonly kind: 'note';
      /** Where it is wanted, without extension. The tree makes it a name that every system takes, and unique. */
      readonly place: string;
      /** Names the note for the links of others of this dialect: `[[id:…]]` in their Markdown leads to it. */
      readonly id?: string;
      readonly title?: string;
      /** The front matter: `created`, `modified` (RFC 3339), `tags`, `aliases`, `source` (a web address) and what else the program says. */
      readonly properties: Readonly<Record<string, string | number | boolean | readonly string[]>>;
      /** Links and embeds name files of the tree by `[[place:…]]` and `![[place:…]]`, notes by `[[id:…]]`, each with `|words` where the words differ. */
      readonly markdown: string;
      readonly from: readonly string[];
      readonly warnings?: readonly string[];
    }
  /** A file that stays as it is, under its place or another one. */
  | { readonly kind: 'file'; readonly from: string; readonly place?: string }
  /** A side file of the export, which becomes no note. */
  | { readonly kind: 'left'; readonly from: string; readonly why: string };

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
