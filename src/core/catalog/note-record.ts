import type { Field } from '../search/document-reader';
import { wingOfPath } from '../rules/address';
import { leadExcerpt } from '../rules/excerpt';
import { parseNote } from '../rules/frontmatter/parse-note';
import type { Values } from '../rules/frontmatter/read';
import { type Hall, isHall } from '../rules/hall';
import { type Sha, sha256 } from '../rules/hash';
import type { LinkUse } from '../rules/links';
import { markdownFacts } from '../rules/markdown';
import { fileName, fold, stemOf, type VaultPath, vaultPath, zoneOf } from '../rules/paths';
import { withoutDatePrefix } from '../rules/slug';
import { lastWritten, type Timestamp } from '../rules/time';
import { titleOf } from '../rules/title';
import { contentKey } from './content-key';

/** Where a note stands in its life. */
export type NoteStatus = 'wiki' | 'knowledge' | 'raw' | 'rejected';

/**
 * What is known about a note without reading its file. A record never changes: a changed note gets a new one.
 */
export interface NoteRecord {
  readonly path: VaultPath;
  readonly status: NoteStatus;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly headings: readonly string[];
  readonly blockIds: readonly string[];
  /** From the path below `wiki/`, else from the front matter, as written there. */
  readonly wing: string | null;
  readonly hall: Hall | null;
  /** File name without `.md`; in the queue also without its date. */
  readonly slug: string;
  readonly origin?: string;
  readonly written_by?: string;
  /** As the front matter has it. */
  readonly created_at: string | null;
  /** When it was last written. */
  readonly updated_at?: Timestamp;
  /** The whole front matter, every scalar as text. */
  readonly frontmatter: Values;
  /** Why the front matter cannot be read, or null. */
  readonly problem: string | null;
  /** The beginning of the note. */
  readonly excerpt: string;
  /** Its prose, from which excerpts are cut. */
  readonly plain: string;
  readonly links: readonly Pick<LinkUse, 'target' | 'kind'>[];
  /** Notes named in `tunnels`, whether they exist or not. */
  readonly tunnels: readonly VaultPath[];
  /** False when the note asks to be left alone by automatic tunnels. */
  readonly autoTunnel: boolean;
  readonly content_hash: Sha;
  readonly content_key: Sha;
  readonly mtime: number;
  readonly size: number;
}

/** A record of a text, whatever file it stands in. */
export type UnstampedRecord = Omit<NoteRecord, 'mtime' | 'size'>;

/**
 * What a path can be for the catalog; null when a file there is no note: attachments, wing indexes, the
 * inbox.
 */
export function noteStatus(path: VaultPath): NoteStatus | null {
  const zone = zoneOf(path);
  if (!path.endsWith('.md') || fold(stemOf(path)) === '_index') return null;
  return zone === 'wiki' || zone === 'knowledge' || zone === 'raw' || zone === 'rejected' ? zone : null;
}

/** Reads a note into its record and the fields that a search looks at, its title first. Never throws. */
export function readNote(
  path: VaultPath,
  status: NoteStatus,
  text: string,
): { record: UnstampedRecord; fields: Field[] } {
  const { frontmatter, body, problem } = parseNote(text);
  const facts = markdownFacts(body);
  const title = titleOf(frontmatter, facts, path);
  const aliases = textsOf(frontmatter.aliases ?? frontmatter.alias);
  const tags = textsOf(frontmatter.tags ?? frontmatter.tag).flatMap((tag) =>
    tag.split(/[\s,#]+/).filter(Boolean),
  );
  const { wing, hall } = placeOf(path, frontmatter);
  const origin = textOf(frontmatter.origin);
  const writtenBy = textOf(frontmatter.written_by);
  const updatedAt = lastWritten(frontmatter);
  const inQueue = status === 'raw' || status === 'rejected';
  const record: UnstampedRecord = {
    path,
    status,
    title,
    aliases,
    tags: [...new Set([...tags, ...facts.tags])],
    headings: facts.headings.map((heading) => heading.text),
    blockIds: facts.blockIds,
    wing,
    hall,
    slug: inQueue ? withoutDatePrefix(stemOf(path)) : stemOf(path),
    ...(origin !== undefined && { origin }),
    ...(writtenBy !== undefined && { written_by: writtenBy }),
    created_at: textOf(frontmatter.created_at) ?? null,
    ...(updatedAt !== undefined && { updated_at: updatedAt }),
    frontmatter,
    problem,
    excerpt: leadExcerpt(facts.plain, frontmatter.description),
    plain: facts.plain,
    links: facts.links.map(({ target, kind }) => ({ target, kind })),
    tunnels: textsOf(frontmatter.tunnels).flatMap(tunnelTarget),
    autoTunnel: !/^(?:false|no|off)$/i.test(textOf(frontmatter.auto_tunnel) ?? ''),
    content_hash: sha256(text),
    content_key: contentKey(body, facts.links),
  };
  const weighted = (weight: number) => (field: string) => ({ text: field, weight });
  const fields = [
    ...[title, ...aliases].map(weighted(3)),
    // Inline tags are in the text already.
    ...[tags.join(' '), `${wing ?? ''} ${hall ?? ''}`, facts.searchText].map(weighted(1)),
  ];
  return { record, fields };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A list property as texts; people also write a single value. */
function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => textOf(item) ?? []);
}

/**
 * Below `wiki/` the folders say where a note belongs; what they leave open, and elsewhere, the note says
 * itself.
 */
function placeOf(path: VaultPath, frontmatter: Values): { wing: string | null; hall: Hall | null } {
  const folderWing = wingOfPath(path);
  const [, , folderHall] = folderWing === null ? [] : path.slice(0, -fileName(path).length).split('/');
  return {
    wing: folderWing ?? textOf(frontmatter.wing) ?? null,
    hall: isHall(folderHall) ? folderHall : isHall(frontmatter.hall) ? frontmatter.hall : null,
  };
}

/** The note in `[[wiki/net/facts/mtu|MTU]]`. */
function tunnelTarget(link: string): VaultPath[] {
  const target = /^\s*\[\[([^\][|#]+)/.exec(link)?.[1]?.trim();
  if (target === undefined || target === '') return [];
  return [vaultPath(target.endsWith('.md') ? target : `${target}.md`)];
}
