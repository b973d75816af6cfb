import { utf8ToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { asciiJson } from '../base/json';
import { apart, inSlices, type Watch } from '../base/steps';
import { firstPoints, isBlank, withoutNul } from '../base/text';
import {
  type DocumentText,
  MAX_FILE_BYTES,
  MAX_TEXT,
  readDocument,
  type SourceFile,
  type SourceFiles,
} from '../documents/ports';
import { converterAdvice, isHarmlessKind } from '../documents/formats';
import { bodyOf } from '../frontmatter/block';
import { openContent } from '../frontmatter/compose';
import { noteTitle } from '../links/title';
import { FACTS } from '../markdown/facts';
import type { Brain } from '../operation/context';
import {
  contentField,
  dryRunField,
  envelopeFields,
  frontmatterField,
  hallField,
  MAX_TITLE,
  slugField,
  wingField,
} from '../operation/fields';
import type { JobState } from '../operation/jobs';
import { operation } from '../operation/operation';
import {
  type FileAnswer,
  fileAnswerShape,
  type FolderAnswer,
  folderAnswerShape,
  type IngestAnswer,
  ingestAnswerShape,
  ingestResultShape,
  jobShape,
} from '../operation/shapes';
import { sourceReference } from '../sources/source-references';
import { type Hall, slugify } from '../vocabulary/address';
import { someOf } from '../vocabulary/check';
import { fileName } from '../vocabulary/paths';
import { FolderPlan } from './folder-plan';
import type { IngestRequest } from './request';
import { ingestDocument, ingestSource } from './source';

/** The options of a call, for each of its files. */
interface FileOptions {
  readonly wing?: string | undefined;
  readonly hall?: Hall | undefined;
  readonly destination: 'raw' | 'wiki';
  readonly force: boolean;
  readonly dryRun: boolean;
}

/** @throws BrainError `path_not_allowed` when the vault is not in a folder of this machine */
function sourcesOf({ sources }: Brain): SourceFiles {
  if (sources !== undefined) return sources;
  throw new BrainError(
    'path_not_allowed',
    'This vault is not in a folder of this machine, so no file can be named. Send its text instead.',
  );
}

/**
 * Ingests one file. The file stays where it is: pages link to one inside the vault, and name one outside.
 * @throws BrainError as `ingestSource`, or the error of reading the file or its text
 */
function ingestFile(
  brain: Brain,
  source: SourceFile,
  options: FileOptions,
  caller: Caller,
  watch: Watch,
  plannedFor?: (hash: Sha) => Planned | undefined,
): Promise<FileAnswer> {
  return brain.fileTurns.run(async () => {
    const { name, path, file } = source;
    const { signal } = watch;
    const bytes = await sourcesOf(brain).read(source);
    const hash = sha256(bytes);
    // A file that has changed since it was planned is taken as it is now.
    const planned = plannedFor?.(hash);
    return ingestDocument(
      brain,
      {
        hash,
        name,
        label: null,
        reference: () => sourceReference(path, name),
        original: path === null ? { kind: 'none' } : { kind: 'stands', path },
        read: () => readDocument(brain.documents, { name, bytes }, path, signal),
        ...planned,
        ...options,
        ...watch,
      },
      file,
      caller,
    );
  });
}

/** What is planned for a file that comes together with others. */
type Planned = NonNullable<ReturnType<FolderPlan['of']>>;

/** The text of a dry run that is returned, in characters for all files; the pages of further files come without it. */
const MAX_SHOWN_TEXT = 8_000_000;

/**
 * Ingests the files of a folder, one after the other. Links between them lead to the pages made of them. A failed file is reported and does not stop the others; unsupported kinds
 * are skipped. A cancelled call stops after the current file.
 */
export async function ingestFolder(
  brain: Brain,
  folder: { readonly file: string; readonly files: readonly SourceFile[] },
  options: FileOptions,
  caller: Caller,
  watch: Watch,
): Promise<FolderAnswer> {
  const { signal, progress } = watch;
  const total = folder.files.length;
  const files: FileAnswer[] = [];
  const skipped: string[] = [];
  const errors: FolderAnswer['errors'] = [];
  let shown = 0;
  const plan = await planOfFolder(brain, folder, options, caller, watch);
  // A call that was cancelled during the listing has an incomplete list.
  let cancelled = isStopped(watch);
  progress?.({ done: 0, total, phase: 'writing' });
  for (const [index, source] of folder.files.entries()) {
    if (isStopped(watch)) cancelled = true;
    if (cancelled) break;
    if (!isReadable(brain, source) || plan?.isLeftOut(placeIn(folder.file, source)) === true) {
      skipped.push(source.file);
    } else {
      try {
        const place = placeIn(folder.file, source);
        const planned = (hash: Sha): Planned | undefined => plan?.of(place, hash);
        const answer = await ingestFile(brain, source, options, caller, { signal }, planned);
        const length = textLength(answer);
        files.push(shown + length > MAX_SHOWN_TEXT ? withoutTexts(answer) : answer);
        shown += length;
      } catch (error) {
        // The error of a cancelled file is no failure of the file, and a closing vault takes no further one.
        cancelled = isStopped(watch) || (error instanceof BrainError && error.code === 'starting');
        if (!cancelled) errors.push(failureOf(brain, source.file, error));
      }
    }
    await plan?.done(placeIn(folder.file, source));
    progress?.({ done: index + 1, total, phase: 'writing' });
  }
  await plan?.close(!cancelled);
  const unchanged = files.filter(({ extraction }) => extraction === 'unchanged').length;
  return {
    path: folder.file,
    files,
    skipped,
    counts: {
      files: total,
      ingested: files.length - unchanged,
      unchanged,
      skipped: skipped.length,
      failed: errors.length,
    },
    errors,
    warnings: [...(plan?.told ?? []), ...unreadWarnings(brain, folder.files)],
    ...(cancelled && { cancelled }),
  };
}

/** Plans the readable files of a folder; null when nothing comes with the only one, or the call was cancelled meanwhile. */
async function planOfFolder(
  brain: Brain,
  { file: at, files }: { readonly file: string; readonly files: readonly SourceFile[] },
  { wing, hall, destination, force, dryRun }: FileOptions,
  caller: Caller,
  watch: Watch,
): Promise<FolderPlan | null> {
  const readable = files.filter((source) => isReadable(brain, source));
  // Files stay where they are, so links can lead only to those of the vault.
  const attachments = files.flatMap((source) => {
    const { name, path } = source;
    if (path === null || isReadable(brain, source) || !isHarmlessKind(name)) return [];
    return [{ place: placeIn(at, source), stands: path, load: async () => null }];
  });
  if (readable.length === 0 || readable.length + attachments.length < 2) return null;
  const together = readable.map((source) => ({
    place: placeIn(at, source),
    async load() {
      const bytes = await sourcesOf(brain).read(source);
      const { name, path } = source;
      return {
        hash: await brain.pace.run(() => sha256(bytes)),
        name,
        read: () => readDocument(brain.documents, { name, bytes }, path, watch.signal),
      };
    },
  }));
  try {
    const terms = { label: fileName(at), folder: at, readsAtOnce: 1, wing, hall, destination, force, dryRun };
    return await FolderPlan.make(brain, together, { ...terms, attachments }, caller, watch);
  } catch (error) {
    if (isStopped(watch)) return null;
    throw error;
  }
}

/** Returns the path of a file below a folder, with `/` between the names. */
function placeIn(folder: string, { file }: SourceFile): string {
  return file.slice(folder.length).replace(/\\/g, '/').replace(/^\/+/, '').normalize('NFC');
}

/** Returns whether a file is of a kind that can be read now. */
function isReadable({ documents }: Brain, { name }: SourceFile): boolean {
  return ['native', 'converter'].includes(documents.readability(name));
}

/** Returns a sentence for each reason for which files of a folder are not read. */
function unreadWarnings({ documents }: Brain, files: readonly SourceFile[]): string[] {
  const of = (...kinds: string[]) =>
    files.flatMap(({ name, file }) => (kinds.includes(documents.readability(name)) ? [file] : []));
  const [forConverter, unknown] = [of('no_converter'), of('unknown')];
  return [
    forConverter.length > 0 &&
      `Only a converter reads these, and none that does is set (CONVERTER_URL; local: is the built-in one, for Office files): ${someOf(forConverter)}.`,
    unknown.length > 0 &&
      `These are of kinds that are not read; save them as text or PDF: ${someOf(unknown)}.`,
  ].filter((sentence) => sentence !== false);
}

/** A function, because the value changes during each `await`. */
export function isStopped({ signal }: Watch): boolean {
  return signal?.stopped === true;
}

/** Returns the entry for a file that could not be ingested, in a list of errors. */
export function failureOf(
  { log }: Pick<Brain, 'log'>,
  path: string,
  error: unknown,
): FolderAnswer['errors'][number] {
  if (error instanceof BrainError) return { path, code: error.code, message: error.message };
  log.error('ingest.file_failed', { message: String(error) });
  const message = 'Something went wrong inside the service. The log of the server says where.';
  return { path, code: 'internal', message };
}

function textLength({ pages }: FileAnswer): number {
  return pages.reduce((sum, { text = '' }) => sum + text.length, 0);
}

function withoutTexts(answer: FileAnswer): FileAnswer {
  const pages = answer.pages.map(({ text: _, ...page }) => page);
  const warning = 'The text is left out, because the answer would be too large. Try this file by itself.';
  return { ...answer, pages, warnings: [...answer.warnings, warning] };
}

const jobInput = z.strictObject({ id: z.string().max(100).describe('From the answer that named the job') });
const output = z.union([jobShape, ingestAnswerShape]);

/**
 * Returns the outcome of a job, or its progress. Fails with the error of the job, or with `not_found` when the caller has no
 * such job.
 */
export const followJob = operation({
  name: 'job',
  scope: 'propose',
  mutates: false,
  early: true,
  input: jobInput,
  output,
  run: async (brain, { id }, caller) => brain.jobs.look(id, caller),
});

/**
 * Cancels a job: it stops at its next step and keeps what it has written. Answers as `job` does; a job that has ended is
 * unchanged.
 */
export const cancelJob = operation({
  name: 'cancel_job',
  scope: 'propose',
  mutates: false,
  keyed: 'answer',
  early: true,
  input: jobInput,
  output,
  run: async (brain, { id }, caller) => brain.jobs.cancel(id, caller),
});

export const backgroundField = z
  .boolean()
  .optional()
  .describe('Answer at once with a job, and go on without the caller');

/**
 * Runs the work for a waiting caller or, in the background, starts a job and answers with it.
 * @throws BrainError `busy`, with nothing done, when too many callers wait or this caller has too many jobs
 */
export async function inBackgroundOrNow<Result extends IngestAnswer>(
  brain: Brain,
  call: {
    readonly caller: Caller;
    readonly background: boolean | undefined;
    readonly watch: Watch | undefined;
  },
  work: (watch: Watch) => Promise<Result>,
): Promise<Result | JobState> {
  if (call.background === true) return brain.jobs.start(call.caller, work);
  return brain.fileTurns.admit(() => work(call.watch ?? {}));
}

const MAX_NAME = 500;

const droppedInput = z.strictObject({
  name: z.string().max(MAX_NAME).describe('File name with its extension, which tells the kind'),
  bytes: z.instanceof(Uint8Array),
  background: backgroundField,
});

/**
 * Ingests a file in memory: one that a person drops on a screen inside the host. The file is kept among the processed
 * originals, and its pages link to it. For callers in this process; it has no route. Fails with `unsupported_type`,
 * `empty_content`, `too_large`, `no_text`, `converter_error`, `busy`.
 */
export const ingestDropped = operation({
  name: 'ingest_dropped',
  scope: 'propose',
  mutates: true,
  keyed: 'answer',
  input: droppedInput,
  output: z.union([jobShape, fileAnswerShape]),
  async run(brain, { name, bytes: given, background }, caller, watch) {
    const bytes = new Uint8Array(given);
    checkFile(name, bytes.length);
    const readability = brain.documents.readability(name);
    if (readability === 'unknown')
      throw unsupported('This kind of file cannot be read. Save it as text or PDF.');
    if (readability === 'no_converter') {
      throw unsupported(
        `Only a converter can read this kind of file, and none that does is set. ${converterAdvice(name)}`,
      );
    }
    return inBackgroundOrNow(brain, { caller, background, watch }, (each) =>
      brain.fileTurns.run(async () => {
        const hash = await brain.pace.run(() => sha256(bytes));
        return ingestDocument(
          brain,
          {
            hash,
            name,
            label: null,
            reference: (original) => original && sourceReference(original, name),
            original: { kind: 'keep', bytes },
            read: () => brain.documents.read({ name, bytes }, each.signal),
            destination: brain.config.ingestDestination,
            force: false,
            dryRun: false,
            ...each,
          },
          name,
          caller,
        );
      }),
    );
  },
});

function checkFile(name: string, size: number): void {
  if (name.trim() === '') throw new BrainError('missing_field', 'The file has no name. Give it one.');
  if (size === 0) throw new BrainError('empty_content', 'The file is empty.');
  if (size <= MAX_FILE_BYTES) return;
  const most = MAX_FILE_BYTES / (1024 * 1024);
  throw new BrainError('too_large', `The file is larger than ${most} MiB, which is the most that is read.`);
}

function unsupported(message: string): BrainError {
  return new BrainError('unsupported_type', message);
}

/** The most pages of one batch. */
const MAX_PAGES = 200;

const sourceField = z.string().max(2000).optional().describe('URL or label of where it comes from');
const names = (max: number) => z.array(z.string().min(1).max(max)).max(50).optional();

const pageField = z.strictObject({
  title: z
    .string()
    .max(2000)
    .refine((title) => title.trim().length <= 200, 'must have at most 200 characters')
    .describe('A page with an empty one is skipped'),
  content: contentField,
  wing: wingField.optional(),
  hall: hallField.optional(),
  slug: slugField.optional(),
  summary: z.string().max(500).optional().describe('Kept as description'),
  tags: names(100),
  aliases: names(200),
  type: z.string().max(200).optional(),
  domain: z.string().max(200).optional(),
  source_type: z.enum(['internal', 'external']).optional().describe('Where the claim comes from'),
  source: sourceField,
  ...envelopeFields,
  frontmatter: frontmatterField,
});

const pagesInput = z.strictObject({
  pages: z.array(pageField).min(1).max(MAX_PAGES),
  source: sourceField,
  wing: wingField.optional().describe('For pages that name none'),
  hall: hallField.optional().describe('For pages that name none'),
  destination: z.enum(['raw', 'wiki']).optional(),
  dry_run: dryRunField,
});

/**
 * Writes a batch of structured pages without a model. They may link to each other by title. Atomic: when a page is invalid, it
 * fails with `invalid_field` and `details.pages` naming each, and nothing is written.
 */
export const ingestPages = operation({
  name: 'ingest_raw',
  scope: 'propose',
  mutates: true,
  keyed: 'answer',
  input: pagesInput,
  output: ingestResultShape,
  run(brain, { pages, source, wing, hall, destination, dry_run }, caller, watch) {
    const label = source === undefined || source.trim() === '' ? null : source.trim();
    return ingestSource(
      brain,
      {
        hash: sha256(asciiJson({ source: label, pages })),
        name: 'pages.json',
        label,
        reference: () => null,
        original: { kind: 'none' },
        read: () => Promise.reject(new Error('pages that are given are not read')),
        pages,
        wing,
        hall,
        destination: destination ?? brain.config.ingestDestination,
        force: false,
        dryRun: dry_run === true,
        ...watch,
      },
      caller,
    );
  },
});

const MAX_PATH = 4096;

const pathInput = z.strictObject({
  path: z
    .string()
    .max(MAX_PATH)
    .refine((text) => text.trim() !== '', 'must name a file or a folder')
    .describe('File or folder in the inbox, such as inbox/report.pdf, or in a folder that the owner allows'),
  recursive: z.boolean().default(true).describe('Take the folders of a folder too'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  destination: z.enum(['raw', 'wiki']).optional(),
  force: z.boolean().default(false).describe('Make the pages again when the file is known already'),
  dry_run: dryRunField,
  background: backgroundField,
});

/**
 * Ingests a file, or the files of a folder. Files stay where they are. Agents reach the inbox and the roots that the owner
 * allows, a person in the app nearly every file; every other path is `path_not_allowed`, whether or not it exists. A folder
 * answers even when some of its files failed, and fails with `too_large`, changing nothing, when it has more than 1,000. Fails
 * also with `source_missing`, `unsupported_type`, `no_text`, `converter_error`, and with `busy` when too many callers wait.
 */
export const ingestPath = operation({
  name: 'ingest_path',
  scope: 'propose',
  mutates: true,
  keyed: 'answer',
  input: pathInput,
  output: z.union([jobShape, folderAnswerShape, fileAnswerShape]),
  async run(brain, ask, caller, watch) {
    const sources = sourcesOf(brain);
    // A token of the web page belongs to a person but has left the app, so it reads what a token may.
    const reach = caller.human && caller.origin === 'obsidian' ? 'person' : 'fenced';
    const options: FileOptions = {
      wing: ask.wing,
      hall: ask.hall,
      destination: ask.destination ?? brain.config.ingestDestination,
      force: ask.force,
      dryRun: ask.dry_run === true,
    };
    // The path is resolved before a job begins, so that the caller gets its errors.
    const found = await sources.locate(ask.path, reach);
    if (found.kind === 'file') checkKind(brain, found);
    return inBackgroundOrNow(brain, { caller, background: ask.background, watch }, async (each) => {
      if (found.kind === 'file') return ingestFile(brain, found, options, caller, each);
      const files = await sources.list(found, ask.recursive, reach, each.signal);
      return ingestFolder(brain, { file: found.file, files }, options, caller, each);
    });
  },
});

/** @throws BrainError `unsupported_type` when the file is of a kind that cannot be read now */
export function checkKind({ documents }: Pick<Brain, 'documents'>, { name }: Pick<SourceFile, 'name'>): void {
  const readability = documents.readability(name);
  if (readability === 'no_converter') {
    throw new BrainError(
      'unsupported_type',
      `"${name}" can be read only by a converter, and none that does is configured. ${converterAdvice(name)} Or send the text of the file.`,
    );
  }
  if (readability === 'unknown') {
    throw new BrainError(
      'unsupported_type',
      `"${name}" is of a kind that is not read. Send its text, or save it as Markdown, HTML or PDF.`,
    );
  }
}

/** The length of a title made from the first words of a text, in code points. */
const NAME_POINTS = 60;
/** The part of a text that is searched for a title, in UTF-16 units: titles are at the beginning. */
const TITLE_REACH = 64 * 1024;

const textInput = z.strictObject({
  text: z.string().describe('Plain text or Markdown'),
  title: z.string().max(MAX_TITLE).optional(),
  source: z.string().max(2000).optional().describe('URL or label of where it comes from'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  destination: z
    .enum(['raw', 'wiki'])
    .optional()
    .describe('raw: the review queue; wiki: live at once, for pages with wing and hall'),
  force: z.boolean().optional().describe('Make the pages again when the text is known already'),
  dry_run: dryRunField,
  background: backgroundField,
});

/**
 * Ingests a text and keeps it, byte for byte, among the processed originals. The same text again is `unchanged`. Fails with
 * `empty_content`, `invalid_wing`, an error of its front matter, or `busy` when too many callers wait; nothing is written or
 * kept then.
 */
export const ingestText = operation({
  name: 'ingest',
  scope: 'propose',
  mutates: true,
  keyed: 'answer',
  input: textInput,
  output: z.union([jobShape, ingestResultShape]),
  async run(brain, { text, title, source, dry_run, background, ...place }, caller, watch) {
    if (isBlank(text)) {
      throw new BrainError('empty_content', '"text" is empty. Send the text to ingest.', { field: 'text' });
    }
    const bytes = utf8ToBytes(text);
    const hash = sha256(bytes);
    const ownTitle = blankAsNone(title) ?? (await titleIn(text, brain.pace));
    const name = `${ownTitle === null ? 'text' : slugify(ownTitle, hash)}-${hash.slice(0, 8)}.txt`;
    const request: IngestRequest = {
      hash,
      name,
      label: blankAsNone(source),
      reference: (original) => sourceReference(original, name),
      original: { kind: 'keep', bytes },
      posted: true,
      read: async () => documentOf(text),
      title: ownTitle ?? undefined,
      wing: place.wing,
      hall: place.hall,
      destination: place.destination ?? brain.config.ingestDestination,
      force: place.force === true,
      dryRun: dry_run === true,
    };
    return inBackgroundOrNow(brain, { caller, background, watch }, (each) =>
      ingestSource(brain, { ...request, ...each }, caller),
    );
  },
});

export function blankAsNone(text: string | undefined): string | null {
  return text === undefined || isBlank(text) ? null : text.trim();
}

const CUT = `Only the first ${MAX_TEXT.toLocaleString('en')} characters of the text were read; the kept original has all of it.`;

function documentOf(sent: string): DocumentText {
  const text = withoutNul(sent);
  if (text.length <= MAX_TEXT) return { markdown: text, converted: false, warnings: [] };
  return {
    // The cut must not split a surrogate pair.
    markdown: text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, ''),
    converted: false,
    warnings: [CUT],
  };
}

/** Returns the title of a text, or its first words; null when it has none. */
async function titleIn(text: string, pace: Brain['pace']): Promise<string | null> {
  const beginning = text.slice(0, TITLE_REACH);
  const { h1, plain } = await inSlices(apart(FACTS, bodyOf(beginning)), pace);
  const own = noteTitle(frontMatterOf(beginning), h1);
  return [own, firstPoints(plain, NAME_POINTS)].find((name) => name !== null && !isBlank(name)) ?? null;
}

function frontMatterOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return openContent(text).frontmatter;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return {};
    throw error;
  }
}
