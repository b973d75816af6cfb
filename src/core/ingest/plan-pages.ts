import type { Brain } from '../brain';
import { allows, type Caller } from '../caller';
import { marked } from '../notes/similar-notes';
import { BrainError } from '../errors';
import type { CreateStep } from '../plan';
import { refuseStopped } from '../progress';
import { callerText } from '../rules/frontmatter/scalars';
import { sha256 } from '../rules/hash';
import type { VaultPath } from '../rules/paths';
import { newReferences, onPage, readReference } from '../rules/references';
import { labelReference } from './back-references';
import type { BatchPage } from './batch-page';
import { composePage, type PageSource } from './compose-page';
import type { IngestRequest } from './ingest-request';
import type { IngestedPage } from './ingest-result';
import { type MadePages, PageProblems } from './make-pages';
import { type NewPage, settleBatch, type Twin } from './settle-batch';
import { type SourceAddition, sourceAddition } from './source-addition';

/** What is to be written for the pages of a source, and what is answered of each, in their order. */
export interface PlannedPages {
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
export interface PagesRequest extends Pick<
  IngestRequest,
  'label' | 'reference' | 'dryRun' | 'unread' | 'signal'
> {
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
  const settled = await settleBatch(brain, made.pages, {
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
  for (const twin of settled.twins) {
    if (twin.kind === 'same_batch') twinsOf.set(twin.of, [...(twinsOf.get(twin.of) ?? []), twin.page]);
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
    for (const { page } of settled.twins) {
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
      const additions = await sourceAdditions(brain, settled.twins, sourceOf, caller);
      const answers = new Map(written);
      const places = new Map(settled.fresh.map(({ page, path }) => [page, path]));
      for (const twin of settled.twins) {
        const of = twin.kind === 'same_batch' ? places.get(twin.of) : twin.of;
        const addition = twin.kind === 'duplicate' ? additions.get(twin.of) : undefined;
        answers.set(twin.page.index, twinPage(twin, of, addition, request.dryRun && allows(caller, 'read')));
      }
      for (const [index, title] of made.skipped) answers.set(index, skippedPage(title));
      return {
        creates,
        additions,
        pages: [...answers].sort(([a], [b]) => a - b).map(([, answer]) => answer),
        paths: [
          ...settled.fresh.map(({ path }) => path),
          ...settled.twins.flatMap((twin) => (twin.kind === 'same_batch' ? [] : [twin.of])),
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
  twins: readonly Twin[],
  sourceOf: (page: BatchPage) => PageSource,
  caller: Caller,
): Promise<Map<VaultPath, SourceAddition>> {
  const references = new Map<VaultPath, string[]>();
  for (const twin of twins) {
    if (twin.kind !== 'duplicate') continue;
    references.set(twin.of, [...(references.get(twin.of) ?? []), ...sourceOf(twin.page).references]);
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
  { page, kind }: Twin,
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
