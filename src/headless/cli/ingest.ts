import type { Command } from 'commander';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { backfillRefs } from '../../core/ingest/backfill-refs';
import type { JobState } from '../../core/operation/jobs';
import type { FileAnswer, IngestedPage, IngestResult } from '../../core/operation/shapes';
import { type Answer, type Client, clientFrom, type Reply } from '../terminal/client';
import { CommandError, FailedAnswer, Interrupted, type Io, UsageError } from '../terminal/io';
import { counted, type Line, oneLine, remarks, show } from '../terminal/output';
import { isPathLike, noteInput } from './arguments';
import { fieldsOf, wantsJson } from './ask';
import { importLines } from './imports';
import { checkSummary, type FolderOptions, openFile, sendFolder, summaryLines, summaryOf } from './folder';
import { addJobCommand, type JobOutcome, RESUME, waitForJob } from './jobs';

const HOW: Readonly<Record<IngestResult['extraction'], string>> = {
  llm: 'by the language model',
  passthrough: 'as it is',
  structured: 'as given',
  unchanged: 'known already, nothing done',
};

function isJob(value: JobState | JobOutcome): value is JobState {
  return 'job' in value;
}

/** Returns the outcome of a text, a file or a folder as lines for a person. */
function outcomeLines(outcome: JobOutcome, dryRun: boolean): Line[] {
  const ofImport = importLines(outcome);
  if (ofImport !== null) return ofImport;
  const summary = summaryOf(outcome);
  return summary === null ? sourceLines(asSource(outcome), dryRun) : summaryLines(summary, dryRun);
}

function asSource(outcome: JobOutcome): IngestResult | FileAnswer {
  if ('errors' in outcome || 'import' in outcome || 'adopted' in outcome)
    throw new Error('the outcome has lines of its own');
  return outcome;
}

function sourceLines(answer: IngestResult | FileAnswer, dryRun: boolean): Line[] {
  const { extraction, pages, original, warnings } = answer;
  const name = 'file' in answer ? answer.file : (answer.source ?? 'Text');
  return [
    `${oneLine(name)}: ${extraction === 'unchanged' ? HOW.unchanged : `${counted(pages.length, 'page')}, ${HOW[extraction]}`}`,
    ...pages.flatMap((page) => pageLines(page, dryRun)),
    ...(original === undefined ? [] : [`  original: ${oneLine(original)}`]),
    ...remarks({ warnings }),
  ];
}

function pageLines(page: IngestedPage, dryRun: boolean): Line[] {
  const title = oneLine(page.title);
  const path = oneLine(page.path ?? page.duplicate_of ?? '');
  const lines: Readonly<Record<IngestedPage['status'], string>> = {
    written: `  ${dryRun ? 'would write' : 'wrote'} ${path}  ${title}`,
    duplicate: `  says what ${path} says  ${title}`,
    rejected_before: `  rejected before  ${title}`,
    skipped_empty_title: '  skipped: a page without a title',
  };
  return [
    lines[page.status],
    ...page.similar.map((similar) => `    similar: ${oneLine(similar.path)}`),
    ...remarks(page, '    '),
  ];
}

/** The input of `brain ingest`. `vault` is a path in the vault, which only the server can find. */
type IngestInput =
  | { readonly kind: 'stdin' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'vault'; readonly path: string }
  | { readonly kind: 'file' | 'folder'; readonly path: string };

/**
 * Tells a path from a text: a file on this machine is a path, and so is `inbox` with what may follow it.
 * @throws UsageError for what looks like a path and leads nowhere: it is more likely mistyped than a text.
 */
async function chooseInput(what: string | undefined): Promise<IngestInput> {
  if (what === undefined || what === '-') return { kind: 'stdin' };
  const info = await stat(what).catch(() => null);
  if (info !== null) return { kind: info.isDirectory() ? 'folder' : 'file', path: path.resolve(what) };
  if (/^(?:brain\/)?inbox(?:\/\S*|\/.*\.\w+)?$/.test(what)) return { kind: 'vault', path: what };
  if (isPathLike(what)) {
    throw new UsageError(
      `There is no file or folder "${what}" here. To ingest this as a text, send it on standard input.`,
    );
  }
  if (what.trim() === '') throw new UsageError('The text is empty.');
  return { kind: 'text', text: what };
}

/** The timeout of a backfill (ms): every note of a large vault may have to be rewritten. */
const BACKFILL_TIMEOUT_MS = 600_000;

interface IngestOptions extends FolderOptions {
  readonly title?: string;
  readonly source?: string;
}

/**
 * Adds `brain ingest`: a text, a file or a folder becomes pages; the server does the work while this shows its progress.
 * Adds `brain backfill-refs`: it adds missing sources to notes.
 */
export function addIngestCommands(program: Command, io: Io): void {
  program
    .command('ingest')
    .description('turn a text, a file or a folder into notes that await review')
    .argument('[what]', 'a file, a folder, or the text itself; without it, or for -, standard input is read')
    .option('--title <title>', 'title of the text')
    .option('--source <source>', 'where the text is from: an address or a label')
    .option('--wing <wing>', 'topic that the pages belong to')
    .option('--hall <hall>', 'facts, decisions, failures, hypotheses or sources')
    .option('--destination <place>', 'raw (the review queue) or wiki, which needs a wing and a hall')
    .option('--no-recursive', 'leave out the folders of a folder')
    .option('--force', 'make the pages again when the source is known already')
    .option('--dry-run', 'say what would happen, change nothing')
    .addHelpText(
      'after',
      `
Examples:
  $ brain ingest inbox/report.pdf
  $ brain ingest ~/papers/lease.pdf --wing home --hall facts
  $ curl -s https://example.org/notes.txt | brain ingest --source https://example.org/notes.txt`,
    )
    .action(async (what: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<IngestOptions>();
      const chosen = await chooseInput(what);
      if (chosen.kind === 'folder' || chosen.kind === 'vault') checkOptions(options);
      const client = await clientFrom(io);
      const begun = await begin(io, client, chosen, options);
      if (begun === null) return;
      const { reply, stopped } = isJob(begun.value)
        ? await waitForJob(client, begun.value, io)
        : { reply: ended(begun), stopped: false };
      show(io, options.json === true, reply, (outcome) => outcomeLines(outcome, options.dryRun === true));
      if (stopped) throw new Interrupted(stoppedWords(reply.value), true);
      checkOutcome(reply.value);
    });

  addJobCommand(program, io, (outcome) => outcomeLines(outcome, false));

  program
    .command('backfill-refs')
    .description('add references to their sources to notes that lack them, where that can be proved')
    .option('--wing <wing>', 'only notes of this wing')
    .option('--hall <hall>', 'only notes of this hall')
    .option('--dry-run', 'say what would happen, change nothing')
    .action(async (_: unknown, command: Command) => {
      const fields = fieldsOf<{ readonly dry_run?: boolean }>(command);
      const client = await clientFrom(io);
      const reply = await client.call('backfillRefs', fields, BACKFILL_TIMEOUT_MS);
      show(io, wantsJson(command), reply, (done) => backfillLines(done, fields.dry_run === true));
      const failed = reply.value.errors.length;
      if (failed > 0) throw new FailedAnswer(`${counted(failed, 'note')} could not be changed.`);
    });
}

function backfillLines(done: Answer<typeof backfillRefs>, dryRun: boolean): string[] {
  const { scanned, updated, already, unresolved, changes, errors } = done;
  return [
    ...changes.flatMap(({ path, added }) => [
      path,
      ...added.map((reference) => `  source: ${oneLine(reference)}`),
    ]),
    ...errors.map(({ path, error }) => `${path}: ${oneLine(error)}`),
    `${counted(scanned, 'note')}: ${updated} ${dryRun ? 'would change' : 'changed'}, ${already} had theirs, ${unresolved} without proof`,
  ];
}

/** Checks the options. @throws UsageError for options that would have no effect. */
function checkOptions({ title, source }: IngestOptions): void {
  if (title !== undefined || source !== undefined) {
    throw new UsageError(
      'The files of a folder have their own names and titles: --title and --source go with a text or a file.',
    );
  }
}

type Begun = Reply<JobState | JobOutcome>;

/** Begins the work; null for a folder, which is sent as a batch and done then. */
async function begin(
  io: Io,
  client: Client,
  input: IngestInput,
  options: IngestOptions,
): Promise<Begun | null> {
  const { title, source } = options;
  if (input.kind === 'stdin')
    return postText(client, { text: await noteInput(io, '-'), title, source }, options);
  if (input.kind === 'text') return postText(client, { text: input.text, title, source }, options);
  const { path: at, kind } = input;
  const { recursive } = options;
  if (kind === 'vault') return client.call('ingestPath', { path: at, recursive, ...shared(options) });
  try {
    // What is in the inbox already stays there; anything else is sent, whatever machine the server runs on.
    const isNamed = title !== undefined || source !== undefined;
    if (isInInbox(at) && !isNamed) {
      return await client.call('ingestPath', { path: at, recursive, ...shared(options) });
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (!['path_not_allowed', 'source_missing'].includes(error.code ?? '')) throw error;
  }
  if (kind === 'folder') {
    await sendFolder(io, client, at, options);
    return null;
  }
  const name = path.basename(at).normalize('NFC');
  return client.sendFile('ingestFile', { name, title, source, ...shared(options) }, await openFile(at));
}

function isInInbox(at: string): boolean {
  return at.split(path.sep).includes('inbox');
}

function postText(
  client: Client,
  text: { text: string; title?: string | undefined; source?: string | undefined },
  options: IngestOptions,
): Promise<Begun> {
  return client.call('ingest', { ...text, ...shared(options) });
}

function shared({ wing, hall, destination, force, dryRun }: IngestOptions) {
  return { wing, hall, destination, force, dry_run: dryRun, background: true };
}

function ended({ value, text }: Begun): Reply<JobOutcome> {
  if (isJob(value)) throw new Error('a job that runs has not ended');
  return { value, text };
}

/** Returns what an interrupt has left undone. */
function stoppedWords(outcome: JobOutcome): string {
  const summary = summaryOf(outcome);
  if (summary === null || !summary.cancelled) return 'All was done before it could be cancelled.';
  return `Cancelled: ${counted(summary.untouched, 'file')} not touched. ${RESUME}`;
}

/** Checks the printed outcome of a folder. @throws FailedAnswer when it was cancelled or a file failed. */
function checkOutcome(outcome: JobOutcome): void {
  const summary = summaryOf(outcome);
  if (summary !== null) checkSummary(summary);
}
