import { type Sha, sha256Steps } from '../base/hash';
import { apart, finish, type Steps } from '../base/steps';
import { leadExcerpt, detachMap, detachString } from '../base/text';
import { lastWritten, type Timestamp } from '../base/time';
import { parseNote } from '../frontmatter/parse';
import type { Values } from '../frontmatter/yaml';
import type { Field } from '../fulltext/reader';
import type { FieldKind } from '../fulltext/scoring';
import { propertyLinks } from '../links/properties';
import type { HeadingPlace } from '../links/resolve';
import { titleOf } from '../links/title';
import type { LinkUse } from '../markdown/address';
import { FACTS, type MarkdownFacts } from '../markdown/facts';
import type { FileStat } from '../ports/ports';
import { dashed, type Hall, isHall, wingOfPath, withoutDatePrefix } from '../vocabulary/address';
import {
  fileName,
  isMarkdown,
  isNoteName,
  stemOf,
  type VaultPath,
  vaultPath,
  zoneOf,
} from '../vocabulary/paths';
import { allowsTunnels } from '../vocabulary/envelope';
import { besideText, commentsOf } from './beside';
import { CONTENT_KEY } from './content-key';

/** The state of a note in its life cycle; `vault` is a note of the owner, outside the service's folders. */
export type NoteStatus = 'wiki' | 'knowledge' | 'raw' | 'rejected' | 'vault';

/** The facts about a note that need no look into its file. A record is immutable: a changed note gets a new one. */
export interface NoteRecord {
  readonly path: VaultPath;
  readonly status: NoteStatus;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly headings: readonly string[];
  /** The levels of the headings, one digit each. */
  readonly levels: string;
  /** The headings whose source differs from their text: index in `headings`, source. */
  readonly spelled: readonly (readonly [number, string])[];
  readonly blockIds: readonly string[];
  /** From the path below `wiki/`, else from the front matter as written there. */
  readonly wing: string | null;
  readonly hall: Hall | null;
  /** The file name without `.md`, and in the queue without its date. */
  readonly slug: string;
  readonly origin?: string;
  readonly written_by?: string;
  /** As in the front matter. */
  readonly created_at: string | null;
  /** The time of the last write. */
  readonly updated_at?: Timestamp;
  /** The whole front matter, every scalar as text. */
  readonly frontmatter: Values;
  /** The reason why the front matter cannot be read, or null. */
  readonly problem: string | null;
  /** The start of the note. */
  readonly excerpt: string;
  /** The links in its text, in the order of their first use; equal ones count once. */
  readonly links: readonly Pick<LinkUse, 'target' | 'kind'>[];
  /** The links in its properties, except `tunnels`. */
  readonly propertyLinks: readonly Pick<LinkUse, 'target' | 'kind'>[];
  /** The notes named in `tunnels`, whether they exist or not. */
  readonly tunnels: readonly VaultPath[];
  /** False if the note opts out of automatic tunnels. */
  readonly autoTunnel: boolean;
  readonly content_hash: Sha;
  readonly content_key: Sha;
  /** True when only a part of its text was read as Markdown, and absent otherwise. */
  readonly partly?: true;
  readonly mtime: number;
  readonly size: number;
  /** As in `FileEntry`; absent if the host does not know it. */
  readonly ctime?: number;
  /** As in `FileEntry`, for raw notes only; the queue is sorted by it. */
  readonly born?: number;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A record of a text, without the facts of its file. */
export type UnstampedRecord = Omit<NoteRecord, keyof FileStat>;

/** The reason why a note could not be read. */
export interface Unread {
  readonly reason: string;
  /** Its size in bytes if that is the reason, else null. */
  readonly tooLarge: number | null;
  /** True when its text ended what read it: it is not read again until it changes or someone asks. */
  readonly entangled: boolean;
  /** True for the text of a note that was forgotten, which another program brought back. */
  readonly forgotten: boolean;
}

/** The fields of a record that need the text. */
type TextFacts = Pick<
  NoteRecord,
  | 'title'
  | 'tags'
  | 'headings'
  | 'levels'
  | 'spelled'
  | 'blockIds'
  | 'frontmatter'
  | 'problem'
  | 'excerpt'
  | 'links'
  | 'content_hash'
  | 'content_key'
  | 'partly'
>;

/**
 * Adds the facts of the file to a record that nobody else holds yet. It changes the record in place, because the engine would
 * keep a hidden class for each copy.
 */
export function withFileStat(record: UnstampedRecord, { mtime, size, ctime, born }: FileStat): NoteRecord {
  const file = Object.assign(record, ctime === undefined ? { mtime, size } : { mtime, size, ctime });
  return born === undefined || record.status !== 'raw' ? file : Object.assign(file, { born });
}

/** Returns the status of a note by its path; null for a file that is no note: attachments, wing maps, the inbox. */
export function noteStatus(path: VaultPath): NoteStatus | null {
  const zone = zoneOf(path);
  // Only the service's maps of wings have a reserved name; an owner may call any note so.
  if (zone === 'other') return isMarkdown(path) ? 'vault' : null;
  if (!isNoteName(path)) return null;
  return zone === 'wiki' || zone === 'knowledge' || zone === 'raw' || zone === 'rejected' ? zone : null;
}

/** A note's record, and the fields for the search, the title first. */
export interface OpenedNote {
  readonly record: UnstampedRecord;
  readonly fields: readonly Field[];
}

const headingCache = new WeakMap<NoteRecord, readonly HeadingPlace[]>();

/** Returns the headings of a note as links may name them; the same list each time. */
export function headingPlaces(note: NoteRecord): readonly HeadingPlace[] {
  let places = headingCache.get(note);
  if (places === undefined) {
    const sources = new Map(note.spelled);
    places = note.headings.map((text, at) => ({
      level: Number(note.levels[at]),
      text,
      source: sources.get(at),
    }));
    headingCache.set(note, places);
  }
  return places;
}

/** The maximum length of a heading's source; links compare no more of it. */
const MAX_SPELLED = 1000;

/** Reads a note. Never throws. */
export function readNote(path: VaultPath, status: NoteStatus, text: string): OpenedNote {
  return finish(noteSteps(path, status, text));
}

/** Does the same as `readNote`, in steps. */
export function* noteSteps(path: VaultPath, status: NoteStatus, text: string): Steps<OpenedNote> {
  const { body, problem, comments, ...parsed } = parseNote(text);
  const frontmatter = detachMap(parsed.frontmatter);
  yield;
  const facts = yield* apart(FACTS, body);
  yield;
  const content_hash = yield* sha256Steps(text);
  yield;
  // Notes of the owner are compared with no others, and the key takes a fifth of the work.
  const content_key =
    status === 'vault' ? content_hash : yield* apart(CONTENT_KEY, { body, title: frontmatter.title });
  yield;
  const title = titleOf(frontmatter, facts, path);
  const tags = stringsOf(frontmatter.tags ?? frontmatter.tag).flatMap((tag) =>
    tag.split(/[\s,#]+/).filter(Boolean),
  );
  const record = recordOf(path, status, {
    title: detachString(title),
    tags: [...new Set([...tags, ...facts.tags])].map(detachString),
    headings: facts.headings.map((heading) => detachString(heading.text)),
    levels: detachString(facts.headings.map(({ level }) => level).join('')),
    spelled: facts.headings.flatMap(({ text, source }, at) =>
      text === source ? [] : [[at, detachString(source.slice(0, MAX_SPELLED))] as const],
    ),
    blockIds: facts.blockIds.map(detachString),
    frontmatter,
    problem,
    excerpt: detachString(leadExcerpt(facts.plain, frontmatter.description)),
    links: facts.links,
    content_hash,
    content_key,
    ...(!facts.isWhole && { partly: true as const }),
  });
  return { record, fields: fieldsOf(record, tags, facts, commentsOf(comments, facts)) };
}

/** Returns the fields for the search. Headings stand among them and in the text. */
function fieldsOf(
  record: UnstampedRecord,
  tags: readonly string[],
  { searchText, addresses }: MarkdownFacts,
  comments: string,
): Field[] {
  const { title, aliases, slug, wing, hall, headings } = record;
  const all = (kind: FieldKind, texts: readonly string[]) => texts.map((text) => ({ kind, text }));
  // The file name usually repeats the title.
  const names = dashed(slug) === dashed(title) ? [title, ...aliases] : [title, ...aliases, slug];
  const parts = headings.filter((heading) => heading !== title);
  // The text already contains inline tags.
  const places = [tags.join(' '), `${wing ?? ''} ${hall ?? ''}`, addresses.join('\n')];
  const beside = besideText(record, comments).map(({ text }) => text);
  return [
    ...all('name', names),
    ...all('heading', parts),
    ...all('place', places),
    ...all('text', [searchText]),
    ...all('property', beside),
  ];
}

/** Returns the record of a note from facts of its text; the rest follows from its path and its front matter. */
export function recordOf(path: VaultPath, status: NoteStatus, facts: TextFacts): UnstampedRecord {
  const { frontmatter } = facts;
  const { wing, hall } = placeOf(path, frontmatter);
  const inQueue = status === 'raw' || status === 'rejected';
  const record: Writable<UnstampedRecord> = {
    path,
    status,
    title: facts.title,
    aliases: aliasesOf(frontmatter),
    tags: facts.tags,
    headings: facts.headings,
    levels: facts.levels,
    spelled: facts.spelled,
    blockIds: facts.blockIds,
    wing,
    hall,
    slug: inQueue ? withoutDatePrefix(stemOf(path)) : stemOf(path),
    created_at: stringOf(frontmatter.created_at) ?? null,
    frontmatter,
    problem: facts.problem,
    excerpt: facts.excerpt,
    links: facts.links,
    propertyLinks: linksOfProperties(frontmatter),
    tunnels: stringsOf(frontmatter.tunnels).flatMap(tunnelTarget),
    autoTunnel: allowsTunnels(frontmatter),
    content_hash: facts.content_hash,
    content_key: facts.content_key,
  };
  const origin = stringOf(frontmatter.origin);
  const writtenBy = stringOf(frontmatter.written_by);
  const updatedAt = lastWritten(frontmatter);
  // Not spread into the literal: the engine would keep a hidden class for every record.
  if (origin !== undefined) record.origin = origin;
  if (writtenBy !== undefined) record.written_by = writtenBy;
  if (updatedAt !== undefined) record.updated_at = updatedAt;
  if (facts.partly === true) record.partly = true;
  return record;
}

function linksOfProperties({ tunnels: _, ...frontmatter }: Values): NoteRecord['propertyLinks'] {
  const links = propertyLinks(frontmatter);
  return links.length === 0
    ? NO_LINKS
    : links.map(({ target, kind }) => ({ target: detachString(target), kind }));
}

/** The shared empty list of most notes. */
const NO_LINKS: NoteRecord['propertyLinks'] = [];

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the aliases of a note, given as a list or as one value. */
export function aliasesOf({ aliases, alias }: Readonly<Record<string, unknown>>): string[] {
  return stringsOf(aliases ?? alias);
}

/** Returns the texts of a list property or a single value. */
function stringsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => stringOf(item) ?? []);
}

/** Returns true for a note whose text was judged and rejected; one that its own writer has withdrawn was not judged. */
export function isRejection({ status, frontmatter }: NoteRecord): boolean {
  return status === 'rejected' && typeof frontmatter.withdrawn_at !== 'string';
}

/** Returns the wing and hall of a note. Below `wiki/` the folders decide; where they do not, the front matter does. */
export function placeOf(path: VaultPath, frontmatter: Values): { wing: string | null; hall: Hall | null } {
  const folderWing = wingOfPath(path);
  const [, , folderHall] = folderWing === null ? [] : path.slice(0, -fileName(path).length).split('/');
  return {
    wing: folderWing ?? stringOf(frontmatter.wing) ?? null,
    hall: isHall(folderHall) ? folderHall : isHall(frontmatter.hall) ? frontmatter.hall : null,
  };
}

/** Returns the note in `[[wiki/net/facts/mtu|MTU]]`. */
function tunnelTarget(link: string): VaultPath[] {
  const target = /^\s*\[\[([^\][|#]+)/.exec(link)?.[1]?.trim();
  if (target === undefined || target === '') return [];
  return [vaultPath(target.endsWith('.md') ? target : `${target}.md`)];
}
