import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import type { listPending } from '../../core/review/pending';
import type { promoteNote } from '../../core/review/promote';
import { type Answer, type Client, clientFrom } from '../terminal/client';
import { CommandError, FailedAnswer, Interrupted, interruptible, type Io, UsageError } from '../terminal/io';
import { counted, type Line, oneLine, print, progressBar, remarks, styled } from '../terminal/output';
import { ask, fieldsOf } from './ask';

interface PromoteOptions {
  readonly wing?: string;
  readonly hall?: string;
  readonly slug?: string;
  readonly expectedHash?: string;
  readonly suggested?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

type Promoted = Answer<typeof promoteNote>;
type Entry = Answer<typeof listPending>['pending'][number];

/** A note with the address that it is to have; `expected_hash` is the version that was looked at. */
interface Wanted {
  readonly path: string;
  readonly wing: string;
  readonly hall: string;
  readonly expected_hash?: string;
}

/** The answer of a command that promotes several notes. */
interface Batch {
  readonly promoted: Promoted[];
  /** Notes that stay in the queue, as they suggest no whole address. */
  readonly left: { readonly path: string; readonly missing: readonly string[] }[];
  readonly failed: { readonly path: string; readonly code: string; readonly message: string }[];
  /** The number of notes that were not tried, after an interrupt or a failure that concerns all of them. */
  not_tried: number;
}

/** Adds `brain promote`: one note, several, or all that suggest an address. */
export function addPromoteCommand(program: Command, io: Io): void {
  program
    .command('promote')
    .description('move notes from the review queue into the wiki')
    .argument('[paths...]', 'the notes, such as raw/2026-11-20-router.md')
    .option('--wing <wing>', 'topic they belong to')
    .option('--hall <hall>', 'facts, decisions, failures, hypotheses or sources')
    .option(
      '--suggested',
      'where their own wing and hall say; without a path, every note of the queue that has both',
    )
    .option('--slug <slug>', 'file name in the wiki (default: the name without its date); of one note')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more; of one note')
    .option('--dry-run', 'say what would happen, change nothing')
    .addHelpText(
      'after',
      `
Examples:
  $ brain promote raw/2026-11-20-router.md --wing homelab --hall facts --slug router-firmware
  $ brain promote raw/2026-11-2*.md --wing homelab --hall facts
  $ brain promote --suggested --dry-run`,
    )
    .action(async (paths: string[], _: unknown, command: Command) => {
      const options = command.optsWithGlobals<PromoteOptions>();
      const address = checkedAddress(paths, options);
      const [path] = paths;
      if (address !== null && path !== undefined && paths.length === 1) {
        await ask(io, command, 'promote', { path, ...fieldsOf(command) }, describePromoted);
        return;
      }
      const client = await clientFrom(io);
      const batch: Batch = { promoted: [], left: [], failed: [], not_tried: 0 };
      const wanted =
        address === null
          ? await suggestedNotes(client, paths, batch)
          : paths.map((each) => ({ path: each, ...address }));
      await promoteAll(io, client, wanted, options, batch);
    });
}

/** Adds `brain adopt`, which moves one of the owner's own notes into the wiki. */
export function addAdoptCommand(program: Command, io: Io): void {
  program
    .command('adopt')
    .description('move one of your own notes into the wiki; "brain unpromote" gives it back')
    .argument('<path>', 'the note, such as "Projects/Greenhouse plan.md"')
    .requiredOption('--wing <wing>', 'topic it belongs to')
    .requiredOption('--hall <hall>', 'facts, decisions, failures, hypotheses or sources')
    .option('--slug <slug>', 'file name in the wiki (default: its name)')
    .option('--expected-hash <sha>', 'refuse when the note is not at this version any more')
    .option('--dry-run', 'say what would happen, change nothing')
    .action((path: string, _: unknown, command: Command) =>
      ask(io, command, 'adopt', { path, ...fieldsOf(command) }, (adopted, dryRun) =>
        describeMove(adopted, dryRun ? 'Would adopt' : 'Adopted'),
      ),
    );
}

/**
 * Returns the address of all notes, or null when each has its own.
 * @throws UsageError for options that do not go together.
 */
function checkedAddress(
  paths: readonly string[],
  { wing, hall, slug, expectedHash, suggested = false }: PromoteOptions,
): { wing: string; hall: string } | null {
  if ((suggested || paths.length > 1) && (slug !== undefined || expectedHash !== undefined)) {
    throw new UsageError('One note alone can have --slug and --expected-hash. Promote that note by itself.');
  }
  if (suggested) {
    if (wing === undefined && hall === undefined) return null;
    throw new UsageError('With --suggested each note has its own address. Leave --wing and --hall out.');
  }
  if (paths.length === 0) throw new UsageError('Name the notes to promote, or give --suggested.');
  if (wing !== undefined && hall !== undefined) return { wing, hall };
  throw new UsageError('Give --wing and --hall, or --suggested for notes that name both themselves.');
}

/** Returns the notes that suggest a whole address; the others become those of the batch that are left or failed. */
async function suggestedNotes(client: Client, paths: readonly string[], batch: Batch): Promise<Wanted[]> {
  const entries: Entry[] = [];
  if (paths.length === 0) entries.push(...(await wholeQueue(client)));
  for (const path of paths) {
    const { value } = await client.call('pending', { path, similar: false });
    entries.push(...value.pending);
    if (value.pending.length > 0) continue;
    batch.failed.push({ path, code: 'source_missing', message: 'It is not in the review queue.' });
  }
  return entries.flatMap(({ path, content_hash: hash, suggested: { wing, hall } }) => {
    if (wing !== undefined && hall !== undefined) return [{ path, wing, hall, expected_hash: hash }];
    const missing = [...(wing === undefined ? ['wing'] : []), ...(hall === undefined ? ['hall'] : [])];
    batch.left.push({ path, missing });
    return [];
  });
}

async function wholeQueue(client: Client): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const { value } = await client.call('pending', { offset: entries.length, similar: false });
    entries.push(...value.pending);
    if (value.pending.length === 0 || entries.length >= value.total) return entries;
  }
}

/** Codes of failures that the next note would have as well. */
const OF_ALL: readonly (string | undefined)[] = [
  undefined,
  'unauthorized',
  'forbidden_scope',
  'rate_limited',
  'starting',
];

/**
 * Promotes notes one by one and prints the outcome.
 * @throws FailedAnswer when one could not be promoted, Interrupted after Ctrl-C.
 */
async function promoteAll(
  io: Io,
  client: Client,
  wanted: readonly Wanted[],
  { dryRun = false, json = false }: PromoteOptions,
  batch: Batch,
): Promise<void> {
  const { broken, stopped } = await interruptible(async (signal) => {
    const failure = await promoteEach(io, client, wanted, { dryRun, signal }, batch);
    return { broken: failure, stopped: signal.aborted };
  });
  if (broken !== null && !stopped && batch.promoted.length + batch.failed.length === 0) throw broken;
  if (json) io.stdout.write(`${JSON.stringify(batch)}\n`);
  else print(io, describeBatch(batch, dryRun));
  conclude(batch, broken, stopped);
}

/**
 * Promotes notes until all are done, the caller stops it, or one fails for a reason that concerns all. Returns that failure, or
 * null.
 */
async function promoteEach(
  { stderr }: Io,
  client: Client,
  wanted: readonly Wanted[],
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
  batch: Batch,
): Promise<CommandError | null> {
  const shows = stderr.isTTY === true;
  try {
    for (const [index, note] of wanted.entries()) {
      batch.not_tried = wanted.length - index;
      if (signal.aborted) return null;
      if (shows) stderr.write(`\r${progressBar('promoting', { done: index, total: wanted.length })}\u001b[K`);
      try {
        batch.promoted.push(await promotedInTurn(client, { ...note, dry_run: dryRun }, signal));
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        if (OF_ALL.includes(error.code)) return error;
        batch.failed.push({ path: note.path, code: error.code ?? '', message: error.message });
      }
    }
    batch.not_tried = 0;
    return null;
  } finally {
    if (shows) stderr.write('\r\u001b[K');
  }
}

/** Promotes a note; waits where the limit of changes in a minute is reached. */
async function promotedInTurn(client: Client, fields: object, signal: AbortSignal): Promise<Promoted> {
  for (;;) {
    try {
      return (await client.call('promote', fields)).value;
    } catch (error) {
      if (!(error instanceof CommandError) || error.code !== 'rate_limited' || signal.aborted) throw error;
      await sleep((error.retryAfter ?? 1) * 1000, undefined, { signal }).catch(() => undefined);
    }
  }
}

function conclude({ failed, not_tried: left }: Batch, broken: CommandError | null, stopped: boolean): void {
  if (stopped) {
    throw new Interrupted(`Stopped: ${counted(left, 'note')} not tried. Run it again for the rest.`, true);
  }
  if (broken !== null) {
    throw new FailedAnswer(`${broken.message} ${counted(left, 'note')} not tried.`, broken.code);
  }
  if (failed.length > 0) throw new FailedAnswer(`${counted(failed.length, 'note')} could not be promoted.`);
}

function describeBatch({ promoted, left, failed, not_tried: rest }: Batch, dryRun: boolean): Line[] {
  const total = promoted.length + left.length + failed.length + rest;
  if (total === 0) return ['Nothing awaits review.'];
  return [
    ...promoted.flatMap((each) => describePromoted(each, dryRun)),
    ...left.map(({ path, missing }) => `${oneLine(path)}: left, it suggests no ${missing.join(' and no ')}`),
    ...failed.map(({ path, code, message }): Line => [
      `${oneLine(path)}: `,
      styled('red', 'failed'),
      `, ${oneLine(message)} (${code})`,
    ]),
    `${promoted.length} ${dryRun ? 'would be promoted' : 'promoted'}, ${left.length} left, ${failed.length} failed`,
  ];
}

function describePromoted(promoted: Promoted, dryRun: boolean): Line[] {
  return describeMove(promoted, dryRun ? 'Would promote' : 'Promoted');
}

function describeMove(promoted: Promoted, done: string): Line[] {
  return [
    [styled('green', done), ` ${promoted.from} to ${promoted.path}`],
    `  hash: ${promoted.content_hash}`,
    ...promoted.tunnels.map((tunnel) => `  tunnel: ${tunnel.path} (${tunnel.reason})`),
    ...remarks(promoted),
  ];
}
