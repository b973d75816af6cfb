import { type Command, Option } from 'commander';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { adoptImport } from '../../core/imports/operations';
import type { JobState } from '../../core/operation/jobs';
import type { ImportAnswer } from '../../core/operation/shapes';
import { type Answer, type Client, clientFrom, type Reply } from '../terminal/client';
import { CommandError, FailedAnswer, Interrupted, interruptible, type Io, UsageError } from '../terminal/io';
import { counted, type Line, oneLine, progressBar, show } from '../terminal/output';
import { ask, wantsJson } from './ask';
import { listFolder } from './folder';
import { type JobOutcome, waitForJob } from './jobs';
import { STORE } from './transfer';

/** The bytes of one part of a file: a file of any size is sent in parts. */
const PART_BYTES = 64 * 1024 * 1024;
/** The files that are sent at the same time. */
const AT_ONCE = 4;
/** The names that a list for a person has at most. */
const MAX_NAMES = 20;

interface ImportOptions {
  readonly name?: string;
  readonly onlyMe?: true;
  readonly keep?: true;
  readonly again?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** A file to be sent, under its place in the import. */
interface Source {
  readonly full: string;
  readonly place: string;
  readonly size: number;
}

/** Adds `brain import` and `brain imports`. `transfer` does what `brain import` without arguments did before. */
export function addImportCommands(
  program: Command,
  io: Io,
  transfer: (options: { readonly vault?: string; readonly store?: string }) => Promise<void>,
): void {
  program
    .command('import')
    .description('bring notes from elsewhere into the vault as your own, as one act that can be taken back')
    .argument('[what...]', 'archives, files and folders: exports of other programs, documents, notes')
    .option(
      '--name <name>',
      'name of the import; its pages stand in imports/<name>/ (default: that of what comes)',
    )
    .option('--only-me', "no token but the owner's will read it")
    .option('--keep', 'keep what would act in the pages: scripts, plugin settings, remote pictures')
    .option('--again', 'add to the import of this name what is new')
    .option('--dry-run', 'show what would be made, change nothing')
    .option('--yes', 'do not ask')
    .addOption(new Option('--vault <dir>').hideHelp())
    .addOption(new Option(STORE[0]).argParser(STORE[2]).hideHelp())
    .addHelpText(
      'after',
      `
It shows what will be made and asks. Elsewhere than on a terminal it prints the preview and ends with 1, unless --yes is given.

Examples:
  $ brain import ~/Downloads/takeout.zip --name keep
  $ brain import ~/Downloads/notes.enex ~/Documents/letters
  $ brain imports take-back keep`,
    )
    .action(async (what: string[], _: unknown, command: Command) => {
      const options = command.opts<ImportOptions & { readonly vault?: string; readonly store?: string }>();
      if (what.length > 0) return bring(io, what, command);
      const { vault, store = io.env.BRAIN_STORE ?? '' } = options;
      if (vault === undefined && store === '')
        throw new UsageError('Name what to import: an archive, a file or a folder.');
      io.stderr.write(
        'warning: "brain import" without a file is "brain store import" now; the next release drops the old name.\n',
      );
      return transfer(options);
    });
  addImportsCommands(program, io);
}

/** Adds `brain imports`: what was imported, and what becomes of it. */
function addImportsCommands(program: Command, io: Io): void {
  const imports = program.command('imports').description('list what was imported');
  imports.action((_: unknown, command: Command) =>
    ask(io, command, 'imports', {}, ({ imports: all }) =>
      all.length === 0 ? ['Nothing was imported yet.'] : all.map(importLine),
    ),
  );
  imports
    .command('show')
    .description('list the files of an import with what became of each')
    .argument('<name>', 'name of the import')
    .option('--limit <n>', 'at most so many files', Number)
    .action((name: string, _: unknown, command: Command) =>
      ask(io, command, 'imports', { name, ...command.opts<{ limit?: number }>() }, ({ imports: [one] }) =>
        one === undefined ? [] : entryLines(one),
      ),
    );
  imports
    .command('adopt')
    .description('adopt an import into the wiki, or a part of it')
    .argument('<name>', 'name of the import')
    .option('--folder <folder>', 'only a folder of it')
    .option('--path <path...>', 'only these notes')
    .option('--wing <wing>', 'wing for all (default: the folders at its top)')
    .option('--hall <hall>', 'facts, decisions, failures, hypotheses or sources (default: sources)')
    .option('--dry-run', 'say what would happen, change nothing')
    .action(async (name: string, _: unknown, command: Command) => {
      const {
        path: paths,
        dryRun,
        ...options
      } = command.opts<{
        readonly folder?: string;
        readonly path?: string[];
        readonly wing?: string;
        readonly hall?: string;
        readonly dryRun?: true;
      }>();
      const client = await clientFrom(io);
      const fields = { name, ...options, paths, dry_run: dryRun, background: true };
      const reply = await outcomeOf(io, client, await client.call('adoptImport', fields));
      show(io, wantsJson(command), reply, (outcome) => adoptionLines(outcome, dryRun === true));
      const failed = 'adopted' in reply.value ? reply.value.counts.failed : 0;
      if (failed > 0) throw new FailedAnswer(`${counted(failed, 'note')} could not be adopted.`);
    });
  imports
    .command('take-back')
    .description('take an import out of the vault; --undo puts it back within 30 days')
    .argument('<name>', 'name of the import')
    .option('--undo', 'put it back')
    .option('--dry-run', 'say what would happen, change nothing')
    .option('--yes', 'do not ask')
    .action((name: string, _: unknown, command: Command) => takeBack(io, name, command));
}

/** Sends what is to be imported, shows the preview, and imports it when the person says so. */
async function bring(io: Io, what: readonly string[], command: Command): Promise<void> {
  const { name, onlyMe, keep, again, dryRun, yes } = command.opts<ImportOptions>();
  const json = wantsJson(command);
  const sources = await sourcesIn(what);
  const client = await clientFrom(io);
  const source = what
    .map((each) => path.basename(path.resolve(each)))
    .join(', ')
    .slice(0, 500);
  const said = { name: name ?? nameFor(what), source, only_me: onlyMe, keep, again };
  const { value: batch } = await client.call('openImport', said);
  let isOpen = true;
  try {
    await sendAll(io, client, batch.batch, sources);
    const preview = await runImport(io, client, batch.batch, true);
    const isAsking = yes !== true || dryRun === true;
    if (isAsking || !json) show(io, json && isAsking, preview, (answer) => previewLines(answer));
    if (dryRun === true) return;
    if (yes !== true) {
      if (io.stdin.isTTY !== true || json)
        throw new FailedAnswer('Nothing was changed. Import it with: --yes');
      if (!(await agrees(io, 'Import this?'))) throw new CommandError('Nothing was changed.');
    }
    isOpen = false;
    const done = await runImport(io, client, batch.batch, false);
    show(io, json, done, doneLines);
  } finally {
    if (isOpen) await client.call('dropBatch', { batch: batch.batch }).catch(() => undefined);
  }
}

async function takeBack(io: Io, name: string, command: Command): Promise<void> {
  const { undo, dryRun, yes } = command.opts<{ undo?: true; dryRun?: true; yes?: true }>();
  const json = wantsJson(command);
  const client = await clientFrom(io);
  const fields = { name, undo };
  const preview = await outcomeOf(
    io,
    client,
    await client.call('takeImportBack', { ...fields, dry_run: true }),
  );
  const isAsking = yes !== true || dryRun === true;
  if (isAsking) show(io, json, preview, (answer) => leavingLines(answer, undo === true));
  if (dryRun === true) return;
  if (yes !== true) {
    if (io.stdin.isTTY !== true || json) throw new FailedAnswer('Nothing was changed. Do it with: --yes');
    if (!(await agrees(io, undo === true ? 'Put it back?' : 'Take it back?')))
      throw new CommandError('Nothing was changed.');
  }
  const reply = await client.call('takeImportBack', { ...fields, background: true });
  show(io, json, await outcomeOf(io, client, reply), doneLines);
}

/** @throws CommandError when a file or folder cannot be read */
async function sourcesIn(what: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const each of what) {
    const full = path.resolve(each);
    const info = await stat(full).catch(() => null);
    if (info === null) throw new UsageError(`There is no file or folder "${each}" here.`);
    const own = path.basename(full).normalize('NFC');
    const top = what.length === 1 ? '' : `${own}/`;
    const files = info.isDirectory()
      ? (await listFolder(full, true)).map((file) => ({ ...file, place: `${top}${file.place}` }))
      : [{ full, place: own }];
    for (const { full: at, place } of files) {
      const { size } = await stat(at);
      sources.push({ full: at, place: place.normalize('NFC'), size });
    }
  }
  if (sources.every(({ size }) => size === 0)) throw new CommandError('There is nothing in it to import.');
  return sources;
}

/** Returns the name that an import gets from what comes. */
function nameFor(what: readonly string[]): string {
  return path
    .basename(path.resolve(what[0] ?? 'import'))
    .normalize('NFC')
    .replace(/(?<=.)\.(?:zip|enex|jex|mbox|textpack|epub|tar|tgz|tar\.gz|json|html?|opml|md|txt)$/i, '');
}

/** Sends files, several at a time. @throws Interrupted after Ctrl-C, CommandError */
async function sendAll(io: Io, client: Client, batch: string, sources: readonly Source[]): Promise<void> {
  const shows = io.stderr.isTTY === true;
  let [next, done] = [0, 0];
  await interruptible(async (signal) => {
    const work = async (): Promise<void> => {
      for (let file = sources[next++]; file !== undefined && !signal.aborted; file = sources[next++]) {
        await sendOne(client, batch, file, signal).catch((error: unknown) => {
          next = sources.length;
          throw error;
        });
        done += 1;
        if (shows) io.stderr.write(`\r${progressBar('sending', { done, total: sources.length })}\u001b[K`);
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    } finally {
      if (shows) io.stderr.write('\r\u001b[K');
    }
    if (signal.aborted) throw new Interrupted('Cancelled before anything was written.');
  });
}

async function sendOne(
  client: Client,
  batch: string,
  { full, place, size }: Source,
  signal: AbortSignal,
): Promise<void> {
  for (let offset = 0; offset < size && !signal.aborted; offset += PART_BYTES) {
    const handle = await open(full, 'r').catch((error: unknown) => {
      throw new CommandError(
        `${full} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
    const end = Math.min(size, offset + PART_BYTES);
    const stream = handle.createReadStream({ start: offset, end: end - 1 });
    const ask = { batch, name: place, ...(offset > 0 && { offset }) };
    await client.sendFile('sendBatchFile', ask, { size: end - offset, stream });
  }
}

async function runImport(io: Io, client: Client, batch: string, dryRun: boolean): Promise<Reply<JobOutcome>> {
  return outcomeOf(io, client, await client.call('runBatch', { batch, dry_run: dryRun, background: true }));
}

/** Returns what came of a call that may go on in a job. */
async function outcomeOf(
  io: Io,
  client: Client,
  { value, text }: Reply<JobState | JobOutcome>,
): Promise<Reply<JobOutcome>> {
  if (!('job' in value)) return { value, text };
  const { reply, stopped } = await waitForJob(client, value, io);
  if (stopped) throw new Interrupted('It goes on where it was cut when the same is asked for again.', true);
  return reply;
}

async function agrees({ stdin, stderr }: Io, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

function importOf(outcome: JobOutcome): ImportAnswer {
  if ('import' in outcome) return outcome.import;
  throw new Error('the outcome is that of no import');
}

/** Returns what came of an import as lines; null for any other outcome. */
export function importLines(outcome: JobOutcome): Line[] | null {
  if ('import' in outcome) return doneLines(outcome);
  return 'adopted' in outcome ? adoptionLines(outcome, false) : null;
}

const STATES: Readonly<Record<ImportAnswer['state'], string>> = {
  preview: 'not imported yet',
  writing: 'being written; the server goes on by itself',
  imported: 'imported',
  leaving: 'being taken back; the server goes on by itself',
  taken_back: 'taken back',
};

function importLine({ name, state, at, pages, files, only_me: isPrivate }: ImportAnswer): Line {
  const what = `${counted(pages, 'page')}, ${counted(files, 'file')}`;
  return `${oneLine(name)}  ${at}  ${what}  ${STATES[state]}${isPrivate ? ', only for you' : ''}`;
}

function previewLines(outcome: JobOutcome): Line[] {
  const { name, folder, pages, files, told, folders = [], only_me: isPrivate, ...rest } = importOf(outcome);
  const { unread = [], warnings = [], duplicates = [], findings = [], unchanged, different = [] } = rest;
  return [
    `Import "${oneLine(name)}" into ${folder}/: ${counted(pages, 'page')}, ${counted(files, 'file')}`,
    ...told.map((sentence) => `  ${oneLine(sentence)}`),
    ...listed(
      folders.filter(({ folder: at }) => at !== ''),
      ({ folder: at, pages: count, wing }) =>
        `  ${oneLine(at)}/  ${counted(count, 'page')}, would be the wing ${wing}`,
    ),
    ...(unchanged === undefined ? [] : [`  ${counted(unchanged, 'file')} there already`]),
    ...listed(different, ({ path: at }) => `  different now, left as it is: ${at}`),
    ...listed(
      unread,
      ({ from, why, kept }) =>
        `  no note${kept ? ', kept as a file' : ''}: ${oneLine(from)}: ${oneLine(why)}`,
    ),
    ...listed(duplicates, ({ from, of }) => `  says what ${of} says: ${oneLine(from)}`),
    ...listed(
      findings,
      ({ from, found }) => `  made harmless unless --keep: ${oneLine(from)}: ${oneLine(found[0] ?? '')}`,
    ),
    ...listed(
      warnings,
      ({ from, warnings: [first = ''] }) => `  warning: ${oneLine(from)}: ${oneLine(first)}`,
    ),
    isPrivate
      ? "  No token but the owner's will read it."
      : '  Every token that may read the vault will read it, unless you say --only-me.',
  ];
}

function listed<T>(items: readonly T[], line: (item: T) => string): string[] {
  const more = items.length - MAX_NAMES;
  return [...items.slice(0, MAX_NAMES).map(line), ...(more > 0 ? [`  and ${more} more`] : [])];
}

function doneLines(outcome: JobOutcome): Line[] {
  const { name, folder, pages, files, state, undone = [] } = importOf(outcome);
  const what = `${counted(pages, 'page')}, ${counted(files, 'file')}`;
  return [
    state === 'taken_back'
      ? `Took "${oneLine(name)}" back: ${what}. Put it back within 30 days with: imports take-back --undo`
      : `Imported "${oneLine(name)}" into ${folder}/: ${what}`,
    ...listed(undone, ({ path: at, why }) => `  ${at}: ${oneLine(why)}`),
  ];
}

function leavingLines(outcome: JobOutcome, undo: boolean): Line[] {
  const { name, folder, pages, files, state } = importOf(outcome);
  const what = `${counted(pages, 'page')}, ${counted(files, 'file')}`;
  if (undo !== (state === 'taken_back')) return [`"${oneLine(name)}" is ${STATES[state]}: nothing to do.`];
  return [
    undo
      ? `Would put "${oneLine(name)}" back into ${folder}/: ${what}`
      : `Would take "${oneLine(name)}" out of ${folder}/: ${what}; what was changed since stays`,
  ];
}

function entryLines(one: ImportAnswer): Line[] {
  const { entries = [], more } = one;
  return [
    importLine(one),
    ...entries.map(({ path: at, from, state, warnings = [] }) => {
      const said = warnings.length === 0 ? '' : `  ${oneLine(warnings.join(' '))}`;
      return `  ${state === 'there' ? '' : `${state}: `}${oneLine(at)}  from ${oneLine(from)}${said}`;
    }),
    ...(more === undefined ? [] : [`  and ${more} more; --limit shows them`]),
  ];
}

function adoptionLines(outcome: JobOutcome | Answer<typeof adoptImport>, dryRun: boolean): Line[] {
  if (!('adopted' in outcome)) throw new Error('the outcome is that of no adoption');
  const { adopted, failed, counts, name } = outcome;
  return [
    `${dryRun ? 'Would adopt' : 'Adopted'} ${counted(counts.adopted, 'note')} of "${oneLine(name)}"`,
    ...listed(adopted, ({ from, path: at }) => `  ${oneLine(from)}  ${at}`),
    ...listed(failed, ({ path: at, message, code }) => `  ${oneLine(at)}: ${oneLine(message)} (${code})`),
  ];
}
