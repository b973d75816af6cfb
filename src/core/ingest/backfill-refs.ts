import * as z from 'zod';
import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256, sha256Steps } from '../base/hash';
import { inSlices, type Watch } from '../base/steps';
import type { NoteRecord } from '../catalog/record';
import { TICK_MS } from '../catalog/snapshot';
import { wingKey } from '../catalog/wings';
import { PROCESSED } from '../documents/paths';
import { MAX_FILE_BYTES } from '../documents/ports';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import { linkTo, readReference } from '../links/references';
import { type LinkTargets, resolveLink } from '../links/resolve';
import { isRelative } from '../markdown/address';
import { parseMarkdown } from '../markdown/parse';
import { wingFolder } from '../notes/targets';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField, hallField, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { mayChange } from '../operation/owner';
import { countShape, pathShape } from '../operation/shapes';
import { type FileStat, lastChanged, sameStat } from '../ports/ports';
import { allOrigins } from '../past/origins';
import { labelReference, listOf, sourceReference, withReferences } from '../sources/source-references';
import type { LedgerEntry } from '../storage/ledger';
import { fileName, type VaultPath } from '../vocabulary/paths';
import { isOfPipeline } from '../vocabulary/envelope';
import { additionsOf } from './batch';

type OriginalPorts = Pick<Brain, 'originals' | 'vault' | 'pace' | 'log' | 'clock'>;

/** Returns the path of every original, sorted. Hashes of removed originals are dropped. */
function storedOriginals({
  catalog,
  originals: { hashes },
}: Pick<Brain, 'catalog' | 'originals'>): VaultPath[] {
  const paths = catalog.pathsBelow(`${PROCESSED}/`);
  const existing = new Set(paths);
  for (const path of hashes.keys()) if (!existing.has(path)) hashes.delete(path);
  return paths;
}

/** Reads originals until one with each hash is found. One that cannot be read is skipped. */
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

/** Returns the current hash of an original; null when it is gone, too large or cannot be read. */
async function originalHash(brain: OriginalPorts, path: VaultPath): Promise<Sha | null> {
  const { originals, vault, pace, clock } = brain;
  const settled = clock.now().getTime() - TICK_MS;
  const stat = await originalStat(brain, path);
  if (stat === null || stat.size > MAX_FILE_BYTES) return null;
  const before = await pace.run(() => originals.hashes.get(path));
  if (before !== undefined && sameStat(before.stat, stat)) return before.hash;
  const bytes = await orSkipped(brain, path, vault.readBytes(path, MAX_FILE_BYTES));
  if (bytes === null) return null;
  const hash = await inSlices(sha256Steps(bytes), pace);
  // A file that changed right before the read may change again within the resolution of its times, so its hash is not cached.
  if (lastChanged(stat) < settled) originals.hashes.set(path, { stat, hash });
  return hash;
}

/** Returns time and size of an original; null when it is gone or cannot be read. */
function originalStat(brain: Pick<Brain, 'vault' | 'log'>, path: VaultPath): Promise<FileStat | null> {
  return orSkipped(brain, path, brain.vault.stat(path));
}

/** Returns the answer of the vault; null when it fails, which is logged: one original must not hide the others. */
async function orSkipped<T>(
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

/** The kinds of evidence that a note came from a source, in the order of the search. */
const EVIDENCE = ['ledger', 'source_hash', 'property', 'source_note', 'source_line'] as const;
type Evidence = (typeof EVIDENCE)[number];

/** A reference that a note should have, and its evidence. */
interface ProvenReference {
  readonly reference: string;
  readonly evidence: Evidence;
}

/** The facts about all sources, collected once for many notes. */
interface KnownOrigins {
  readonly entries: ReadonlyMap<Sha, LedgerEntry>;
  readonly byPage: ReadonlyMap<VaultPath, readonly (readonly [Sha, LedgerEntry])[]>;
  /** For promoted notes, the path in the queue. */
  readonly origins: ReadonlyMap<VaultPath, VaultPath>;
  /** Paths in the queue that more than one existing note has or had: they are ambiguous. */
  readonly reused: ReadonlySet<VaultPath>;
  /** Kept texts, by the first eight digits of their hash. */
  readonly kept: ReadonlyMap<string, readonly VaultPath[]>;
  /** Originals with file names of their own, by hash: those that nothing else refers to. */
  readonly originals: ReadonlyMap<Sha, VaultPath>;
}

type EvidencePorts = Pick<
  Brain,
  'originals' | 'catalog' | 'vault' | 'state' | 'clock' | 'ledger' | 'pace' | 'log' | 'past'
>;

/** Matches the end of the name of a kept text. */
const KEPT_TEXT = /-([0-9a-f]{8})\.txt$/;

/**
 * Collects the facts about where notes came from: the ledger of all devices, the queue names of promoted notes and, when
 * `notes` have hashes that nothing else explains, the kept originals. May take long: call it without the writer lock.
 * @param watch receives the progress over the originals, when any have to be read
 */
async function knownOrigins(
  brain: EvidencePorts,
  notes: readonly NoteRecord[],
  watch: Watch,
): Promise<KnownOrigins> {
  const entries = new Map(await brain.ledger.entries());
  const byPage = new Map<VaultPath, (readonly [Sha, LedgerEntry])[]>();
  for (const known of entries) {
    for (const page of known[1].pages) byPage.set(page, [...(byPage.get(page) ?? []), known]);
  }
  const origins = await allOrigins(await brain.past.read());
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
 * Returns the references that a note should have, each with its first evidence. Similarity is no evidence.
 * @param body the body of the note on the disk
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
  const values = [source, source_url, url].flatMap(listOf);
  add(
    'property',
    values.flatMap((value) => labelReference(brain, value) ?? []),
  );
  add('source_note', sourceNotes(brain.catalog, note));
  add(
    'source_line',
    sourceLines(body).flatMap((value) => labelReference(brain, value) ?? []),
  );
  return found;
}

/**
 * Returns the ledger entries of a note, by its path and by its path in the queue. A queue path is free again after a promotion
 * or a rejection, and the ledger does not tell whose it was: a note with a source hash gets only entries of that hash by it.
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

/** Returns the original, if it still exists, and the address of the source. */
async function entryReferences(brain: EvidencePorts, { original, source }: LedgerEntry): Promise<string[]> {
  const stands = original !== null && (await originalStat(brain, original)) !== null;
  const label = source === null ? null : labelReference(brain, source);
  return [
    ...(stands ? [sourceReference(original, fileName(original))] : []),
    ...(label === null ? [] : [label]),
  ];
}

/**
 * Returns references to the source with this hash: from the ledger, from a kept original, or from other notes of the same
 * source.
 */
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

/** Returns the reference of a sibling to the common original; its other references may be to other sources. */
function originalsOf(sources: unknown): string[] {
  const [first] = listOf(sources);
  return first === undefined || readReference(first).kind === 'address' ? [] : [first];
}

/** Returns the notes in a `sources` hall that a note links to. */
function sourceNotes(catalog: LinkTargets & EvidencePorts['catalog'], note: NoteRecord): string[] {
  return note.links.flatMap(({ target, kind }) => {
    const found = resolveLink(target, note, catalog, isRelative({ kind }));
    if (found.status !== 'resolved' || catalog.record(found.path)?.hall !== 'sources') return [];
    return linkTo(found.path, catalog.title(found.path)) ?? [];
  });
}

const SOURCE_LINE = /^[\s>*_-]*sources?[*_]*:[*_]*\s*(\S.*)$/i;
/**
 * Matches a wikilink or an address, possibly that of a Markdown link, at the beginning. Only opening quotes, brackets and
 * emphasis may precede it: words may say anything about what they name.
 */
const NAMED =
  /^[\s<([!*_`"'“”„‘’‚«»‹›（［「『【〈《〔]*?(?:(\[\[[^\][|\n]+(?:\|[^\][\n]*)?\]\])|(\[[^\][\n]*\]\(<?|<)?(https?:\/\/[^\s"<>[\]\\^`{|}]+))/i;
/** Marks that end a bare address: Chinese and Japanese need no space after it. */
const WIDE_MARKS = /[“”„«»‹›、。，．：；！？（）［］｛｝「」『』【】〈〉《》〔〕｡､｢｣]/;

/** Returns the address or link right after `Source:` at the beginning of each line of prose. */
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
 * Cuts an address before a bracket that closes an outer one, and before marks that end a sentence, a quote or an emphasis.
 * @param isEnclosed true when Markdown syntax delimits the address
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
  // A loop, because a regular expression takes quadratic time on a long run.
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
 * Adds missing references to sources to the notes of the wiki and of `knowledge/`, as far as there is evidence: the ledger, the
 * hash of the original, their properties, links to notes in `sources` halls, a line `Source:`. Idempotent. A note that cannot
 * be changed is listed and does not stop the others. An original that cannot be read is logged and proves nothing.
 */
export const backfillRefs = operation({
  name: 'backfill_refs',
  scope: 'write',
  mutates: true,
  keyed: 'none',
  whole: true,
  input,
  output,
  async run(brain, { wing: wingName, hall, dry_run: dryRun = false }, caller, watch = {}) {
    const wing = wingName === undefined ? null : wingKey(wingFolder(brain, wingName));
    const notes = [...brain.catalog.notes('wiki'), ...brain.catalog.notes('knowledge')].filter(
      (note) =>
        (wing === null || (note.wing !== null && wingKey(note.wing) === wing)) &&
        (hall === undefined || note.hall === hall),
    );
    // The total of the progress: originals that have to be read, then the notes.
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
  if (!mayChange(caller, { path: note.path, frontmatter })) {
    const error = `It is a note of the owner, so ${added.join(', ')} was not added.`;
    return { plan: null, result: { error } };
  }
  if (isLocked(text)) {
    const error = `It is locked by its owner ("locked: true"), so ${added.join(', ')} was not added.`;
    return { plan: null, result: { error } };
  }
  const evidence = added.flatMap(
    (each) => proven.find(({ reference }) => reference === each)?.evidence ?? [],
  );
  const step = { kind: 'edit', path: note.path, before: sha256(text), text: changed.text } as const;
  const { data } = additionsOf([{ edit: step, added }], caller);
  return {
    plan: { op: 'backfill-refs', steps: [step], data },
    result: { added, evidence },
    absent: 'note_not_found',
    forOwner: actsForOwner(caller),
  };
}
