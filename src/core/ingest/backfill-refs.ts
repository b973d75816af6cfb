import * as z from 'zod';
import type { Caller } from '../access/caller';
import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256, sha256Steps } from '../base/hash';
import { inSlices, type Watch } from '../base/steps';
import type { Catalog } from '../catalog/catalog';
import type { NoteRecord } from '../catalog/record';
import { TICK_MS } from '../catalog/snapshot';
import { wingKey } from '../catalog/wings';
import { PROCESSED } from '../documents/paths';
import { MAX_FILE_BYTES } from '../documents/ports';
import { isLocked } from '../frontmatter/lock';
import { parseNote } from '../frontmatter/parse';
import { linkTo, readReference } from '../links/references';
import { type LinkTargets, resolveLink } from '../links/resolve';
import { parseMarkdown } from '../markdown/parse';
import { wingFolder } from '../notes/targets';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField, hallField, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, pathShape } from '../operation/shapes';
import { type FileStat, lastChanged, sameStat } from '../ports/ports';
import { allOrigins } from '../review/return';
import { type LedgerEntry, ledgerOf } from '../sources/ledger';
import { labelReference, listOf, sourceReference, withReferences } from '../sources/source-references';
import { fileName, type VaultPath } from '../vocabulary/paths';
import { isOfPipeline } from '../vocabulary/provenance';
import { additionsOf } from './plan';

type OriginalPorts = Pick<Brain, 'catalog' | 'vault' | 'pace' | 'log' | 'clock'>;

/** What an original held when it was read. */
interface Known {
  readonly stat: FileStat;
  readonly hash: Sha;
}

/** Originals are many and large and hardly ever change, so each is read once in a session. */
const knowns = new WeakMap<Catalog, Map<VaultPath, Known>>();

/** Every file that is kept as an original, sorted. What was remembered of others is forgotten. */
function storedOriginals({ catalog }: Pick<Brain, 'catalog'>): VaultPath[] {
  const paths = catalog.pathsBelow(`${PROCESSED}/`);
  const standing = new Set(paths);
  const known = knowns.get(catalog);
  for (const path of known?.keys() ?? []) if (!standing.has(path)) known?.delete(path);
  return paths;
}

/** Looks through the originals until one of each hash is found; one that cannot be read is passed over. */
async function originalsOfHash(
  brain: OriginalPorts,
  paths: readonly VaultPath[],
  hashes: ReadonlySet<Sha>,
  { signal, progress }: Watch,
): Promise<Map<Sha, VaultPath>> {
  const found = new Map<Sha, VaultPath>();
  if (hashes.size === 0) return found;
  for (const [done, path] of paths.entries()) {
    if (found.size === hashes.size || signal?.stopped === true) break;
    progress?.({ done, total: paths.length });
    const hash = await originalHash(brain, path);
    if (hash !== null && hashes.has(hash) && !found.has(hash)) found.set(hash, path);
  }
  return found;
}

/** The hash of an original as it stands; null when it is gone, too large or cannot be read. */
async function originalHash(brain: OriginalPorts, path: VaultPath): Promise<Sha | null> {
  const { catalog, vault, pace, clock } = brain;
  const settled = clock.now().getTime() - TICK_MS;
  const stat = await originalStat(brain, path);
  if (stat === null || stat.size > MAX_FILE_BYTES) return null;
  const known = knowns.get(catalog) ?? new Map<VaultPath, Known>();
  knowns.set(catalog, known);
  const before = await pace.run(() => known.get(path));
  if (before !== undefined && sameStat(before.stat, stat)) return before.hash;
  const bytes = await orPassedOver(brain, path, vault.readBytes(path, MAX_FILE_BYTES));
  if (bytes === null) return null;
  const hash = await inSlices(sha256Steps(bytes), pace);
  // One that was changed right before it was looked at may be changed again without its times telling.
  if (lastChanged(stat) < settled) known.set(path, { stat, hash });
  return hash;
}

/** Time and size of an original; null when it is gone or cannot be looked at. */
function originalStat(brain: Pick<Brain, 'vault' | 'log'>, path: VaultPath): Promise<FileStat | null> {
  return orPassedOver(brain, path, brain.vault.stat(path));
}

/** What the vault answers; null, with a line in the log, when it fails: one original must not hide all others. */
async function orPassedOver<T>(
  { log }: Pick<Brain, 'log'>,
  path: VaultPath,
  answer: Promise<T | null>,
): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    log.warn('backfill.original', { path, message: String(error) });
    return null;
  }
}

/** What proves that a note came from a source, in the order in which it is looked for. */
const EVIDENCE = ['ledger', 'source_hash', 'property', 'source_note', 'source_line'] as const;
type Evidence = (typeof EVIDENCE)[number];

/** A reference that a note ought to have, and what proves it. */
interface ProvenReference {
  readonly reference: string;
  readonly evidence: Evidence;
}

/** What is known of all sources, gathered once for many notes. */
interface KnownOrigins {
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

type EvidencePorts = Pick<Brain, 'catalog' | 'vault' | 'state' | 'clock' | 'device' | 'pace' | 'log'>;

/** The end of the name of a kept text. */
const KEPT_TEXT = /-([0-9a-f]{8})\.txt$/;

/**
 * Reads the ledger of all devices and what else says where notes came from: also the originals that are kept, when `notes` name
 * hashes that nothing else explains. Call it without the writer held, as these may be many.
 * @param watch told of the originals, when there are any to look through
 */
async function knownOrigins(
  brain: EvidencePorts,
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
  for (const path of storedOriginals(brain)) {
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
async function provenReferences(
  brain: EvidencePorts,
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
async function entryReferences(brain: EvidencePorts, { original, source }: LedgerEntry): Promise<string[]> {
  const stands = original !== null && (await originalStat(brain, original)) !== null;
  const label = source === null ? null : labelReference(brain, source);
  return [
    ...(stands ? [sourceReference(original, fileName(original))] : []),
    ...(label === null ? [] : [label]),
  ];
}

/** The source with this hash: by the ledger, by the original that was kept, by other notes that were made of it. */
async function hashReferences(
  brain: EvidencePorts,
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
function sourceNotes(catalog: LinkTargets & EvidencePorts['catalog'], note: NoteRecord): string[] {
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

const input = z.strictObject({
  wing: wingField.optional(),
  hall: hallField.optional(),
  dry_run: dryRunField,
});

const changeShape = z.object({
  path: pathShape,
  added: z.array(z.string()).describe('Elements of sources'),
  evidence: z.array(z.enum(EVIDENCE)).describe('What proves each of them, in the same order'),
});

const output = z.object({
  scanned: countShape,
  updated: countShape,
  already: countShape.describe('Notes that lack none of their sources'),
  unresolved: countShape.describe('Notes without sources of which nothing proves any'),
  changes: z.array(changeShape),
  errors: z.array(z.object({ path: pathShape, error: z.string() })),
});

type Result = z.input<typeof output>;

/**
 * Adds to the notes of the wiki and of `knowledge/` the references to their sources that they lack, as far as something proves
 * them: the ledger, the hash of the original, their own properties, links to notes in the hall of sources, a line `Source:`.
 * Doing it again changes nothing. A note that cannot be changed is listed and does not stop the others; an original that
 * cannot be read proves nothing, which is logged.
 */
export const backfillRefs = operation({
  name: 'backfill_refs',
  scope: 'write',
  mutates: true,
  input,
  output,
  async run(brain, { wing: wingName, hall, dry_run: dryRun = false }, caller, watch = {}) {
    const wing = wingName === undefined ? null : wingKey(wingFolder(brain, wingName));
    const notes = [...brain.catalog.notes('wiki'), ...brain.catalog.notes('knowledge')].filter(
      (note) =>
        (wing === null || (note.wing !== null && wingKey(note.wing) === wing)) &&
        (hall === undefined || note.hall === hall),
    );
    // All that is looked at: the originals, where any have to be, and then the notes.
    let originals = 0;
    const known = await knownOrigins(brain, notes, {
      signal: watch.signal,
      progress({ done, total }) {
        originals = total;
        watch.progress?.({ done, total: total + notes.length });
      },
    });
    const result: Result = {
      scanned: 0,
      updated: 0,
      already: 0,
      unresolved: 0,
      changes: [],
      errors: [],
    };
    for (const [done, note] of notes.entries()) {
      if (watch.signal?.stopped === true) break;
      watch.progress?.({ done: originals + done, total: originals + notes.length });
      result.scanned += 1;
      const outcome = await backfill(brain, note, known, { dryRun, caller });
      if (typeof outcome === 'string') result[outcome] += 1;
      else if ('error' in outcome) result.errors.push({ path: note.path, error: outcome.error });
      else {
        result.updated += 1;
        result.changes.push({ path: note.path, ...outcome });
      }
    }
    return result;
  },
});

type Outcome =
  | 'already'
  | 'unresolved'
  | { readonly error: string }
  | { readonly added: string[]; readonly evidence: Evidence[] };

async function backfill(
  brain: Brain,
  note: NoteRecord,
  known: KnownOrigins,
  { dryRun, caller }: { readonly dryRun: boolean; readonly caller: Caller },
): Promise<Outcome> {
  try {
    return await changeVault(brain, () => planned(brain, note, known, caller), { dryRun });
  } catch (error) {
    if (error instanceof BrainError) return { error: error.message };
    throw error;
  }
}

async function planned(
  brain: Brain,
  note: NoteRecord,
  known: KnownOrigins,
  caller: Caller,
): Promise<Change<Outcome>> {
  const text = await brain.vault.read(note.path);
  if (text === null) return { plan: null, result: { error: `${note.path} is gone since it was read.` } };
  const { body, frontmatter } = parseNote(text);
  const proven = await provenReferences(brain, { ...note, frontmatter }, body, known);
  const changed = withReferences(
    text,
    proven.map(({ reference }) => reference),
    brain.catalog,
  );
  const { added } = changed;
  if (added.length === 0) {
    const has = proven.length > 0 || listOf(frontmatter.sources).length > 0;
    return { plan: null, result: has ? 'already' : 'unresolved' };
  }
  if (isLocked(text)) {
    const error = `It is locked by its owner ("locked: true"), so ${added.join(', ')} was not added.`;
    return { plan: null, result: { error } };
  }
  const evidence = added.flatMap(
    (each) => proven.find(({ reference }) => reference === each)?.evidence ?? [],
  );
  const step = { kind: 'edit', path: note.path, before: sha256(text), text: changed.text } as const;
  const addition = additionsOf(brain, [{ edit: step, added }], caller);
  return {
    prepare: () => addition.record(),
    failed: () => addition.takeBack(),
    plan: { op: 'backfill-refs', steps: [step] },
    result: { added, evidence },
    absent: 'note_not_found',
  };
}
