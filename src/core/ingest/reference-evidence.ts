import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { allOrigins } from '../review/origins';
import type { Watch } from '../progress';
import { isSha, type Sha } from '../rules/hash';
import { type LinkTargets, resolveLink } from '../rules/links';
import { parseMarkdown } from '../rules/markdown-parse';
import { fileName, type VaultPath } from '../rules/paths';
import { isOfPipeline } from '../rules/provenance';
import { linkTo, readReference } from '../rules/references';
import { labelReference, listOf } from './back-references';
import { keptOriginals, originalHash, originalsOfHash, originalStat } from './kept-originals';
import { type LedgerEntry, ledgerOf } from './ledger';
import { sourceReference } from './source-reference';

/** What proves that a note came from a source, in the order in which it is looked for. */
export const EVIDENCE = ['ledger', 'source_hash', 'property', 'source_note', 'source_line'] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** A reference that a note ought to have, and what proves it. */
export interface ProvenReference {
  readonly reference: string;
  readonly evidence: Evidence;
}

/** What is known of all sources, gathered once for many notes. */
export interface KnownOrigins {
  readonly entries: ReadonlyMap<Sha, LedgerEntry>;
  readonly byPage: ReadonlyMap<VaultPath, readonly (readonly [Sha, LedgerEntry])[]>;
  /** The name in the queue of notes that were promoted. */
  readonly origins: ReadonlyMap<VaultPath, VaultPath>;
  /** Names in the queue that more than one of the notes that stand has, or had: they do not tell which is meant. */
  readonly reused: ReadonlySet<VaultPath>;
  /** Kept texts, by the first eight digits of their hash. */
  readonly kept: ReadonlyMap<string, readonly VaultPath[]>;
  /** Originals under names of their own, by their hash: those of which nothing else tells. */
  readonly originals: ReadonlyMap<Sha, VaultPath>;
}

type Ports = Pick<Brain, 'catalog' | 'vault' | 'state' | 'clock' | 'device' | 'pace' | 'log'>;

/** The end of the name of a kept text. */
const KEPT_TEXT = /-([0-9a-f]{8})\.txt$/;

/**
 * Reads the ledger of all devices and what else says where notes came from: also the originals that are kept, when `notes` name
 * hashes that nothing else explains. Call it without the writer held, as these may be many.
 * @param watch told of the originals, when there are any to look through
 */
export async function knownOrigins(
  brain: Ports,
  notes: readonly NoteRecord[],
  watch: Watch,
): Promise<KnownOrigins> {
  const entries = new Map(await ledgerOf(brain).entries());
  const byPage = new Map<VaultPath, (readonly [Sha, LedgerEntry])[]>();
  for (const known of entries) {
    for (const page of known[1].pages) byPage.set(page, [...(byPage.get(page) ?? []), known]);
  }
  const origins = await allOrigins(brain);
  const kept = new Map<string, VaultPath[]>();
  const named: VaultPath[] = [];
  for (const path of keptOriginals(brain)) {
    const prefix = KEPT_TEXT.exec(path)?.[1];
    if (prefix === undefined) named.push(path);
    else kept.set(prefix, [...(kept.get(prefix) ?? []), path]);
  }
  const unknown = new Set<Sha>();
  for (const hash of new Set(notes.map(({ frontmatter }) => frontmatter.source_hash))) {
    if (!isSha(hash) || kept.has(hash.slice(0, 8))) continue;
    const entry = entries.get(hash);
    if (entry === undefined || (await entryReferences(brain, entry)).length === 0) unknown.add(hash);
  }
  const originals = await originalsOfHash(brain, named, unknown, watch);
  return { entries, byPage, origins, reused: reusedNames(brain, origins), kept, originals };
}

function reusedNames(
  { catalog }: Pick<Brain, 'catalog'>,
  origins: ReadonlyMap<VaultPath, VaultPath>,
): Set<VaultPath> {
  const had = new Set<VaultPath>();
  const reused = new Set<VaultPath>();
  for (const [path, from] of origins) {
    if (catalog.record(path) === undefined) continue;
    if (had.has(from) || catalog.record(from) !== undefined) reused.add(from);
    had.add(from);
  }
  return reused;
}

/**
 * The references that a note ought to have, each with the first thing that proves it; nothing is concluded from likeness.
 * @param body of the note, as it stands
 */
export async function provenReferences(
  brain: Ports,
  note: NoteRecord,
  body: string,
  known: KnownOrigins,
): Promise<ProvenReference[]> {
  const found: ProvenReference[] = [];
  const add = (evidence: Evidence, references: readonly string[]): void => {
    for (const reference of references) found.push({ reference, evidence });
  };
  const { source_hash: hash, source, source_url, url } = note.frontmatter;
  for (const entry of ledgerEntries(note, known)) add('ledger', await entryReferences(brain, entry));
  if (isSha(hash)) add('source_hash', await hashReferences(brain, note, hash, known));
  const said = [source, source_url, url].flatMap(listOf);
  add(
    'property',
    said.flatMap((value) => labelReference(brain, value) ?? []),
  );
  add('source_note', sourceNotes(brain.catalog, note));
  add(
    'source_line',
    sourceLines(body).flatMap((value) => labelReference(brain, value) ?? []),
  );
  return found;
}

/**
 * What the ledger says of a note, by where it stands and by its name in the queue. That name is free again after a promotion
 * or a rejection, and the ledger does not say whose it was then: a note that knows its own source has no other by it.
 */
function ledgerEntries(
  { path, frontmatter }: Pick<NoteRecord, 'path' | 'frontmatter'>,
  { byPage, origins, reused }: KnownOrigins,
): LedgerEntry[] {
  const here = byPage.get(path) ?? [];
  const origin = origins.get(path);
  const queued = origin === undefined ? [] : (byPage.get(origin) ?? []);
  const { source_hash: own } = frontmatter;
  const isClear = queued.length === 1 && origin !== undefined && !reused.has(origin);
  const meant = isSha(own) ? queued.filter(([hash]) => hash === own) : isClear ? queued : [];
  return [...here, ...meant].map(([, entry]) => entry);
}

/** An original that is still kept, and the address that it was sent with. */
async function entryReferences(brain: Ports, { original, source }: LedgerEntry): Promise<string[]> {
  const stands = original !== null && (await originalStat(brain, original)) !== null;
  const label = source === null ? null : labelReference(brain, source);
  return [
    ...(stands ? [sourceReference(original, fileName(original))] : []),
    ...(label === null ? [] : [label]),
  ];
}

/** The source with this hash: by the ledger, by the original that was kept, by other notes that were made of it. */
async function hashReferences(
  brain: Ports,
  note: NoteRecord,
  hash: Sha,
  { entries, kept, originals }: KnownOrigins,
): Promise<string[]> {
  const entry = entries.get(hash);
  const listed = entry === undefined ? [] : await entryReferences(brain, entry);
  if (listed.length > 0) return listed;
  const named = originals.get(hash);
  for (const path of [...(kept.get(hash.slice(0, 8)) ?? []), ...(named === undefined ? [] : [named])]) {
    if ((await originalHash(brain, path)) === hash) return [sourceReference(path, fileName(path))];
  }
  const siblings = brain.catalog
    .ofSource(hash)
    .filter(({ path, frontmatter }) => path !== note.path && isOfPipeline(frontmatter));
  return siblings.flatMap(({ frontmatter }) => originalsOf(frontmatter.sources));
}

/** Those of a sibling's references that are the common original: it may have come from other sources as well. */
function originalsOf(sources: unknown): string[] {
  const [first] = listOf(sources);
  return first === undefined || readReference(first).kind === 'address' ? [] : [first];
}

/** The notes in a hall of sources that a note links to. */
function sourceNotes(catalog: LinkTargets & Ports['catalog'], note: NoteRecord): string[] {
  return note.links.flatMap(({ target, kind }) => {
    const found = resolveLink(target, note, catalog, kind === 'mdlink' || kind === 'image');
    if (found.status !== 'resolved' || catalog.record(found.path)?.hall !== 'sources') return [];
    return linkTo(found.path, catalog.title(found.path)) ?? [];
  });
}

const SOURCE_LINE = /^[\s>*_-]*sources?[*_]*:[*_]*\s*(\S.*)$/i;
/**
 * What a line begins with: a wikilink, or an address, which may be that of a Markdown link. Before it may stand what opens a
 * quote, a bracket or an emphasis, but no words: those may say anything of what they name.
 */
const NAMED =
  /^[\s<([!*_`"'“”„‘’‚«»‹›（［「『【〈《〔]*?(?:(\[\[[^\][|\n]+(?:\|[^\][\n]*)?\]\])|(\[[^\][\n]*\]\(<?|<)?(https?:\/\/[^\s"<>[\]\\^`{|}]+))/i;
/** Ends an address that stands by itself: in Chinese and Japanese no space need follow it. */
const WIDE_MARKS = /[“”„«»‹›、。，．：；！？（）［］｛｝「」『』【】〈〉《》〔〕｡､｢｣]/;

/** What a line of prose names right after `Source:` at its beginning: an address or a link. */
function sourceLines(body: string): string[] {
  const { sections } = parseMarkdown(body);
  const prose = sections.filter(({ kind }) => kind === 'prose');
  return prose.flatMap(({ text }) =>
    text.split('\n').flatMap((line) => {
      const [, link, opening, address] = NAMED.exec(SOURCE_LINE.exec(line)?.[1] ?? '') ?? [];
      return link ?? (address === undefined ? [] : addressAlone(address, opening !== undefined));
    }),
  );
}

/**
 * Without a bracket that was opened before it, and without the marks that end a sentence, a quote or an emphasis.
 * @param isEnclosed true when marks of Markdown say where it ends
 */
function addressAlone(text: string, isEnclosed: boolean): string {
  let open = 0;
  let end = 0;
  for (; end < text.length; end += 1) {
    const mark = text.charAt(end);
    if (mark === '(') open += 1;
    else if (mark === ')' && --open < 0) break;
    else if (!isEnclosed && WIDE_MARKS.test(mark)) break;
  }
  // A loop: on a long run an expression takes quadratic time.
  while (end > 0 && /[.,;:!?'’*_]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
