import { actsForOwner, allows, type Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { sha256 } from '../base/hash';
import { refuseStopped } from '../base/steps';
import type { NoteRecord } from '../catalog/record';
import { setKeys } from '../frontmatter/compose';
import { parseNote } from '../frontmatter/parse';
import { movedReference } from '../links/references';
import { wingFinder } from '../notes/targets';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { mayChangeText, ownersLeft } from '../operation/owner';
import type { FileAnswer, IngestResult } from '../operation/shapes';
import { labelReference, listOf } from '../sources/source-references';
import type { EditStep } from '../storage/plan';
import { hasSigns, wingOfPath } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import { refreshWings } from '../wings/refresh';
import { foundPage, type KnownSource, findIngestedSource } from './known';
import { originalFile, releaseOriginal } from './original';
import { type MadePages, makePages } from './pages';
import {
  additionsOf,
  type DraftedPages,
  draftPages,
  releasePages,
  type SourceAddition,
  sourceAddition,
  STALE,
  withDraft,
} from './batch';
import { type IngestRequest, resultOf } from './request';

/**
 * Returns the edits that make pages refer to the new path of a moved original, which was ingested where it was. They include
 * locked pages, like edits of links. A page that cannot be edited safely, or that the caller may not change, keeps its old
 * reference, and the move goes on.
 */
async function followOriginal(
  { vault }: Pick<Brain, 'vault'>,
  pages: readonly Pick<NoteRecord, 'path'>[],
  { from, to, caller }: { readonly from: VaultPath; readonly to: VaultPath; readonly caller: Caller },
): Promise<{ steps: EditStep[]; warnings: string[] }> {
  const steps: EditStep[] = [];
  const warnings: string[] = [];
  for (const { path } of pages) {
    const text = await vault.read(path);
    const changed = text === null ? null : withMoved(text, from, to);
    if (text === null || changed === null) continue;
    if (!mayChangeText(caller, path, text)) warnings.push(ownersLeft(path, 'its link to the moved original'));
    else steps.push({ kind: 'edit', path, before: sha256(text), text: changed, optional: true });
  }
  return { steps, warnings };
}

/** Returns null when nothing has to be changed, or the note cannot be edited safely. */
function withMoved(text: string, from: VaultPath, to: VaultPath): string | null {
  const { frontmatter } = parseNote(text);
  const existing = listOf(frontmatter.sources);
  const sources = existing.map((element) => movedReference(element, from, to));
  if (sources.every((element, at) => element === existing[at])) return null;
  try {
    return setKeys(text, { sources }).text;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return null;
    throw error;
  }
}

const PROPOSED =
  'This token may only propose: the pages wait in the review queue; wing and hall are kept as suggestions.';
const NONE_LEFT =
  'It was ingested before, and none of its notes is found any more, so nothing came of it. Ingest it with "force" (on the command line --force) to make them anew.';

/**
 * Ingests one source: all of its pages are created, or none. A source that is known by its hash is `unchanged` unless forced:
 * no text is extracted and no page is created. A page whose text a note has already is not created; the note gets the source
 * added to its `sources`. A page that the owner has rejected is not proposed again.
 * | The order of the writes survives a crash at any point: the original of a posted text, then all pages and edits in one
 * journaled plan, then the ledger. A file of the inbox gets its new name before the ledger line and loses the old one after it.
 * A second run completes the work and makes nothing twice.
 * @throws BrainError a fault of a page or an address, the error of reading and extracting, or `busy` when cancelled; no page
 * exists then. The error of the store when the ledger or the move fails after the pages exist
 */
export async function ingestSource(
  brain: Brain,
  request: IngestRequest,
  caller: Caller,
): Promise<IngestResult> {
  try {
    return await ingestNow(brain, request, caller);
  } finally {
    releaseOriginal(brain, request);
  }
}

async function ingestNow(brain: Brain, request: IngestRequest, caller: Caller): Promise<IngestResult> {
  await brain.refresh();
  const find = wingFinder(brain);
  const wing = request.wing === undefined ? undefined : await find(request.wing);
  // Other names are looked up when the batch is written.
  for (const page of request.pages ?? [])
    if (page.wing !== undefined && hasSigns(page.wing)) await find(page.wing);
  const destination = allows(caller, 'write') ? request.destination : 'raw';
  const known = (): Promise<KnownSource | null> | null =>
    request.force || request.pages !== undefined ? null : findIngestedSource(brain, request.hash);
  const made =
    (await known()) === null
      ? await makePages(brain, request, { wing, destination, blind: !allows(caller, 'read') })
      : null;
  refuseStopped(request.signal);
  await brain.refresh();

  const late = new LateFailure();
  const write = (drafted: DraftedPages | null): Promise<IngestResult | typeof STALE> =>
    changeVault(
      brain,
      async (): Promise<Change<IngestResult | typeof STALE>> => {
        const before = await known();
        if (before !== null) return ingestKnown(brain, request, { known: before, destination, caller, late });
        if (made === null || drafted === null) throw changedMeanwhile();
        return ingestNew(brain, request, { made, drafted, caller, late });
      },
      request,
    );
  if (made === null) {
    // Files of the same name may have to be read, which is too slow for the writer's lock.
    if (['keep', 'upload'].includes(request.original.kind)) await originalFile(brain, request, await known());
    const result = await write(null);
    late.check();
    if (result !== STALE) return result;
    throw changedMeanwhile();
  }
  const draft = async (): Promise<DraftedPages> => {
    const { path } = await originalFile(brain, request, null);
    const external = request.pages === undefined && request.posted !== true;
    return draftPages(brain, { ...request, external }, made, path, caller);
  };
  try {
    const result = await withDraft(draft, write);
    late.check();
    return result;
  } finally {
    if (request.siblings === undefined) releasePages(brain, made);
  }
}

/**
 * Ingests a source that is a file, and adds to the answer its name and whether the converter has read it, now or when its pages
 * were prepared. @throws as `ingestSource`
 */
export async function ingestDocument(
  brain: Brain,
  request: IngestRequest,
  file: string,
  caller: Caller,
): Promise<FileAnswer> {
  let converted = false;
  const answer = await ingestSource(
    brain,
    {
      ...request,
      async read() {
        const text = await request.read();
        converted = text.converted;
        return text;
      },
      async prepared() {
        const pages = (await request.prepared?.()) ?? null;
        converted = pages?.converted ?? false;
        return pages;
      },
    },
    caller,
  );
  return { ...answer, file, converted };
}

/**
 * Plans a known source: it completes what a crash left undone, the ledger line and the move of the file. Pages made while the
 * file was in the inbox get its new path, and existing pages get the source that the sender names now.
 */
async function ingestKnown(
  brain: Brain,
  request: IngestRequest,
  run: {
    readonly known: KnownSource;
    readonly destination: 'raw' | 'wiki';
    readonly caller: Caller;
    readonly late: LateFailure;
  },
): Promise<Change<IngestResult>> {
  const { entry, pages } = run.known;
  const { dryRun, label } = request;
  const showText = dryRun && allows(run.caller, 'read');
  const original = await originalFile(brain, request, run.known);
  const kept = original.path ?? (await ifExists(brain, entry?.original ?? null));
  const additions = new Map<VaultPath, SourceAddition>();
  const reference = label === null ? null : labelReference(brain, label);
  for (const { path, status, frontmatter } of pages) {
    // The note at a path of the ledger may be another one by now.
    if (reference === null || status === 'rejected' || frontmatter.source_hash !== request.hash) continue;
    additions.set(path, await sourceAddition(brain, path, [reference], run.caller));
  }
  const [from, to] = [movesFrom(request), original.path];
  const followed =
    from === null || to === null
      ? { steps: [], warnings: [] }
      : await followOriginal(brain, pages, { from, to, caller: run.caller });
  const isLost = pages.length === 0 && entry !== null && entry.pages.length > 0;
  const result = resultOf(request, {
    extraction: 'unchanged',
    destination: run.destination,
    original: kept,
    pages: pages.map((page) => foundPage(page, additions.get(page.path) ?? {}, showText)),
    warnings: [...(isLost ? [NONE_LEFT] : []), ...followed.warnings],
  });
  if (dryRun) return { plan: null, result };
  const added = additionsOf(additions.values(), run.caller);
  // A file has no sender, so no page is edited for two reasons.
  const steps = [...added.edits, ...followed.steps];
  const paths = pages.map(({ path }) => path);
  const plan = steps.length === 0 ? null : { op: 'ingest', steps, data: added.data };
  const finish = () =>
    run.late.keep(async () => {
      if (plan === null) await original.begin();
      if (entry === null || (from !== null && to !== null && entry.original === from)) {
        const by = entry?.extraction ?? pages[0]?.frontmatter.extracted_by;
        const extraction = typeof by === 'string' ? by : 'unchanged';
        await brain.whole.ledger.add(request.hash, {
          source: entry?.source ?? label,
          original: kept,
          extraction,
          pages: entry?.pages ?? paths,
          ...(request.siblings !== undefined && { batch: request.siblings.batch }),
        });
      }
      await original.finish();
    });
  const forOwner = actsForOwner(run.caller);
  return { plan, result, forOwner, prepare: () => original.begin(), finish };
}

/** Returns the path of a file that is to be moved away. */
function movesFrom({ original }: IngestRequest): VaultPath | null {
  return original.kind === 'move' ? original.from : null;
}

async function ingestNew(
  brain: Brain,
  request: IngestRequest,
  run: {
    readonly made: MadePages;
    readonly drafted: DraftedPages;
    readonly caller: Caller;
    readonly late: LateFailure;
  },
): Promise<Change<IngestResult | typeof STALE>> {
  const { made, drafted, caller, late } = run;
  const { by, destination } = made.terms;
  const original = await originalFile(brain, request, null);
  if (!(await drafted.stillHold(original.path))) return { plan: null, result: STALE };
  const { creates, additions, pages, paths, arrivals } = await drafted.planned();
  const added = additionsOf(additions.values(), caller);
  const warnings = [...made.warnings, ...(allows(caller, 'write') ? [] : [PROPOSED])];
  const result = resultOf(request, {
    extraction: by,
    destination,
    original: original.path,
    pages,
    warnings,
  });
  if (request.dryRun) return { plan: null, result };
  const steps = [...creates, ...added.edits];
  const plan = steps.length === 0 ? null : { op: 'ingest', steps, data: added.data };
  return {
    plan,
    result,
    taken: 'note_exists',
    absent: 'note_not_found',
    arrivals,
    forOwner: actsForOwner(caller),
    isIndependent: true,
    prepare: () => original.begin(),
    failed: async () => {
      // The next start may finish the plan that could not be taken back, so its original must remain.
      if (!brain.whole.journal.hasUnfinished) await original.takeBack();
    },
    finish: () =>
      late.keep(async () => {
        // Without a plan `prepare` did not run: every page existed, and the text is kept all the same.
        if (plan === null) await original.begin();
        await refreshWings(
          brain,
          creates.map(({ path }) => wingOfPath(path)),
          warnings,
        );
        const noted = noteInLedger(brain, request, { original: original.path, extraction: by, paths });
        await both(noted, original.finish(noted));
      }),
  };
}

/** Adds the source to the ledger, unless the ledger has all of it. */
async function noteInLedger(
  brain: Brain,
  { hash, label, siblings }: IngestRequest,
  found: {
    readonly original: VaultPath | null;
    readonly extraction: string;
    readonly paths: readonly VaultPath[];
  },
): Promise<void> {
  const { ledger } = brain.whole;
  const known = await ledger.find(hash);
  const batch = siblings?.batch;
  if (known !== null && found.paths.every((path) => known.pages.includes(path))) return;
  const { original, extraction, paths } = found;
  const entry = {
    source: label,
    original,
    extraction,
    pages: paths,
    ...(batch !== undefined && { batch }),
  };
  // The lines of a folder become durable together, at its end.
  await ledger.add(hash, entry, siblings === undefined);
}

/** Waits for both, then rejects with the first error. */
async function both(...work: readonly [Promise<void>, Promise<void>]): Promise<void> {
  for (const outcome of await Promise.allSettled(work)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}

async function ifExists({ vault }: Pick<Brain, 'vault'>, path: VaultPath | null): Promise<VaultPath | null> {
  return path !== null && (await vault.stat(path)) !== null ? path : null;
}

/** An error after the pages exist: it does not undo them, but the caller has to know and try again. */
class LateFailure {
  #failed = false;
  #error: unknown;

  async keep(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failed = true;
      this.#error = error;
    }
  }

  /** Throws the stored error. */
  check(): void {
    if (this.#failed) throw this.#error;
  }
}

function changedMeanwhile(): BrainError {
  return new BrainError('busy', 'What is known of this source is being changed. Try again.', {
    retry_after: 1,
  });
}
