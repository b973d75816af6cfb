import type { Brain } from '../brain';
import { contentKeySteps } from '../catalog/content-key';
import { BrainError } from '../errors';
import type { StopSignal } from '../host';
import { refuseStopped } from '../progress';
import { isCatalogued } from '../catalog/zones';
import { gateBody, noting } from '../notes/gate-body';
import { wingFinder } from '../notes/target';
import { notePath, rawPath } from '../rules/address';
import type { Gated } from '../rules/gate';
import type { Sha } from '../rules/hash';
import type { LinkTargets } from '../rules/links';
import { factSteps, type MarkdownFacts } from '../rules/markdown';
import { fold, type VaultPath } from '../rules/paths';
import { numbered } from '../rules/slug';
import { localDate } from '../rules/time';
import { inSlices } from '../steps';
import { listOf } from './back-references';
import { batchTargets, type LinkedPage } from './batch-links';
import type { BatchPage } from './batch-page';

/** A page that is to be written. */
export interface NewPage {
  readonly page: BatchPage;
  readonly path: VaultPath;
  readonly gated: Gated;
  /** Of the gated body. */
  readonly facts: MarkdownFacts;
}

/** A page that stands already, by what it says. */
export type Twin =
  | { readonly page: BatchPage; readonly kind: 'duplicate'; readonly of: VaultPath }
  | { readonly page: BatchPage; readonly kind: 'rejected_before'; readonly of: VaultPath }
  | { readonly page: BatchPage; readonly kind: 'same_batch'; readonly of: BatchPage };

export interface SettledBatch {
  readonly fresh: readonly NewPage[];
  readonly twins: readonly Twin[];
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
 * A page that turns out to be there already gives up its path and lets links lead to the note that stands. That can change
 * what the pages that link to it say, so those are looked at again, three times in all. What turns out only in the last round
 * is left out when no page that is written links to it, and else is written like the others: so no link leads nowhere.
 * @param blind as for `gateBody`
 * @throws BrainError `busy` when `signal` calls it off.
 */
export async function settleBatch(
  brain: Brain,
  given: readonly BatchPage[],
  { blind, signal }: { readonly blind: boolean; readonly signal?: StopSignal | undefined },
): Promise<SettledBatch> {
  const { revision } = brain.catalog;
  const pages = await inStandingWings(brain, given);
  const twins = new Map<BatchPage, Twin>();
  let gated = new Map<BatchPage, GatedPage>();
  let former = new Map<VaultPath, LinkedPage>();
  for (let round = 1; ; round += 1) {
    const open = pages.filter((page) => !twins.has(page));
    const places = await placesOf(brain, open);
    const linked = linkedPages(brain, places, twins);
    const standing = new Map(linked.map((page) => [page.path, page]));
    const moved = movedPaths(former, standing);
    former = standing;
    // A page alone has nobody to link to.
    const beside = (fromQueue: boolean) => (linked.length < 2 ? undefined : batchTargets(linked, fromQueue));
    const targets = { queued: beside(true), placed: beside(false) };
    const now = new Map(gated);
    const keys = new Map<Sha, BatchPage>();
    const found = new Map<BatchPage, Twin>();
    for (const { page, path } of places) {
      refuseStopped(signal);
      const before = gated.get(page);
      const isSame = before?.path === path && !haveCommon(before.seen, moved);
      const each = isSame
        ? before
        : await gatedPage(brain, page, path, page.queued ? targets.queued : targets.placed, blind);
      now.set(page, each);
      const earlier = keys.get(each.key);
      const twin = earlier === undefined ? standingTwin(brain, page, each.key) : sameBatch(page, earlier);
      if (twin === null) keys.set(each.key, page);
      else found.set(page, twin);
    }
    gated = now;
    const isLast = found.size === 0 || round === MAX_ROUNDS;
    const kept = isLast ? stillLinked(open, found, gated) : new Set<BatchPage>();
    for (const [page, twin] of found) if (!kept.has(page)) twins.set(page, twin);
    if (!isLast) continue;
    const left = places.filter(({ page }) => !twins.has(page));
    return {
      fresh: left.flatMap(({ page }) => gated.get(page) ?? []),
      twins: [...twins.values()],
      kept: new Map([...found].flatMap(([page, twin]) => (kept.has(page) ? [[page, whyKept(twin)]] : []))),
      taken: left.flatMap(({ page, error }) => (error === null ? [] : [{ page, error }])),
      stillHolds: () => stillHolds(brain, { revision, pages, twins, gated, kept, left }),
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
  found: ReadonlyMap<BatchPage, Twin>,
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

function whyKept(twin: Twin): string {
  const which = twin.kind === 'same_batch' ? `the page "${twin.of.title}"` : twin.of;
  return `It says what ${which} says, but too many pages of the batch hang on each other by their links for it to be left out, so it was written all the same.`;
}

async function stillHolds(
  brain: Brain,
  settled: {
    readonly revision: number;
    readonly pages: readonly BatchPage[];
    readonly twins: ReadonlyMap<BatchPage, Twin>;
    readonly gated: ReadonlyMap<BatchPage, GatedPage>;
    readonly kept: ReadonlySet<BatchPage>;
    readonly left: readonly Place[];
  },
): Promise<boolean> {
  const { catalog } = brain;
  const { revision, pages, twins, gated, kept, left } = settled;
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
    const twin = twins.get(page);
    if (key === undefined || kept.has(page) || twin?.kind === 'same_batch') continue;
    const now = standingTwin(brain, page, key);
    if (now?.kind !== twin?.kind || now?.of !== twin?.of) return false;
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

function sameBatch(page: BatchPage, of: BatchPage): Twin {
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
  twins: ReadonlyMap<BatchPage, Twin>,
): LinkedPage[] {
  const pathsOf = new Map(places.map(({ page, path }) => [page, path]));
  const open = places.map(({ page, path }): LinkedPage => {
    const { title, queued, facts } = page;
    return { title, aliases: aliasesOf(page), path, queued, facts };
  });
  const known = [...twins.values()].flatMap((twin): LinkedPage[] => {
    const { title } = twin.page;
    if (twin.kind === 'rejected_before') return [];
    if (twin.kind === 'duplicate') {
      const queued = brain.catalog.record(twin.of)?.status === 'raw';
      return [{ title, aliases: [], path: twin.of, queued, facts: null }];
    }
    const path = pathsOf.get(twin.of);
    return path === undefined ? [] : [{ title, aliases: [], path, queued: twin.of.queued, facts: null }];
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
function standingTwin({ catalog }: Pick<Brain, 'catalog'>, page: BatchPage, key: Sha): Twin | null {
  const owners = catalog.keyOwners(key).flatMap((path) => catalog.record(path) ?? []);
  const best = (['wiki', 'knowledge', 'raw', 'rejected'] as const).flatMap((status) =>
    owners.filter((note) => note.status === status),
  )[0];
  if (best === undefined) return null;
  return { page, kind: best.status === 'rejected' ? 'rejected_before' : 'duplicate', of: best.path };
}
