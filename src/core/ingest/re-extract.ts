import * as z from 'zod';
import { actsForOwner, allows, type Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256 } from '../base/hash';
import type { StopSignal } from '../base/host';
import { apart, inSlices, type Watch } from '../base/steps';
import { MAX_FILE_BYTES, readDocument } from '../documents/ports';
import { type ExtractOptions, extractPages } from '../extraction/extract';
import { PART_KEY } from '../extraction/passthrough';
import type { SourceText } from '../extraction/source';
import { parseNote } from '../frontmatter/parse';
import { linkTo, readReference } from '../links/references';
import { titleOf } from '../links/title';
import { FACTS } from '../markdown/facts';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { dryRunField, pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { refuseOwners } from '../operation/owner';
import { type IngestResult, ingestResultShape, jobShape } from '../operation/shapes';
import { redacted } from '../operation/without-read';
import { expectedHashField, readReviewNote } from '../review/review-note';
import { listOf, sourceReference } from '../sources/source-references';
import { fileName, type VaultPath, zoneOf } from '../vocabulary/paths';
import { isOfPipeline } from '../vocabulary/envelope';
import { backgroundField } from './operations';
import { type BatchPage, batchPage, type BatchTerms, type MadePages } from './pages';
import { additionsOf, type DraftedPages, draftPages, releasePages, STALE, withDraft } from './batch';
import { resultOf } from './request';

/** The source of a passed-through note. */
interface PassedSource {
  readonly text: SourceText;
  /** The hash of the whole original, also when the note is a part of it. */
  readonly hash: Sha;
  /** Null when the note itself is the text: for a part of a document, or when the vault has no copy. */
  readonly original: VaultPath | null;
  /** The reference of pages to it; with a page number only when it is known before extraction. */
  readonly reference: string | null;
  /** The other elements of the note's `sources`. */
  readonly otherSources: readonly string[];
}

/**
 * Reads the text that a passed-through note was made from: the original, so that quotes and pages are those of the document and
 * not of the edited note. For a part of a document, or one that was never kept, it is the text of the note.
 * @throws BrainError `invalid_field` when the note was not passed through, or its original is gone or changed; or the error of
 * reading the document
 */
async function passedSource(
  brain: Brain,
  path: VaultPath,
  note: string,
  signal?: StopSignal,
): Promise<PassedSource> {
  const { frontmatter, body } = parseNote(note);
  const { source_hash: hash, extracted_by: by } = frontmatter;
  if (by !== 'passthrough' || !isSha(hash) || !isOfPipeline(frontmatter)) {
    throw refused(path, `${path} was not taken in as it is, so there is nothing to extract again.`);
  }
  const sources = listOf(frontmatter.sources);
  const label = typeof frontmatter.source === 'string' ? frontmatter.source : null;
  const title = titleOf(frontmatter, await inSlices(apart(FACTS, body), brain.pace), path);
  const kept = (await brain.ledger.find(hash))?.original ?? null;
  const wasKept = kept !== null || sources.some((element) => readReference(element).kind === 'link');
  if (Object.hasOwn(frontmatter, PART_KEY) || !wasKept) {
    const text = { markdown: body, converted: false, warnings: [] };
    const [reference = null, ...otherSources] = sources;
    return {
      text: { text, title, name: fileName(path), source: label },
      hash,
      original: null,
      reference,
      otherSources,
    };
  }
  const found = await keptOriginal(
    brain,
    hash,
    [kept, ...sources.map((element) => fileOf(brain, element))],
    sources,
  );
  if (found === null) {
    throw refused(
      path,
      `The original of ${path} is no longer where it was kept. Put the document into the inbox again instead.`,
    );
  }
  const { bytes, name, original } = found;
  const text = await readDocument(brain.documents, { name, bytes }, original, signal);
  const isOriginal = (element: string) => fileOf(brain, element) === original;
  return {
    text: { text, title, name, source: label },
    hash,
    original,
    reference: withoutPage(sources.find(isOriginal) ?? sourceReference(original, name)),
    otherSources: sources.filter((element) => !isOriginal(element)),
  };
}

function refused(path: VaultPath, message: string): BrainError {
  return new BrainError('invalid_field', message, { field: 'path', path });
}

interface KeptOriginal {
  readonly original: VaultPath;
  /** The file name with the extension that tells its kind. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Returns the first file with that hash; null when there is none. */
async function keptOriginal(
  brain: Brain,
  hash: Sha,
  files: readonly (VaultPath | null)[],
  sources: readonly string[],
): Promise<KeptOriginal | null> {
  for (const path of new Set(files)) {
    if (path === null || zoneOf(path) === 'hidden') continue;
    const bytes = await brain.vault.readBytes(path, MAX_FILE_BYTES);
    if (bytes === null || (await brain.pace.run(() => sha256(bytes))) !== hash) continue;
    // Kept Markdown has a changed extension; the text of the link is its original name.
    const link = sources.find((element) => fileOf(brain, element) === path) ?? '';
    const reference = readReference(link);
    const shown = (reference.kind === 'link' && reference.text) || '';
    const isName = brain.documents.readability(shown) !== 'unknown';
    const named = isName ? shown : fileName(path);
    // A posted text is Markdown, kept as `.txt` under a name that ends with its hash.
    const isPosted = named.endsWith(`-${hash.slice(0, 8)}.txt`);
    return { original: path, name: isPosted ? `${named.slice(0, -4)}.md` : named, bytes };
  }
  return null;
}

/** Returns the file that an element of `sources` links to; null for anything else. */
function fileOf({ catalog }: Pick<Brain, 'catalog'>, element: string): VaultPath | null {
  const reference = readReference(element);
  return reference.kind === 'link' ? catalog.has(reference.target) : null;
}

function withoutPage(element: string): string {
  const reference = readReference(element);
  if (reference.kind !== 'link' || !/^#page=\d+$/.test(reference.fragment)) return element;
  return linkTo(reference.target, reference.text ?? '') ?? element;
}

const input = z.strictObject({
  path: pathField,
  expected_hash: expectedHashField,
  dry_run: dryRunField,
  background: backgroundField,
});

/**
 * Lets the language model make the pages of a queued note that was passed through, because there was no model or it failed. The
 * pages replace the note in one change; its history keeps the text. When no new page results, the note stays. Fails with `not_ours`
 * for a note of a person and a caller that does not act for the owner, with
 * `llm_error` or `busy` when no model answered, `not_in_queue`, `source_missing` or `hash_mismatch` as a rejection,
 * `invalid_field` when the note was not passed through or its original is gone, or as reading a document; with `busy` also when
 * too many callers wait.
 */
export const reExtract = operation({
  name: 're_extract',
  scope: 'write',
  mutates: true,
  keyed: 'answer',
  whole: true,
  input,
  output: z.union([jobShape, ingestResultShape]),
  async run(brain, { path, expected_hash: expected, dry_run: dryRun = false, background }, caller, watch) {
    // The note is read before a job begins, so that the caller gets its errors.
    const note = await readReviewNote(brain, path, 'raw', expected, watch?.ifMatch);
    // One admission covers the whole call: a document that was read is not given up for later callers.
    return brain.fileTurns.admit(async () => {
      const source = await brain.fileTurns.run(() =>
        passedSource(brain, note.path, note.text, watch?.signal),
      );
      refuseOwners(caller, note.path, note.text);
      const work = (each: Watch) => replace(brain, { note, source, dryRun }, caller, each);
      if (background !== true) return work(watch ?? {});
      // The outcome of a job is told by another operation.
      const isBlind = !allows(caller, 'read');
      return brain.jobs.start(caller, (each) =>
        isBlind ? redacted('re_extract', () => work(each)) : work(each),
      );
    });
  },
});

/** A note to replace, as it was read, and its source. */
interface Replacement {
  readonly note: Awaited<ReturnType<typeof readReviewNote>>;
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
    // A decision or an edit of a person meanwhile takes precedence.
    await readReviewNote(brain, note.path, 'raw', note.hash);
    if (!(await drafted.stillHold(source.original))) return { plan: null, result: STALE };
    const { creates, additions, pages, paths, arrivals } = await drafted.planned();
    // Only new pages replace the note: not pages that exist elsewhere or were rejected, and not a page with the text of the
    // note.
    const stays = creates.length === 0 || paths.includes(note.path);
    const others = [...additions].flatMap(([path, addition]) => (path === note.path ? [] : [addition]));
    const added = additionsOf(others, caller);
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
      plan: dryRun || steps.length === 0 ? null : { op: 're-extract', steps, data: added.data },
      result,
      taken: 'note_exists',
      arrivals,
      forOwner: actsForOwner(caller),
      ...(!dryRun && { finish: () => brain.ledger.add(source.hash, entry) }),
    };
  };
  try {
    return await withDraft(
      () => draftPages(brain, request, made, source.original, caller),
      (drafted) => changeVault(brain, () => change(drafted), request),
    );
  } finally {
    releasePages(brain, made);
  }
}

/** Returns the pages of the model, each with the wing and the other sources of the note. */
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
