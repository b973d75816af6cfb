import * as z from 'zod';
import type { Brain } from '../brain';
import { allows, type Caller } from '../caller';
import { type Change, changeVault } from '../change-vault';
import { dryRunField, pathField } from '../fields';
import { operation } from '../operation';
import type { Watch } from '../progress';
import { parseNote } from '../rules/frontmatter/parse-note';
import type { VaultPath } from '../rules/paths';
import { decidedHashField, readSource } from '../review/queue-source';
import { inSlices } from '../steps';
import { type BatchPage, batchPage, type BatchTerms } from './batch-page';
import { type ExtractOptions, extractPages } from './extract-pages';
import { jobShape } from './ingest-answers';
import { type IngestResult, ingestResultShape } from './ingest-result';
import { backgroundField } from './job-operations';
import { ledgerOf } from './ledger';
import type { MadePages } from './make-pages';
import { type DraftedPages, draftPages, STALE, withDraft } from './plan-pages';
import { type PassedSource, passedSource } from './re-extract-source';
import { resultOf } from './result-of';
import { additionsOf } from './source-addition';

const input = z.strictObject({
  path: pathField,
  expected_hash: decidedHashField,
  dry_run: dryRunField,
  background: backgroundField,
});

/**
 * Has the language model make the pages of a queued note that was taken in as it is, because there was no model or it failed.
 * The pages take the place of the note, all in one step; its history keeps the text. Where no new page comes of it, the note
 * stays.
 * Fails with `llm_error` or `busy` when no model made any, `not_in_queue`, `source_missing` or `hash_mismatch` like a
 * rejection, `invalid_field` when the note was not taken in as it is or its original is gone, or like reading a document; with
 * `busy` too when as many wait to be ingested as may.
 */
export const reExtract = operation({
  name: 're_extract',
  scope: 'write',
  mutates: true,
  input,
  output: z.union([jobShape, ingestResultShape]),
  async run(brain, { path, expected_hash: expected, dry_run: dryRun = false, background }, caller, watch) {
    // Looked at before any job begins: what is wrong with the note is told to whoever named it.
    const note = await readSource(brain, path, 'raw', expected, watch?.ifMatch);
    // Let in once for all of it: a document that was read is not given up for those who came meanwhile.
    return brain.fileTurns.admit(async () => {
      const source = await brain.fileTurns.run(() =>
        passedSource(brain, note.path, note.text, watch?.signal),
      );
      const work = (each: Watch) => replace(brain, { note, source, dryRun }, caller, each);
      return background === true ? brain.jobs.start(caller, work) : work(watch ?? {});
    });
  },
});

/** A note that is to be replaced, as it was read, and what it was made of. */
interface Replacement {
  readonly note: Awaited<ReturnType<typeof readSource>>;
  readonly source: PassedSource;
  readonly dryRun: boolean;
}

async function replace(
  brain: Brain,
  { note, source, dryRun }: Replacement,
  caller: Caller,
  watch: Watch,
): Promise<IngestResult> {
  const { frontmatter } = parseNote(note.text);
  const made = await madePages(brain, frontmatter.wing, source, { ...watch, blind: !allows(caller, 'read') });
  const request = {
    hash: source.hash,
    label: source.text.source,
    reference: () => source.reference,
    external: frontmatter.source_type === 'external',
    dryRun,
    signal: watch.signal,
  };
  const change = async (drafted: DraftedPages): Promise<Change<IngestResult | typeof STALE>> => {
    // Whoever decided on the note or edited it meanwhile has the last word.
    await readSource(brain, note.path, 'raw', note.hash);
    if (!(await drafted.stillHold(source.original))) return { plan: null, result: STALE };
    const { creates, additions, pages, paths } = await drafted.planned();
    // Pages that stand elsewhere already, or were rejected, do not take its place; nor does one that says what it says.
    const stays = creates.length === 0 || paths.includes(note.path);
    const others = [...additions].flatMap(([path, addition]) => (path === note.path ? [] : [addition]));
    const added = additionsOf(brain, others, caller);
    const remove = { kind: 'remove', path: note.path, before: note.hash } as const;
    const steps = [...creates, ...added.edits, ...(stays ? [] : [remove])];
    const warnings = [...made.warnings, ...leftBehind(brain, note.path, stays)];
    const { by, destination } = made.terms;
    const result = resultOf(request, {
      extraction: by,
      destination,
      original: source.original,
      pages,
      warnings,
    });
    const entry = { source: request.label, original: source.original, extraction: by, pages: paths };
    return {
      plan: dryRun || steps.length === 0 ? null : { op: 're-extract', steps },
      result,
      taken: 'note_exists',
      prepare: () => added.record(),
      failed: () => added.takeBack(),
      ...(!dryRun && { finish: () => ledgerOf(brain).add(source.hash, entry) }),
    };
  };
  return withDraft(
    () => draftPages(brain, request, made, source.original, caller),
    (drafted) => changeVault(brain, () => change(drafted), request),
  );
}

/** The model's pages, each with the wing and all the sources that the note has. */
async function madePages(
  brain: Brain,
  wing: unknown,
  source: PassedSource,
  options: Pick<ExtractOptions, 'signal' | 'progress' | 'blind'>,
): Promise<MadePages> {
  const extraction = await extractPages(brain, source.text, { ...options, requireModel: true });
  const terms: BatchTerms = {
    wing: undefined,
    hall: undefined,
    destination: 'raw',
    by: extraction.by,
    model: extraction.model,
    sourceHash: source.hash,
  };
  const given = {
    ...(typeof wing === 'string' && wing.trim() !== '' && { wing }),
    ...(source.otherSources.length > 0 && { frontmatter: { sources: [...source.otherSources] } }),
  };
  const pages: BatchPage[] = [];
  for (const [index, page] of extraction.pages.entries()) {
    pages.push(await inSlices(batchPage(brain, { ...page, ...given }, index, terms), brain.pace));
  }
  const warnings = [...new Set([...source.text.text.warnings, ...extraction.warnings])];
  return { terms, pages, skipped: new Map(), warnings, problems: [] };
}

function leftBehind(brain: Pick<Brain, 'catalog'>, path: VaultPath, stays: boolean): string[] {
  if (stays) return [`Not all that it says came out as a new page, so ${path} stays in the queue.`];
  const links = brain.catalog.linksTo(path).length;
  if (links === 0) return [];
  const whose = links === 1 ? 'One note links' : `${links} notes link`;
  return [`${whose} to ${path}, whose place the pages take; that link leads nowhere now.`];
}
