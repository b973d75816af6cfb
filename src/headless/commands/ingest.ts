import type { Command } from 'commander';
import type { backfillRefs } from '../../core/ingest/backfill-refs';
import type { ingestPath } from '../../core/ingest/ingest-path';
import type { ingestText } from '../../core/ingest/ingest-text';
import type { JobState } from '../../core/ingest/jobs';
import { type Answer, type Client, clientFrom, type Reply } from '../client';
import { type JobOutcome, untilJobEnds } from '../follow-job';
import { isFolder, isJob, outcomeLines } from '../ingest-lines';
import { chooseInput, type IngestInput, outOfReach, textOfFile } from '../ingest-input';
import { CommandError, type Io, UsageError } from '../io';
import { noteInput } from '../note-input';
import { counted, oneLine, show } from '../output';

/** Every note of a large vault may have to be rewritten. */
const BACKFILL_TIMEOUT_MS = 600_000;

interface IngestOptions {
  readonly title?: string;
  readonly source?: string;
  readonly wing?: string;
  readonly hall?: string;
  readonly destination?: string;
  readonly recursive: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface BackfillOptions {
  readonly wing?: string;
  readonly hall?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/**
 * `brain ingest`: a text, a file or a folder becomes pages; the work goes on in the server while this shows how far it is.
 * `brain backfill-refs`: notes that came from somewhere say from where.
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
  $ brain ingest ~/notes/router.md --wing homelab
  $ curl -s https://example.org/notes.txt | brain ingest --source https://example.org/notes.txt`,
    )
    .action(async (what: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<IngestOptions>();
      const chosen = await chooseInput(what);
      if (chosen.kind !== 'text' && chosen.kind !== 'stdin') checkOptions(options);
      const client = await clientFrom(io);
      const begun = await begin(io, client, chosen, options);
      const reply = isJob(begun.value) ? await untilJobEnds(client, begun.value, io.stderr) : ended(begun);
      show(io.stdout, options.json === true, reply, (outcome) =>
        outcomeLines(outcome, options.dryRun === true),
      );
      checkOutcome(reply.value);
    });

  program
    .command('backfill-refs')
    .description('add references to their sources to notes that lack them, where that can be proved')
    .option('--wing <wing>', 'only notes of this wing')
    .option('--hall <hall>', 'only notes of this hall')
    .option('--dry-run', 'say what would happen, change nothing')
    .action(async (_: unknown, command: Command) => {
      const { wing, hall, dryRun, json } = command.optsWithGlobals<BackfillOptions>();
      const client = await clientFrom(io);
      const reply = await client.post<typeof backfillRefs>(
        '/backfill-refs',
        { wing, hall, dry_run: dryRun },
        BACKFILL_TIMEOUT_MS,
      );
      show(io.stdout, json === true, reply, (done) => backfillLines(done, dryRun === true));
      const failed = reply.value.errors.length;
      if (failed > 0) throw new CommandError(`${counted(failed, 'note')} could not be changed.`);
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

/** @throws UsageError for options that would be without effect. */
function checkOptions({ title, source }: IngestOptions): void {
  if (title !== undefined || source !== undefined) {
    throw new UsageError('A file has its own name and title: --title and --source go with a text.');
  }
}

type Begun = Reply<JobState | JobOutcome>;

async function begin(io: Io, client: Client, input: IngestInput, options: IngestOptions): Promise<Begun> {
  const { title, source } = options;
  if (input.kind === 'stdin')
    return postText(client, { text: await noteInput(io, '-'), title, source }, options);
  if (input.kind === 'text') return postText(client, { text: input.text, title, source }, options);
  try {
    const { path } = input;
    const { recursive } = options;
    return await client.post<typeof ingestPath>('/ingest-path', { path, recursive, ...shared(options) });
  } catch (error) {
    // The server may be another machine, or may not reach the file; this program was started by someone who does.
    if (!(error instanceof CommandError) || input.kind === 'vault') throw error;
    if (!['path_not_allowed', 'source_missing'].includes(error.code ?? '')) throw error;
    const text = input.kind === 'file' ? await textOfFile(input.path) : null;
    if (text === null) throw await outOfReach(input.path, client, error);
    return postText(client, text, options);
  }
}

function postText(
  client: Client,
  text: { text: string; title?: string | undefined; source?: string | undefined },
  options: IngestOptions,
): Promise<Begun> {
  return client.post<typeof ingestText>('/ingest', { ...text, ...shared(options) });
}

function shared({ wing, hall, destination, force, dryRun }: IngestOptions) {
  return { wing, hall, destination, force, dry_run: dryRun, background: true };
}

function ended({ value, text }: Begun): Reply<JobOutcome> {
  if (isJob(value)) throw new Error('a job that runs has not ended');
  return { value, text };
}

/** @throws CommandError when not all was done, after what was done has been shown. */
function checkOutcome(outcome: JobOutcome): void {
  if (!isFolder(outcome)) return;
  const { files, ingested, unchanged, skipped, failed } = outcome.counts;
  const left = files - ingested - unchanged - skipped - failed;
  if (outcome.cancelled === true) throw new CommandError(`Cancelled: ${counted(left, 'file')} not touched.`);
  if (failed > 0) throw new CommandError(`${counted(failed, 'file')} failed.`);
}
