import type { Brain } from '../brain';
import { BrainError } from '../errors';
import type { StopSignal } from '../host';
import { parseNote } from '../rules/frontmatter/parse-note';
import { isSha, sha256, type Sha } from '../rules/hash';
import { markdownFacts } from '../rules/markdown';
import { fileName, type VaultPath, zoneOf } from '../rules/paths';
import { isOfPipeline } from '../rules/provenance';
import { linkTo, readReference } from '../rules/references';
import { titleOf } from '../rules/title';
import { readDocument } from './document';
import { listOf } from './back-references';
import { ledgerOf } from './ledger';
import { PART_KEY } from './passthrough';
import { MAX_FILE_BYTES } from './source-files';
import { sourceReference } from './source-reference';
import type { SourceText } from './source-text';

/** What a note that was passed through was made of. */
export interface PassedSource {
  readonly text: SourceText;
  /** Of the whole original, also when the note is a part of it. */
  readonly hash: Sha;
  /** Null when the note itself is the text: for a part of a document, and for one of which the vault has no copy. */
  readonly original: VaultPath | null;
  /** How pages refer to it: with a page number only when it is known before there are pages. */
  readonly reference: string | null;
  /** What else the note names in its `sources`. */
  readonly otherSources: readonly string[];
}

/**
 * The text that a passed-through note was made of: its original, read anew, so that quotes and pages are those of the document
 * and not of what became of it in the queue. A part of a document, or one that was never kept, has no other text than the note.
 * @throws BrainError `invalid_field` when the note was not passed through, or its original is gone or another by now; what
 * reading a document fails with
 */
export async function passedSource(
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
  const title = titleOf(frontmatter, markdownFacts(body), path);
  const kept = (await ledgerOf(brain).find(hash))?.original ?? null;
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
  /** With the extension by which it is read. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The first of the files that has that hash; null when there is none. */
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
    // Kept Markdown has another extension than it had; the words of the link are its name.
    const link = sources.find((element) => fileOf(brain, element) === path) ?? '';
    const reference = readReference(link);
    const shown = (reference.kind === 'link' && reference.text) || '';
    const isName = brain.documents.readability(shown) !== 'unknown';
    return { original: path, name: isName ? shown : fileName(path), bytes };
  }
  return null;
}

/** The file that an element of `sources` links to; null for anything else. */
function fileOf({ catalog }: Pick<Brain, 'catalog'>, element: string): VaultPath | null {
  const reference = readReference(element);
  return reference.kind === 'link' ? catalog.has(reference.target) : null;
}

function withoutPage(element: string): string {
  const reference = readReference(element);
  if (reference.kind !== 'link' || !/^#page=\d+$/.test(reference.fragment)) return element;
  return linkTo(reference.target, reference.text ?? '') ?? element;
}
