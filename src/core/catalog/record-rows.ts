import { ownMap } from '../rules/own-text';
import type { Sha } from '../rules/hash';
import type { LinkUse } from '../rules/links-address';
import type { VaultPath } from '../rules/paths';
import { type NoteRecord, noteStatus, recordOf, stamped } from './note-record';

/**
 * What a record says of a text is made by rules, and rules change. Raise this with them: what was kept under another number
 * is not used, but made anew from the files. A test knows what the rules make of some notes under this number.
 */
export const ANALYSIS = 7;

const KINDS: readonly LinkUse['kind'][] = ['wikilink', 'embed', 'mdlink', 'image'];

/** A record as JSON keeps it: what does not follow from its path and front matter, in a fixed order. */
type Row = readonly [
  path: VaultPath,
  mtime: number,
  size: number,
  ctime: number | null,
  born: number | null,
  contentHash: Sha,
  contentKey: Sha,
  title: string,
  excerpt: string,
  frontmatter: object,
  problem: string | null,
  tags: readonly string[],
  headings: readonly string[],
  levels: string,
  spelled: readonly (readonly [number, string])[],
  blockIds: readonly string[],
  /** By kind of link, its targets' order kept: `[place of the kind in KINDS, target]`. */
  links: readonly (readonly [number, string])[],
];

/** Records as one text. */
export function textOfRecords(records: readonly NoteRecord[]): string {
  return JSON.stringify(records.map(rowOf));
}

/**
 * The records of a text that `textOfRecords` has made under the same number of the analysis: the caller has made sure of that.
 * @throws Error when it is another text all the same.
 */
export function recordsOfText(text: string): NoteRecord[] {
  const rows = JSON.parse(text) as readonly Row[]; // A checksum and two numbers say that it is one of ours.
  return rows.map(noteOf);
}

function rowOf(note: NoteRecord): Row {
  return [
    note.path,
    note.mtime,
    note.size,
    note.ctime ?? null,
    note.born ?? null,
    note.content_hash,
    note.content_key,
    note.title,
    note.excerpt,
    note.frontmatter,
    note.problem,
    note.tags,
    note.headings,
    note.levels,
    note.spelled,
    note.blockIds,
    note.links.map(({ kind, target }) => [KINDS.indexOf(kind), target] as const),
  ];
}

function noteOf(row: Row): NoteRecord {
  const [path, mtime, size, ctime, born, hash, key, title, excerpt, map, problem, ...facts] = row;
  const [tags, headings, levels, spelled, blockIds, links] = facts;
  const status = noteStatus(path);
  if (status === null) throw new Error(`There can be no note at ${path}.`);
  const record = recordOf(path, status, {
    title,
    tags,
    headings,
    levels,
    spelled,
    blockIds,
    // JSON gives its maps the prototype of all objects; a front matter has none.
    frontmatter: ownMap(map),
    problem,
    excerpt,
    links: links.map(([kind, target]) => ({ target, kind: KINDS[kind] ?? 'wikilink' })),
    content_hash: hash,
    content_key: key,
  });
  return stamped(record, { mtime, size, ...(ctime !== null && { ctime }), ...(born !== null && { born }) });
}
