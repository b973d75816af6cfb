import { allows, type Caller } from '../access/caller';
import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import type { StopSignal } from '../base/host';
import { inSlices, refuseStopped } from '../base/steps';
import { localDate } from '../base/time';
import { isCatalogued } from '../catalog/catalog';
import { contentKeySteps } from '../catalog/record';
import { isLocked } from '../frontmatter/lock';
import { callerText } from '../frontmatter/yaml';
import type { Gated } from '../gate/gate';
import { newReferences, onPage, readReference } from '../links/references';
import { foldLink, type LinkTargets, titleKey } from '../links/resolve';
import { factSteps, type MarkdownFacts } from '../markdown/facts';
import { gateBody, noting } from '../notes/content';
import { marked } from '../notes/similar';
import { wingFinder } from '../notes/targets';
import type { Brain } from '../operation/context';
import type { IngestedPage } from '../operation/shapes';
import { recordAddedSources, recordsOf } from '../sources/additions';
import { labelReference, listOf, withReferences } from '../sources/source-references';
import { journalOf } from '../storage/journal';
import type { CreateStep, EditStep } from '../storage/plan';
import { notePath, rawPath } from '../vocabulary/address';
import { fold, linkPath, stemOf, type VaultPath } from '../vocabulary/paths';
import { numbered, slugify } from '../vocabulary/slug';
import { type BatchPage, composePage, type MadePages, PageProblems, type PageSource } from './pages';
import type { IngestRequest } from './request';

/** A page of the batch as others may link to it: where it will stand, or the note that stands there in its place. */
interface LinkedPage {
  readonly title: string;
  readonly aliases: readonly string[];
  readonly path: VaultPath;
  /** True when it stands, or will stand, among the notes that await review. */
  readonly queued: boolean;
  /** Null for a note that stands already: the catalog knows it. */
  readonly facts: Pick<MarkdownFacts, 'headings' | 'blockIds'> | null;
}

const NO_CONTENT = sha256('');

/**
 * What the links of a page may lead to: the other pages of its batch by title, alias, name or path, before everything that
 * stands in the vault. A page of the wiki may not link to one that awaits review.
 * @param fromQueue true for a page that awaits review itself
 * @returns adds them to what links may lead to without the batch
 */
function batchTargets(
  pages: readonly LinkedPage[],
  fromQueue: boolean,
): (targets: LinkTargets) => LinkTargets {
  const names = new Map<string, Set<VaultPath>>();
  const byPath = new Map<string, LinkedPage>();
  const name = (key: string, { path }: LinkedPage): void => {
    const paths = names.get(key) ?? new Set();
    names.set(key, paths.add(path));
  };
  for (const page of pages) {
    if (page.queued && !fromQueue) continue;
    byPath.set(linkPath(page.path), page);
    for (const title of [page.title, ...page.aliases, stemOf(page.path)]) {
      name(titleKey(title), page);
      name(`slug:${slugify(title, NO_CONTENT)}`, page);
    }
  }
  const at = (path: string): VaultPath | null => byPath.get(linkPath(path))?.path ?? null;
  return (targets) => ({
    has: (path) => at(path) ?? targets.has(path),
    admits: at,
    candidates(tier, key) {
      const own = tier === 'suffix' ? undefined : names.get(tier === 'slug' ? `slug:${key}` : foldLink(key));
      return own === undefined ? targets.candidates(tier, key) : [...own];
    },
    fragments(path) {
      const facts = byPath.get(linkPath(path))?.facts ?? null;
      if (facts === null) return targets.fragments(path);
      return { headings: facts.headings, blocks: facts.blockIds };
    },
    title: (path) => byPath.get(linkPath(path))?.title ?? targets.title(path),
  });
}

/** A page that is to be written. */
interface NewPage {
  readonly page: BatchPage;
  readonly path: VaultPath;
  readonly gated: Gated;
  /** Of the gated body. */
  readonly facts: MarkdownFacts;
}

/** A page that stands already, by what it says. */
type Duplicate =
  | { readonly page: BatchPage; readonly kind: 'duplicate'; readonly of: VaultPath }
  | { readonly page: BatchPage; readonly kind: 'rejected_before'; readonly of: VaultPath }
  | { readonly page: BatchPage; readonly kind: 'same_batch'; readonly of: BatchPage };

interface ResolvedBatch {
  readonly fresh: readonly NewPage[];
  readonly duplicates: readonly Duplicate[];
  /** Of the fresh pages those that say what a note or another page says, and why each is written all the same. */
  readonly kept: ReadonlyMap<BatchPage, string>;
  /** Pages whose name the caller chose and another note has. */
  readonly taken: readonly { readonly page: BatchPage; readonly error: BrainError }[];
  /**
   * True as long as the vault is what the batch was settled for: the paths are free, what the pages link to is there, and
   * whoever says the same is the same. Quick, whatever the pages hold.
   */
  stillHolds(): Promise<boolean>;
}

/** So often at most are pages of a batch looked at: once, and again when a page that they link to turned out to be there. */
const MAX_ROUNDS = 3;

/**
 * Gives the pages of a batch their paths, takes their links through the gate, and finds those that say what a note says
 * already or another page of the batch. It takes its time, so it is called before the writer is taken; with the writer held,
 * `stillHolds` tells whether the outcome can be used.
 *
 * A page that says what a note says gives up its path, and links to it lead to that note. That can change what the pages that link
 * to it say, so those are gated again, in three rounds at most. A duplicate that is found in the last round is left out when no
 * written page links to it, and is written otherwise, so that no link breaks.
 * @param blind as for `gateBody`
 * @throws BrainError `busy` when `signal` calls it off.
 */
async function resolveBatch(
  brain: Brain,
  given: readonly BatchPage[],
  { blind, signal }: { readonly blind: boolean; readonly signal?: StopSignal | undefined },
): Promise<ResolvedBatch> {
  const { revision } = brain.catalog;
  const pages = await inStandingWings(brain, given);
  const duplicates = new Map<BatchPage, Duplicate>();
  let gated = new Map<BatchPage, GatedPage>();
  let former = new Map<VaultPath, LinkedPage>();
  for (let round = 1; ; round += 1) {
    const open = pages.filter((page) => !duplicates.has(page));
    const places = await placesOf(brain, open);
    const linked = linkedPages(brain, places, duplicates);
    const standing = new Map(linked.map((page) => [page.path, page]));
    const moved = movedPaths(former, standing);
    former = standing;
    // A page alone has nobody to link to.
    const beside = (fromQueue: boolean) => (linked.length < 2 ? undefined : batchTargets(linked, fromQueue));
    const targets = { queued: beside(true), placed: beside(false) };
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
      const duplicate =
        earlier === undefined ? standingTwin(brain, page, each.key) : sameBatch(page, earlier);
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
      stillHolds: () => stillHolds(brain, { revision, pages, duplicates, gated, kept, left }),
    };
  }
}

/** A page that has gone through the gate. */
interface GatedPage extends NewPage {
  readonly key: Sha;
  /** The files that its links may lead to. */
  readonly seen: ReadonlySet<VaultPath>;
}

/** The paths at which links of the batch lead to another page than in the round before. */
function movedPaths(
  former: ReadonlyMap<VaultPath, LinkedPage>,
  now: ReadonlyMap<VaultPath, LinkedPage>,
): Set<VaultPath> {
  const moved = new Set<VaultPath>();
  for (const path of [...former.keys(), ...now.keys()]) {
    const [one, other] = [former.get(path), now.get(path)];
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

/** Of the pages that were found to be there already those to which a page that is written may link, also over several. */
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

async function stillHolds(
  brain: Brain,
  settled: {
    readonly revision: number;
    readonly pages: readonly BatchPage[];
    readonly duplicates: ReadonlyMap<BatchPage, Duplicate>;
    readonly gated: ReadonlyMap<BatchPage, GatedPage>;
    readonly kept: ReadonlySet<BatchPage>;
    readonly left: readonly Place[];
  },
): Promise<boolean> {
  const { catalog } = brain;
  const { revision, pages, duplicates, gated, kept, left } = settled;
  if (catalog.revision === revision) return true;
  const own = new Set(left.map(({ path }) => path));
  // A name that the caller chose and that was taken is refused for it.
  if (left.some(({ path, error }) => error === null && catalog.taken(path) !== null)) return false;
  const find = wingFinder(brain);
  for (const wing of new Set(pages.map((page) => page.wing))) {
    if (wing !== undefined && (await find(wing)) !== wing) return false;
  }
  for (const page of pages) {
    const { key } = gated.get(page) ?? {};
    const duplicate = duplicates.get(page);
    if (key === undefined || kept.has(page) || duplicate?.kind === 'same_batch') continue;
    const now = standingTwin(brain, page, key);
    if (now?.kind !== duplicate?.kind || now?.of !== duplicate?.of) return false;
  }
  for (const { page } of left) {
    for (const path of gated.get(page)?.seen ?? []) {
      if (!own.has(path) && isCatalogued(path) && catalog.taken(path) !== path) return false;
    }
  }
  return true;
}

/** The pages with their wings as the folders that stand now are spelt: making the pages may have taken long. */
async function inStandingWings(brain: Brain, pages: readonly BatchPage[]): Promise<BatchPage[]> {
  const find = wingFinder(brain);
  const found: BatchPage[] = [];
  for (const page of pages) {
    const wing = page.wing === undefined ? undefined : await find(page.wing);
    found.push(wing === page.wing ? page : { ...page, wing });
  }
  return found;
}

function sameBatch(page: BatchPage, of: BatchPage): Duplicate {
  return { page, kind: 'same_batch', of };
}

/** Where a page is to stand; `error` when the name that its caller chose is another note's. */
interface Place {
  readonly page: BatchPage;
  readonly path: VaultPath;
  readonly error: BrainError | null;
}

async function placesOf(brain: Brain, pages: readonly BatchPage[]): Promise<Place[]> {
  const date = localDate(brain.clock.now());
  const used = new Set<string>();
  const places: Place[] = [];
  for (const page of pages) places.push(await placeOf(brain, page, date, used));
  return places;
}

async function placeOf(brain: Brain, page: BatchPage, date: string, used: Set<string>): Promise<Place> {
  for (let n = 1; ; n += 1) {
    const path = pathOf(page, date, n);
    const standing = brain.catalog.taken(path) ?? ((await brain.vault.stat(path)) === null ? null : path);
    const isFree = standing === null && !used.has(fold(path));
    if (!isFree && (!page.named || page.queued)) continue;
    used.add(fold(path));
    return { page, path, error: isFree ? null : nameTaken(standing ?? path) };
  }
}

function pathOf({ wing, hall, stem, queued }: BatchPage, date: string, n: number): VaultPath {
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
  places: readonly Place[],
  duplicates: ReadonlyMap<BatchPage, Duplicate>,
): LinkedPage[] {
  const pathsOf = new Map(places.map(({ page, path }) => [page, path]));
  const open = places.map(({ page, path }): LinkedPage => {
    const { title, queued, facts } = page;
    return { title, aliases: aliasesOf(page), path, queued, facts };
  });
  const known = [...duplicates.values()].flatMap((duplicate): LinkedPage[] => {
    const { title } = duplicate.page;
    if (duplicate.kind === 'rejected_before') return [];
    if (duplicate.kind === 'duplicate') {
      const queued = brain.catalog.record(duplicate.of)?.status === 'raw';
      return [{ title, aliases: [], path: duplicate.of, queued, facts: null }];
    }
    const path = pathsOf.get(duplicate.of);
    return path === undefined ? [] : [{ title, aliases: [], path, queued: duplicate.of.queued, facts: null }];
  });
  // Where two are at one place, what is said last counts.
  return [...known, ...open];
}

/** Under what else a page can be linked to: its aliases, and its heading when that is another than its title. */
function aliasesOf({ page, opened, facts: { h1 } }: BatchPage): string[] {
  const given = [...(page.aliases ?? []), ...listOf(opened.frontmatter.aliases)];
  return h1 === null ? given : [...given, h1];
}

async function gatedPage(
  brain: Brain,
  page: BatchPage,
  path: VaultPath,
  beside: (targets: LinkTargets) => LinkTargets = (targets) => targets,
  blind = false,
): Promise<GatedPage> {
  const { opened, facts: before, wing, hall } = page;
  const seen = new Set<VaultPath>();
  const gated = await gateBody(
    brain,
    { body: opened.body, from: { path, wing: wing ?? null, hall: hall ?? null }, mode: 'full', blind },
    (targets) => noting(brain.catalog, beside(targets), seen),
  );
  // Reading a long body takes long, and most leave the gate as they came.
  const facts = gated.body === opened.body ? before : await inSlices(factSteps(gated.body), brain.pace);
  const key = await inSlices(contentKeySteps(gated.body, facts.links), brain.pace);
  return { page, path, gated, facts, key, seen };
}

/** The note that says the same: one that stands goes before one that was rejected, a reviewed one before one that waits. */
function standingTwin({ catalog }: Pick<Brain, 'catalog'>, page: BatchPage, key: Sha): Duplicate | null {
  const owners = catalog.keyOwners(key).flatMap((path) => catalog.record(path) ?? []);
  const best = (['wiki', 'knowledge', 'raw', 'rejected'] as const).flatMap((status) =>
    owners.filter((note) => note.status === status),
  )[0];
  if (best === undefined) return null;
  return { page, kind: best.status === 'rejected' ? 'rejected_before' : 'duplicate', of: best.path };
}

/** What comes of adding a source to a note that stands: its edit, or why it is left as it is; neither when it has it. */
export interface SourceAddition {
  readonly edit?: EditStep;
  /** Elements that the edit adds. */
  readonly added?: readonly string[];
  readonly warning?: string;
}

/** How the references to a source come into the `sources` of a note that says what it says. */
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

/** What additions do to the vault: their edits, and what is put on record of them before and when the edits then fail. */
export function additionsOf(
  brain: Pick<Brain, 'state' | 'device' | 'clock'>,
  additions: Iterable<SourceAddition>,
  caller: Caller,
): { readonly edits: EditStep[]; record(): Promise<void>; takeBack(): Promise<void> } {
  const made = [...additions].flatMap(({ edit, added = [] }) =>
    edit === undefined ? [] : [{ edit, added }],
  );
  const records = recordsOf(brain, made, caller, 'Source added');
  return {
    edits: made.map(({ edit }) => edit),
    record: () => recordAddedSources(brain, records),
    async takeBack() {
      // The next start may finish what a failing disk did not give back, and the record has to stand then.
      if (journalOf(brain.state, brain.device, brain.clock).hasUnfinished) return;
      await recordAddedSources(
        brain,
        records.map((each) => ({ ...each, undone: true })),
      );
    },
  };
}

/** What is to be written for the pages of a source, and what is answered of each, in their order. */
interface PlannedPages {
  readonly creates: readonly CreateStep[];
  /** Notes that say the same get the source added to theirs. */
  readonly additions: ReadonlyMap<VaultPath, SourceAddition>;
  readonly pages: readonly IngestedPage[];
  /** Where the pages stand, the notes that say the same included. */
  readonly paths: readonly VaultPath[];
}

/** Pages of a source that are composed, and wait for the writer. */
export interface DraftedPages {
  /**
   * True as long as the vault is what the pages were composed for, and their original is kept at this place. Quick; call it
   * with the writer held.
   */
  stillHold(original: VaultPath | null): Promise<boolean>;
  /** What is to be written; with the writer held, or only to show it. */
  planned(): Promise<PlannedPages>;
}

/** What is said of the source that the pages are of. */
interface PagesRequest extends Pick<IngestRequest, 'label' | 'reference' | 'dryRun' | 'unread' | 'signal'> {
  /** True when it is a file: then the claims come from outside, unless a page says otherwise. */
  readonly external: boolean;
}

/** Most similar notes that an answer names for each page. */
const SIMILAR = 3;

/**
 * Drafts the pages of a source: everything is validated, gated and composed, and nothing is written. It takes its time, so it
 * is called before the writer is taken.
 * @param original where the original is kept, or is going to be
 * @throws BrainError what is wrong with a page; `invalid_field` with `details.pages` for pages that a caller has given; `busy`
 * when `signal` calls it off.
 */
export async function draftPages(
  brain: Brain,
  request: PagesRequest,
  made: MadePages,
  original: VaultPath | null,
  caller: Caller,
): Promise<DraftedPages> {
  const { terms } = made;
  const settled = await resolveBatch(brain, made.pages, {
    blind: !allows(caller, 'read'),
    signal: request.signal,
  });
  const problems = new PageProblems(terms, made.problems);
  for (const { page, error } of settled.taken) problems.add(page.index, error);
  const sourceOf = (page: BatchPage): PageSource => pageSource(brain, request, page, original);
  // Titles of other notes are for those who may read them.
  const shown = { ...request, unread: request.unread === true || !allows(caller, 'read') };
  const creates: CreateStep[] = [];
  const written = new Map<number, IngestedPage>();
  const twinsOf = new Map<BatchPage, BatchPage[]>();
  for (const duplicate of settled.duplicates) {
    if (duplicate.kind === 'same_batch')
      twinsOf.set(duplicate.of, [...(twinsOf.get(duplicate.of) ?? []), duplicate.page]);
  }
  for (const fresh of settled.fresh) {
    refuseStopped(request.signal);
    const { page, path } = fresh;
    const source = joined(brain, [page, ...(twinsOf.get(page) ?? [])].map(sourceOf));
    const keptFor = settled.kept.get(page);
    await brain.pace.run(() =>
      problems.of(page.index, () => {
        const composed = composePage(brain, fresh, terms, source, caller);
        creates.push({ kind: 'create', path, text: composed.text });
        const answer = writtenPage(brain, fresh, composed, shown);
        if (keptFor !== undefined) answer.warnings.push(keptFor);
        written.set(page.index, answer);
      }),
    );
  }
  if (terms.by === 'structured') {
    // What a caller has structured is validated to the last page, also one whose text stands already.
    for (const { page } of settled.duplicates) {
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
    stillHold: async (now) => now === original && (await settled.stillHolds()),
    async planned() {
      const additions = await sourceAdditions(brain, settled.duplicates, sourceOf, caller);
      const answers = new Map(written);
      const places = new Map(settled.fresh.map(({ page, path }) => [page, path]));
      for (const duplicate of settled.duplicates) {
        const of = duplicate.kind === 'same_batch' ? places.get(duplicate.of) : duplicate.of;
        const addition = duplicate.kind === 'duplicate' ? additions.get(duplicate.of) : undefined;
        answers.set(
          duplicate.page.index,
          twinPage(duplicate, of, addition, request.dryRun && allows(caller, 'read')),
        );
      }
      for (const [index, title] of made.skipped) answers.set(index, skippedPage(title));
      return {
        creates,
        additions,
        pages: [...answers].sort(([a], [b]) => a - b).map(([, answer]) => answer),
        paths: [
          ...settled.fresh.map(({ path }) => path),
          ...settled.duplicates.flatMap((duplicate) =>
            duplicate.kind === 'same_batch' ? [] : [duplicate.of],
          ),
        ],
      };
    },
  };
}

/** So often at most are pages drafted anew because the vault has become another one meanwhile. */
const MAX_DRAFTS = 5;

/** Stands for the outcome of pages that have to be drafted anew. */
export const STALE = Symbol('stale');

/**
 * Drafts pages, then has them written by `write`, which takes the writer; again when it says that the draft was stale, so that
 * nobody else has to wait while pages are drafted.
 * @throws BrainError `busy` when every draft was stale, and what both throw.
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

/** What a page says of its source: the original, then what the sender says it is, then what the page itself says. */
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
  const name = callerText((names.at(-1) ?? '').replace(/[[\]]/g, ''));
  return {
    references: [...(kept === null ? [] : [onPage(kept, page.page)]), ...links],
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

function writtenPage(
  brain: Pick<Brain, 'catalog' | 'clock'>,
  { page, path, gated, facts }: NewPage,
  { text, warnings }: { readonly text: string; readonly warnings: readonly string[] },
  { dryRun, unread = false }: Pick<PagesRequest, 'dryRun' | 'unread'>,
): IngestedPage {
  const similar = unread
    ? []
    : marked(brain, brain.catalog.similar(page.title, facts.plain, { exclude: path, limit: SIMILAR }));
  return {
    title: page.title,
    status: 'written',
    path,
    content_hash: sha256(text),
    similar,
    refs: gated.refs,
    unlinked: gated.unlinked,
    ...(dryRun && { text }),
    warnings: [...page.warnings, ...warnings, ...gated.warnings],
  };
}

function twinPage(
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
