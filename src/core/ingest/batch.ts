import { allows, type Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import type { StopSignal } from '../base/host';
import { apart, inSlices, refuseStopped } from '../base/steps';
import { localDate } from '../base/time';
import { CONTENT_KEY } from '../catalog/content-key';
import { PROCESSED } from '../documents/paths';
import type { Composed } from '../frontmatter/compose';
import { isLocked } from '../frontmatter/note-lock';
import { callerText } from '../frontmatter/yaml';
import type { Gated } from '../gate/gate';
import { hasFragment } from '../links/headings';
import { newReferences, readReference, withPage } from '../links/references';
import { retargetProperties } from '../links/properties';
import { foldLink, type LinkTargets, titleKey, withLookups } from '../links/resolve';
import { FACTS, type MarkdownFacts } from '../markdown/facts';
import { linkedPage } from '../extraction/page';
import { gateBody, recordingTargets } from '../notes/content';
import { isRelative, pathAddress } from '../markdown/address';
import { withFound } from '../notes/properties';
import type { Arrival } from '../operation/sent';
import { similarNotes } from '../notes/similar';
import { wingFinder } from '../notes/targets';
import type { Brain } from '../operation/context';
import { firstNumber, mayWrite, heldName } from '../operation/limits';
import { mayChangeText } from '../operation/owner';
import type { IngestedPage } from '../operation/shapes';
import { dataOfAdditions } from '../sources/additions';
import { labelReference, listOf, withReferences } from '../sources/source-references';
import type { EventData } from '../storage/event-data';
import type { CreateStep, EditStep } from '../storage/plan';
import { notePath, numbered, rawPath, slugify } from '../vocabulary/address';
import { isRejection } from '../catalog/record';
import { fold, folderOf, linkPath, stemOf, type VaultPath } from '../vocabulary/paths';
import { type BatchPage, composePage, type MadePages, PageProblems, type PageSource } from './pages';
import type { IngestRequest, Siblings } from './request';

/** A page of a batch as a link target: the page at its new path, or the existing note that replaces it. */
interface LinkedPage {
  /** Its position in the batch, from 0. */
  readonly index: number;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly path: VaultPath;
  /** True when it is or will be in the review queue. */
  readonly queued: boolean;
  /** Null for an existing note, whose facts the catalog has. */
  readonly facts: Pick<MarkdownFacts, 'headings' | 'blockIds'> | null;
}

const NO_CONTENT = sha256('');

/**
 * Returns a function that adds the pages of a batch to link targets: by title, alias, name or path, before every note of the
 * vault. A page of the wiki may not link to one in the review queue.
 * @param fromQueue true for the links of a page that goes to the queue
 */
function batchTargets(
  pages: readonly LinkedPage[],
  fromQueue: boolean,
): (targets: LinkTargets) => LinkTargets {
  const names = new Map<string, Set<VaultPath>>();
  const byIndex = new Map<number, LinkedPage>();
  const byPath = new Map<string, LinkedPage>();
  const name = (key: string, { path }: LinkedPage): void => {
    const paths = names.get(key) ?? new Set();
    names.set(key, paths.add(path));
  };
  for (const page of pages) {
    if (page.queued && !fromQueue) continue;
    byPath.set(linkPath(page.path), page);
    byIndex.set(page.index, page);
    for (const title of [page.title, ...page.aliases, stemOf(page.path)]) {
      name(titleKey(title), page);
      name(`slug:${slugify(title, NO_CONTENT)}`, page);
    }
  }
  const at = (path: string): VaultPath | null => byPath.get(linkPath(path))?.path ?? null;
  return (targets) =>
    withLookups(targets, {
      has: (path) => at(path) ?? targets.has(path),
      admits: (path) => at(path) ?? targets.admits?.(path) ?? null,
      within(target, relative, path) {
        const linked = byIndex.get(linkedPage(target) ?? -1)?.path;
        if (linked === undefined) return targets.within?.(target, relative, path) ?? null;
        return linked === path
          ? { status: 'self', path: linked }
          : { status: 'resolved', path: linked, tier: 'exact' };
      },
      candidates(tier, key) {
        const own =
          tier === 'suffix' ? undefined : names.get(tier === 'slug' ? `slug:${key}` : foldLink(key));
        return own === undefined ? targets.candidates(tier, key) : [...own];
      },
      holds(path, fragment) {
        const facts = byPath.get(linkPath(path))?.facts ?? null;
        if (facts === null) return targets.holds(path, fragment);
        return hasFragment(facts.headings, facts.blockIds, fragment);
      },
      title: (path) => byPath.get(linkPath(path))?.title ?? targets.title(path),
    });
}

/** A page to create. */
interface NewPage {
  readonly page: BatchPage;
  readonly path: VaultPath;
  readonly gated: Gated;
  /** The facts of the gated body. */
  readonly facts: MarkdownFacts;
}

/** A page whose text exists already. */
type Duplicate =
  | { readonly page: BatchPage; readonly kind: 'duplicate'; readonly of: VaultPath }
  | { readonly page: BatchPage; readonly kind: 'rejected_before'; readonly of: VaultPath }
  | { readonly page: BatchPage; readonly kind: 'same_batch'; readonly of: BatchPage };

interface ResolvedBatch {
  readonly fresh: readonly NewPage[];
  readonly duplicates: readonly Duplicate[];
  /** Duplicates that are created all the same, with the reason. */
  readonly kept: ReadonlyMap<BatchPage, string>;
  /** Pages whose supplied name belongs to another note. */
  readonly taken: readonly { readonly page: BatchPage; readonly error: BrainError }[];
  /**
   * Returns true while the vault still fits the result: the paths are free, link targets exist, and duplicates are the same. The
   * paths are reserved then, until `releasePages`. Fast, whatever the size of the pages.
   */
  stillHolds(): Promise<boolean>;
}

interface ResolveOptions {
  readonly blind: boolean;
  readonly sourceHash: Sha | null;
  readonly signal?: StopSignal | undefined;
  readonly siblings?: Siblings | undefined;
}

/** The number of passes over a batch: one, and further ones when a linked page turned out to be a duplicate. */
const MAX_ROUNDS = 3;

/**
 * Assigns paths to the pages of a batch, gates their links, and finds duplicates of notes and of other pages. Slow: call it
 * without the writer lock; with the lock held, `stillHolds` tells whether the result is valid.
 * | A duplicate gives up its path, and links to it lead to the existing note. That can change the text of pages that link to
 * it, so those are gated again, in at most three rounds. A duplicate that is found in the last round is omitted when no created
 * page links to it; otherwise it is created, so that no link breaks.
 * @param blind as for `gateBody`
 * @throws BrainError `busy` when `signal` stops
 */
async function resolveBatch(
  brain: Brain,
  given: readonly BatchPage[],
  { blind, sourceHash, signal, siblings }: ResolveOptions,
): Promise<ResolvedBatch> {
  const { revision } = brain.whole.catalog;
  const pages = await withExistingWings(brain, given);
  const duplicates = new Map<BatchPage, Duplicate>();
  let gated = new Map<BatchPage, GatedPage>();
  let previous = new Map<VaultPath, LinkedPage>();
  for (let round = 1; ; round += 1) {
    const open = pages.filter((page) => !duplicates.has(page));
    const places = await placesOf(brain, open, sourceHash, siblings);
    const linked = linkedPages(brain, places, duplicates);
    const standing = new Map(linked.map((page) => [page.path, page]));
    const moved = movedPaths(previous, standing);
    previous = standing;
    const addTargets = (fromQueue: boolean) => {
      // A single page has no other page to link to.
      const own = linked.length < 2 ? undefined : batchTargets(linked, fromQueue);
      const others = siblings?.targets(fromQueue);
      if (own === undefined || others === undefined) return own ?? others;
      return (targets: LinkTargets) => own(others(targets));
    };
    const targets = { queued: addTargets(true), placed: addTargets(false) };
    const now = new Map(gated);
    const keys = new Map<Sha, BatchPage>();
    const found = new Map<BatchPage, Duplicate>();
    for (const { page, path } of places) {
      refuseStopped(signal);
      const before = gated.get(page);
      const isSame = before?.path === path && !haveCommon(before.seen, moved);
      const each = isSame
        ? before
        : await gatedPage(brain, page, path, page.queued ? targets.queued : targets.placed, blind);
      now.set(page, each);
      const earlier = keys.get(each.key);
      // Pages of other sources may link to an assigned address, so the page is created.
      const isAssigned = siblings?.pathOf(page.index) === path;
      const duplicate: Duplicate | null = isAssigned
        ? null
        : earlier === undefined
          ? existingDuplicate(brain, page, each.key)
          : { page, kind: 'same_batch', of: earlier };
      if (duplicate === null) keys.set(each.key, page);
      else found.set(page, duplicate);
    }
    gated = now;
    const isLast = found.size === 0 || round === MAX_ROUNDS;
    const kept = isLast ? stillLinked(open, found, gated) : new Set<BatchPage>();
    for (const [page, duplicate] of found) if (!kept.has(page)) duplicates.set(page, duplicate);
    if (!isLast) continue;
    const left = places.filter(({ page }) => !duplicates.has(page));
    return {
      fresh: left.flatMap(({ page }) => gated.get(page) ?? []),
      duplicates: [...duplicates.values()],
      kept: new Map(
        [...found].flatMap(([page, duplicate]) => (kept.has(page) ? [[page, whyKept(duplicate)]] : [])),
      ),
      taken: left.flatMap(({ page, error }) => (error === null ? [] : [{ page, error }])),
      stillHolds: () =>
        stillHolds(brain, { revision, sourceHash, pages, duplicates, gated, kept, left, siblings }),
    };
  }
}

/** A page that has passed the gate. */
interface GatedPage extends NewPage {
  readonly key: Sha;
  /** The files that its links may lead to. */
  readonly seen: ReadonlySet<VaultPath>;
}

/** Returns the paths at which links of the batch lead to another page than in the previous round. */
function movedPaths(
  previous: ReadonlyMap<VaultPath, LinkedPage>,
  now: ReadonlyMap<VaultPath, LinkedPage>,
): Set<VaultPath> {
  const moved = new Set<VaultPath>();
  for (const path of [...previous.keys(), ...now.keys()]) {
    const [one, other] = [previous.get(path), now.get(path)];
    if (one?.facts !== other?.facts || one?.title !== other?.title || one?.queued !== other?.queued)
      moved.add(path);
  }
  return moved;
}

function haveCommon<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  for (const each of few) if (many.has(each)) return true;
  return false;
}

/** Returns the duplicates that a created page may reach by links, directly or through other duplicates. */
function stillLinked(
  open: readonly BatchPage[],
  found: ReadonlyMap<BatchPage, Duplicate>,
  gated: ReadonlyMap<BatchPage, GatedPage>,
): Set<BatchPage> {
  const kept = new Set<BatchPage>();
  const at = new Map([...found.keys()].map((page) => [gated.get(page)?.path, page]));
  const written = open.filter((page) => !found.has(page));
  for (let page = written.pop(); page !== undefined && at.size > 0; page = written.pop()) {
    const seen = gated.get(page)?.seen;
    for (const [path, other] of at) {
      if (path === undefined || seen?.has(path) !== true) continue;
      at.delete(path);
      kept.add(other);
      written.push(other);
    }
  }
  return kept;
}

function whyKept(duplicate: Duplicate): string {
  const which = duplicate.kind === 'same_batch' ? `the page "${duplicate.of.title}"` : duplicate.of;
  return `It says what ${which} says, but too many pages of the batch hang on each other by their links for it to be left out, so it was written all the same.`;
}

/** What a batch was resolved to, and from which state of the catalog. */
interface Resolution {
  readonly revision: number;
  readonly sourceHash: Sha | null;
  readonly pages: readonly BatchPage[];
  readonly duplicates: ReadonlyMap<BatchPage, Duplicate>;
  readonly gated: ReadonlyMap<BatchPage, GatedPage>;
  readonly kept: ReadonlySet<BatchPage>;
  readonly left: readonly PlacedPage[];
  readonly siblings: Siblings | undefined;
}

async function stillHolds(brain: Brain, resolved: Resolution): Promise<boolean> {
  const { catalog } = brain.whole;
  const { revision, sourceHash, pages, left, siblings } = resolved;
  for (const { page, path, error } of left) {
    if (error !== null || siblings?.pathOf(page.index) === path) continue;
    if (isReserved(brain, page, path, sourceHash)) return false;
    // A folder that is being planned chooses another path from now on.
    if (sourceHash !== null) catalog.reserved.take(path, pageOwner(sourceHash, page.index, path));
  }
  if (catalog.revision === revision) return true;
  // A taken name that the caller supplied is an error, which this does not change.
  if (left.some(({ path, error }) => error === null && catalog.taken(path) !== null)) return false;
  const find = wingFinder(brain);
  for (const wing of new Set(pages.map((page) => page.wing)))
    if (wing !== undefined && (await find(wing)) !== wing) return false;
  return duplicatesHold(brain, resolved) && targetsHold(brain, resolved);
}

function duplicatesHold(brain: Brain, { pages, duplicates, gated, kept, siblings }: Resolution): boolean {
  return pages.every((page) => {
    const { key, path } = gated.get(page) ?? {};
    const duplicate = duplicates.get(page);
    if (key === undefined || kept.has(page) || duplicate?.kind === 'same_batch') return true;
    if (siblings?.pathOf(page.index) === path) return true;
    const now = existingDuplicate(brain, page, key);
    return now?.kind === duplicate?.kind && now?.of === duplicate?.of;
  });
}

function targetsHold({ whole: { catalog } }: Brain, { gated, left, siblings }: Resolution): boolean {
  const own = new Set(left.map(({ path }) => path));
  for (const { page } of left)
    for (const path of gated.get(page)?.seen ?? []) {
      const isExpected = own.has(path) || siblings?.promises(path) === true;
      if (!isExpected && catalog.covers(path) && catalog.taken(path) !== path) return false;
    }
  return true;
}

/** Returns the pages with their wings spelled like the existing folders, which may have changed while the pages were made. */
async function withExistingWings(brain: Brain, pages: readonly BatchPage[]): Promise<BatchPage[]> {
  const find = wingFinder(brain);
  const found: BatchPage[] = [];
  for (const page of pages) {
    const wing = page.wing === undefined ? undefined : await find(page.wing);
    found.push(wing === page.wing ? page : { ...page, wing });
  }
  return found;
}

/** The path of a page; `error` when its supplied name belongs to another note. */
interface PlacedPage {
  readonly page: BatchPage;
  readonly path: VaultPath;
  readonly error: BrainError | null;
}

async function placesOf(
  brain: Brain,
  pages: readonly BatchPage[],
  sourceHash: Sha | null,
  siblings: Siblings | undefined,
): Promise<PlacedPage[]> {
  const date = localDate(brain.clock.now());
  const used = new Set<string>();
  const places: PlacedPage[] = [];
  const { reserved } = brain.whole.catalog;
  for (const page of pages) {
    const first = pathOf(page, date, 1);
    const assigned = siblings?.pathOf(page.index) ?? reserved.of(pageOwner(sourceHash, page.index, first));
    // A text that has changed since its address was assigned may belong into another folder.
    const fits = assigned !== null && folderOf(assigned) === folderOf(first);
    if (assigned !== null && fits && (await ownerOf(brain, assigned)) === null) {
      used.add(fold(assigned));
      places.push({ page, path: assigned, error: null });
    } else places.push(await placeOf(brain, page, { date, used, sourceHash }));
  }
  return places;
}

/** Returns true when the path is promised to another page. A name that the caller supplied goes before a promise. */
function isReserved(
  { whole: { catalog } }: Pick<Brain, 'whole'>,
  page: BatchPage,
  path: VaultPath,
  sourceHash: Sha | null,
): boolean {
  if (page.named && !page.queued) return false;
  return catalog.reserved.isForOther(path, pageOwner(sourceHash, page.index, path));
}

async function placeOf(
  brain: Brain,
  page: BatchPage,
  { date, used, sourceHash }: { date: string; used: Set<string>; sourceHash: Sha | null },
): Promise<PlacedPage> {
  const wanted = pathOf(page, date, 1);
  const held = page.named && !page.queued ? heldName(brain, wanted) : null;
  if (held !== null) return { page, path: wanted, error: held };
  for (let n = firstNumber(brain, wanted); ; n += 1) {
    const path = pathOf(page, date, n);
    if (isReserved(brain, page, path, sourceHash)) continue;
    const standing = await ownerOf(brain, path);
    const isFree = standing === null && !used.has(fold(path));
    if (!isFree && (!page.named || page.queued)) continue;
    used.add(fold(path));
    return { page, path, error: isFree ? null : nameTaken(standing ?? path) };
  }
}

/** Returns the path of the file that has a name already; null when the name is free. */
async function ownerOf(
  { whole: { catalog, vault } }: Pick<Brain, 'whole'>,
  path: VaultPath,
): Promise<VaultPath | null> {
  return catalog.taken(path) ?? ((await vault.stat(path)) === null ? null : path);
}

/** Releases the paths of the pages of a source that came alone, once they exist or cannot be written. */
export function releasePages(
  { clock, whole: { catalog } }: Pick<Brain, 'clock' | 'whole'>,
  { pages, terms }: Pick<MadePages, 'pages' | 'terms'>,
): void {
  const date = localDate(clock.now());
  for (const page of pages) {
    catalog.reserved.release(pageOwner(terms.sourceHash, page.index, pathOf(page, date, 1)));
  }
}

/**
 * Returns the name under which a path is reserved for a page of a source. The folder of the path is part of it: one file may be
 * planned for several wings at once.
 */
export function pageOwner(sourceHash: Sha | null, index: number, path: VaultPath): string {
  return `${sourceHash ?? ''}:${index}:${fold(folderOf(path))}`;
}

/** Returns the n-th path to try for a page. */
export function pathOf(
  { wing, hall, stem, queued }: Pick<BatchPage, 'wing' | 'hall' | 'stem' | 'queued'>,
  date: string,
  n: number,
): VaultPath {
  if (queued || wing === undefined || hall === undefined) return rawPath(date, stem, n);
  return notePath({ wing, hall, slug: numbered(stem, n) });
}

function nameTaken(path: VaultPath): BrainError {
  return new BrainError(
    'note_exists',
    `There is already another note at ${path}. Choose another slug, or leave it out to have one made.`,
    { path },
  );
}

function linkedPages(
  brain: Brain,
  places: readonly PlacedPage[],
  duplicates: ReadonlyMap<BatchPage, Duplicate>,
): LinkedPage[] {
  const pathsOf = new Map(places.map(({ page, path }) => [page, path]));
  const open = places.map(({ page, path }): LinkedPage => {
    const { index, title, queued, facts } = page;
    return { index, title, aliases: aliasesOf(page), path, queued, facts };
  });
  const known = [...duplicates.values()].flatMap((duplicate): LinkedPage[] => {
    const { index, title } = duplicate.page;
    if (duplicate.kind === 'rejected_before') return [];
    if (duplicate.kind === 'duplicate') {
      const queued = brain.catalog.record(duplicate.of)?.status === 'raw';
      return [{ index, title, aliases: [], path: duplicate.of, queued, facts: null }];
    }
    const path = pathsOf.get(duplicate.of);
    if (path === undefined) return [];
    return [{ index, title, aliases: [], path, queued: duplicate.of.queued, facts: null }];
  });
  // Of two entries with one path, the last one wins.
  return [...known, ...open];
}

/** Returns the other link names of a page: its aliases, and its first heading. */
export function aliasesOf({ page, opened, facts: { h1 } }: BatchPage): string[] {
  const given = [...(page.aliases ?? []), ...listOf(opened.frontmatter.aliases)];
  return h1 === null ? given : [...given, h1];
}

async function gatedPage(
  brain: Brain,
  page: BatchPage,
  path: VaultPath,
  addTargets: (targets: LinkTargets) => LinkTargets = (targets) => targets,
  blind = false,
): Promise<GatedPage> {
  const { opened, facts: before, wing, hall } = page;
  const seen = new Set<VaultPath>();
  const gated = await gateBody(
    brain,
    { body: opened.body, from: { path, wing: wing ?? null, hall: hall ?? null }, mode: 'full', blind },
    (targets) => recordingTargets(brain.catalog, addTargets(targets), seen),
  );
  // Parsing a long body is slow, and the gate leaves most bodies unchanged.
  const facts = gated.body === opened.body ? before : await inSlices(apart(FACTS, gated.body), brain.pace);
  const key = await inSlices(
    apart(CONTENT_KEY, { body: gated.body, title: opened.frontmatter.title }),
    brain.pace,
  );
  return { page, path, gated, facts, key, seen };
}

/** Returns the note with the same text. An existing one comes before a rejected one, a reviewed one before a queued one. */
export function existingDuplicate(
  { catalog }: Pick<Brain, 'catalog'>,
  page: BatchPage,
  key: Sha,
): Duplicate | null {
  const owners = catalog
    .keyOwners(key)
    .flatMap((path) => catalog.record(path) ?? [])
    .filter((note) => note.status !== 'rejected' || isRejection(note));
  const best = (['wiki', 'knowledge', 'raw', 'rejected'] as const).flatMap((status) =>
    owners.filter((note) => note.status === status),
  )[0];
  if (best === undefined) return null;
  return { page, kind: best.status === 'rejected' ? 'rejected_before' : 'duplicate', of: best.path };
}

/**
 * The result of adding a source to a note: the edit, or a warning why there is none; neither when the note has the source
 * already.
 */
export interface SourceAddition {
  readonly edit?: EditStep;
  /** The elements that the edit adds. */
  readonly added?: readonly string[];
  readonly warning?: string;
}

/** Plans the edit that adds references to a source to the `sources` of a note with the same text. */
export async function sourceAddition(
  brain: Brain,
  path: VaultPath,
  references: readonly string[],
  caller: Caller,
): Promise<SourceAddition> {
  const text = await brain.vault.read(path);
  if (text === null) return {};
  try {
    const changed = withReferences(text, references, brain.catalog);
    if (changed.added.length === 0) return {};
    if (!allows(caller, 'write')) {
      return { warning: `The source was not added to ${path}: this token may not change a note.` };
    }
    if (!mayWrite(brain, path)) {
      return { warning: `The source was not added to ${path}: this token may not write there.` };
    }
    if (!mayChangeText(caller, path, text)) {
      return { warning: `The source was not added to ${path}: it is a note of the owner.` };
    }
    if (isLocked(text)) {
      return { warning: `The source was not added to ${path}: it is locked by its owner.` };
    }
    const edit: EditStep = { kind: 'edit', path, before: sha256(text), text: changed.text };
    return { edit, added: changed.added };
  } catch (error) {
    if (!(error instanceof BrainError) || error.code !== 'invalid_frontmatter') throw error;
    return { warning: `The source was not added to ${path}. ${error.message}` };
  }
}

/** Returns the edits of additions, and what the past keeps of them. */
export function additionsOf(
  additions: Iterable<SourceAddition>,
  caller: Caller,
): { readonly edits: EditStep[]; readonly data: EventData | undefined } {
  const made = [...additions].flatMap(({ edit, added = [] }) =>
    edit === undefined ? [] : [{ edit, added }],
  );
  return { edits: made.map(({ edit }) => edit), data: dataOfAdditions(made, caller) };
}

/** The files to create for the pages of a source, and the answer for each page, in order. */
interface PlannedPages {
  readonly creates: readonly CreateStep[];
  /** The pages that come into the queue. */
  readonly arrivals: readonly Arrival[];
  /** The additions of the source to existing notes with the same text. */
  readonly additions: ReadonlyMap<VaultPath, SourceAddition>;
  readonly pages: readonly IngestedPage[];
  /** The paths of all pages, including existing notes with the same text. */
  readonly paths: readonly VaultPath[];
}

/** Composed pages of a source, ready to be written. */
export interface DraftedPages {
  /**
   * Returns true while the vault still fits the pages and their original is kept at this path. Fast; call it with the writer
   * lock held.
   */
  stillHold(original: VaultPath | null): Promise<boolean>;
  /** Returns the changes; call it with the writer lock held, or for a dry run. */
  planned(): Promise<PlannedPages>;
}

/** The part of a request that describes the source of the pages. */
interface PagesRequest extends Pick<
  IngestRequest,
  'label' | 'reference' | 'dryRun' | 'unread' | 'signal' | 'siblings'
> {
  /** True for a file: its claims are external, unless a page says otherwise. */
  readonly external: boolean;
}

/**
 * Validates, gates and composes the pages of a source; writes nothing. Slow: call it without the writer lock.
 * @param original the path where the original is or will be kept
 * @throws BrainError a fault of a page; `invalid_field` with `details.pages` for given pages; `busy` when `signal` stops
 */
export async function draftPages(
  brain: Brain,
  request: PagesRequest,
  made: MadePages,
  original: VaultPath | null,
  caller: Caller,
): Promise<DraftedPages> {
  const { terms } = made;
  const resolved = await resolveBatch(brain, made.pages, {
    blind: !allows(caller, 'read'),
    sourceHash: terms.sourceHash,
    signal: request.signal,
    siblings: request.siblings,
  });
  const problems = new PageProblems(terms, made.problems);
  for (const { page, error } of resolved.taken) problems.add(page.index, error);
  const sourceOf = (page: BatchPage) => pageSource(brain, request, page, original);
  const creates: CreateStep[] = [];
  const arrivals: Arrival[] = [];
  const written = new Map<number, IngestedPage>();
  const duplicatesOf = new Map<BatchPage, BatchPage[]>();
  for (const duplicate of resolved.duplicates) {
    if (duplicate.kind === 'same_batch')
      duplicatesOf.set(duplicate.of, [...(duplicatesOf.get(duplicate.of) ?? []), duplicate.page]);
  }
  for (const fresh of resolved.fresh) {
    refuseStopped(request.signal);
    const { page, path } = fresh;
    const source = joined(brain, [page, ...(duplicatesOf.get(page) ?? [])].map(sourceOf));
    await brain.pace.run(() =>
      problems.of(page.index, () => {
        const made = composePage(brain, fresh, terms, source, caller);
        const composed = linkProperties(brain, made, fresh, request);
        creates.push({ kind: 'create', path, text: composed.text });
        if (page.queued) arrivals.push(arrivalOf(fresh, composed));
        written.set(page.index, writtenPage(fresh, composed, request, resolved.kept.get(page)));
      }),
    );
    const made = request.unread === true ? undefined : written.get(page.index);
    if (made !== undefined) made.similar = await similarNotes(brain, { ...page, path }, fresh.facts.plain);
  }
  if (terms.by === 'structured') {
    // Every structured page is validated, also one whose text exists already.
    for (const { page } of resolved.duplicates) {
      const { opened } = page;
      await brain.pace.run(() =>
        problems.of(page.index, () =>
          composePage(brain, { page, gated: opened }, terms, sourceOf(page), caller),
        ),
      );
    }
  }
  problems.refuse();
  return {
    stillHold: async (now) => now === original && (await resolved.stillHolds()),
    async planned() {
      const additions = await sourceAdditions(brain, resolved.duplicates, sourceOf, caller);
      const answers = new Map(written);
      // Others may have changed a note that the caller wrote.
      const showsText = request.dryRun && allows(caller, 'read');
      const places = new Map(resolved.fresh.map(({ page, path }) => [page, path]));
      for (const duplicate of resolved.duplicates) {
        const of = duplicate.kind === 'same_batch' ? places.get(duplicate.of) : duplicate.of;
        const addition = duplicate.kind === 'duplicate' ? additions.get(duplicate.of) : undefined;
        answers.set(duplicate.page.index, duplicatePage(duplicate, of, addition, showsText));
      }
      for (const [index, title] of made.skipped) answers.set(index, skippedPage(title));
      return {
        creates,
        arrivals,
        additions,
        pages: [...answers].sort(([a], [b]) => a - b).map(([, answer]) => answer),
        paths: [
          ...resolved.fresh.map(({ path }) => path),
          ...resolved.duplicates.flatMap((duplicate) =>
            duplicate.kind === 'same_batch' ? [] : [duplicate.of],
          ),
        ],
      };
    },
  };
}

/** Returns a page as it comes into the queue. */
function arrivalOf({ page: { sent, opened }, path, gated }: NewPage, { text }: Composed): Arrival {
  return { path, text, sent, body: opened.body, gated: withFound(gated, { refs: sent.refs, warnings: [] }) };
}

/** Leads links in the properties of a page to the pages of the files that it came with. */
function linkProperties(
  { catalog }: Pick<Brain, 'catalog'>,
  composed: Composed,
  { page, path }: Pick<NewPage, 'page' | 'path'>,
  { siblings }: Pick<PagesRequest, 'siblings'>,
): Composed {
  const targets = siblings?.targets(page.queued)(catalog);
  if (targets?.within === undefined) return composed;
  const text = retargetProperties(composed.text, ({ target, kind, fragment }) => {
    // `sources` leads to the original.
    if (target.startsWith(`${PROCESSED}/`)) return null;
    const relative = isRelative({ kind });
    const found = targets.within?.(target, relative, path) ?? null;
    if (found === null || !('path' in found) || found.path === undefined) return null;
    if (relative) return { target: pathAddress(found.path) };
    const words = target.includes('/') ? targets.title(found.path) : target;
    return { target: linkPath(found.path), ...(fragment === null && { words }) };
  });
  return { ...composed, text };
}

/** The number of drafts after which a changing vault is an error. */
const MAX_DRAFTS = 5;

/** The result of a write whose draft is out of date. */
export const STALE = Symbol('stale');

/**
 * Drafts pages without the writer lock and writes them with it; drafts again when the draft was out of date.
 * @throws BrainError `busy` when every draft was out of date, and the errors of both functions
 */
export async function withDraft<T>(
  draft: () => Promise<DraftedPages>,
  write: (drafted: DraftedPages) => Promise<T | typeof STALE>,
): Promise<T> {
  for (let drafts = 0; drafts < MAX_DRAFTS; drafts += 1) {
    const outcome = await write(await draft());
    if (outcome !== STALE) return outcome;
  }
  throw new BrainError(
    'busy',
    'What the pages say or link to is being changed by others at this moment. Nothing was written; try again.',
    { retry_after: 2 },
  );
}

/** Returns the source of a page: the original, then the label of the sender, then the source that the page names. */
function pageSource(
  brain: Brain,
  request: PagesRequest,
  { page }: BatchPage,
  original: VaultPath | null,
): PageSource {
  const kept = request.reference(original);
  const labels = [request.label, page.source ?? null].filter((label) => label !== null);
  const links = labels.flatMap((label) => labelReference(brain, label) ?? []);
  const names = labels.filter((label) => labelReference(brain, label) === null);
  const name = callerText((names.at(-1) ?? '').replace(/[[\]<>]/g, ''));
  return {
    references: [...(kept === null ? [] : [withPage(kept, page.page)]), ...links],
    name: name === '' ? null : name,
    external: request.external || links.some((link) => readReference(link).kind === 'address'),
  };
}

function joined({ catalog }: Pick<Brain, 'catalog'>, sources: readonly PageSource[]): PageSource {
  const all = sources.flatMap(({ references }) => references);
  return {
    references: newReferences([], all, catalog),
    name: sources.find(({ name }) => name !== null)?.name ?? null,
    external: sources.some(({ external }) => external),
  };
}

async function sourceAdditions(
  brain: Brain,
  duplicates: readonly Duplicate[],
  sourceOf: (page: BatchPage) => PageSource,
  caller: Caller,
): Promise<Map<VaultPath, SourceAddition>> {
  const references = new Map<VaultPath, string[]>();
  for (const duplicate of duplicates) {
    if (duplicate.kind !== 'duplicate') continue;
    references.set(duplicate.of, [
      ...(references.get(duplicate.of) ?? []),
      ...sourceOf(duplicate.page).references,
    ]);
  }
  const additions = new Map<VaultPath, SourceAddition>();
  for (const [path, added] of references) {
    additions.set(path, await sourceAddition(brain, path, added, caller));
  }
  return additions;
}

/** Returns the answer for a page, whose similar notes are not looked for yet. */
function writtenPage(
  { page, path, gated }: NewPage,
  { text, warnings }: { readonly text: string; readonly warnings: readonly string[] },
  { dryRun }: Pick<PagesRequest, 'dryRun'>,
  /** Why it was created although a note says the same. */
  keptFor: string | undefined,
): IngestedPage {
  return {
    title: page.title,
    status: 'written',
    path,
    content_hash: sha256(text),
    similar: [],
    refs: gated.refs,
    unlinked: gated.unlinked,
    ...(dryRun && { text }),
    warnings: [...page.warnings, ...warnings, ...gated.warnings, ...(keptFor === undefined ? [] : [keptFor])],
  };
}

function duplicatePage(
  { page, kind }: Duplicate,
  of: VaultPath | undefined,
  { edit, warning }: SourceAddition = {},
  showText: boolean,
): IngestedPage {
  return {
    title: page.title,
    status: kind === 'rejected_before' ? 'rejected_before' : 'duplicate',
    ...(of !== undefined && { duplicate_of: of }),
    similar: [],
    refs: [],
    unlinked: [],
    ...(showText && edit !== undefined && { text: edit.text }),
    warnings: warning === undefined ? [] : [warning],
  };
}

function skippedPage(title: string): IngestedPage {
  return { title, status: 'skipped_empty_title', similar: [], refs: [], unlinked: [], warnings: [] };
}
