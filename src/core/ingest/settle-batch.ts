import type { Brain } from '../brain';
import { contentKeySteps } from '../catalog/content-key';
import { BrainError } from '../errors';
import { gateBody } from '../notes/gate-body';
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
  /** Pages whose name the caller chose and another note has. */
  readonly taken: readonly { readonly page: BatchPage; readonly error: BrainError }[];
}

/**
 * Gives the pages of a batch their paths, takes their links through the gate, and finds those that say what a note says
 * already or another page of the batch. Call it with the writer held: then the paths are free until they are used.
 *
 * A page that turns out to be there already gives up its path and lets links lead to the note that stands. That can change
 * what the others say, so they are looked at again until no further twin is found: at most as often as there are pages.
 * @param blind as for `gateBody`
 */
export async function settleBatch(
  brain: Brain,
  given: readonly BatchPage[],
  blind: boolean,
): Promise<SettledBatch> {
  const pages = await inStandingWings(brain, given);
  const twins = new Map<BatchPage, Twin>();
  for (;;) {
    const open = pages.filter((page) => !twins.has(page));
    const places = await placesOf(brain, open);
    const linked = linkedPages(brain, places, twins);
    // A page alone has nobody to link to.
    const beside = (fromQueue: boolean) => (linked.length < 2 ? undefined : batchTargets(linked, fromQueue));
    const targets = { queued: beside(true), placed: beside(false) };
    const fresh: NewPage[] = [];
    const keys = new Map<Sha, BatchPage>();
    const before = twins.size;
    for (const { page, path } of places) {
      const { gated, facts, key } = await gatedPage(
        brain,
        page,
        path,
        page.queued ? targets.queued : targets.placed,
        blind,
      );
      const earlier = keys.get(key);
      const twin = earlier === undefined ? standingTwin(brain, page, key) : sameBatch(page, earlier);
      if (twin !== null) twins.set(page, twin);
      else {
        keys.set(key, page);
        fresh.push({ page, path, gated, facts });
      }
    }
    if (twins.size > before) continue;
    const taken = places.flatMap(({ page, error }) => (error === null ? [] : [{ page, error }]));
    return { fresh, twins: [...twins.values()], taken };
  }
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
  { opened, facts: before, wing, hall }: BatchPage,
  path: VaultPath,
  beside: ((targets: LinkTargets) => LinkTargets) | undefined,
  blind: boolean,
): Promise<{ gated: Gated; facts: MarkdownFacts; key: Sha }> {
  // The gate takes its time in one piece: others have their turn before it.
  await brain.pace.run(() => undefined);
  const gated = await gateBody(
    brain,
    { body: opened.body, from: { path, wing: wing ?? null, hall: hall ?? null }, mode: 'full', blind },
    beside,
  );
  // Reading a long body takes long, and most leave the gate as they came.
  const facts = gated.body === opened.body ? before : await inSlices(factSteps(gated.body), brain.pace);
  const key = await inSlices(contentKeySteps(gated.body, facts.links), brain.pace);
  return { gated, facts, key };
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
