import type { Command } from 'commander';
import type { listNotes } from '../../core/search/list';
import type { status } from '../../core/status/status';
import type { listWings } from '../../core/wings/operations';
import { addressOf, type Answer, clientFrom } from '../terminal/client';
import { type Io, UsageError } from '../terminal/io';
import { columns, counted, type Line, oneLine, readingLines, show, styled } from '../terminal/output';
import { wholeNumber } from './arguments';

interface ListOptions {
  readonly hall?: string;
  readonly recent?: boolean;
  readonly limit?: number;
  readonly offset?: number;
  readonly json?: boolean;
}

type Status = Answer<typeof status>;

/** The number of notes that `--recent` shows unless the caller asks for another. */
const RECENT = 20;

/** Adds `brain list` and `brain status`: what the vault holds, at a glance. */
export function addListCommands(program: Command, io: Io): void {
  program
    .command('list')
    .description('list the wings, the notes of a wing, or the notes that changed last')
    .argument('[wing]', 'the notes of this wing')
    .option('--hall <hall>', 'only notes of this hall')
    .option('--recent', 'the notes that changed last, newest first')
    .option(
      '--limit <n>',
      `at most <n> notes, up to 500 (default: 100, ${RECENT} with --recent)`,
      wholeNumber,
    )
    .option('--offset <n>', 'leave out the first <n>', wholeNumber)
    .addHelpText(
      'after',
      `
Examples:
  $ brain list
  $ brain list homelab --hall decisions
  $ brain list --recent --limit 5`,
    )
    .action(async (wing: string | undefined, _: unknown, command: Command) => {
      const { hall, recent = false, limit, offset, json = false } = command.optsWithGlobals<ListOptions>();
      const client = await clientFrom(io);
      if (wing === undefined && hall === undefined && !recent) {
        if (limit !== undefined || offset !== undefined) {
          throw new UsageError(
            'The list of wings is always whole: --limit and --offset go with a wing or --recent.',
          );
        }
        show(io, json, await client.call('wings'), describeWings);
        return;
      }
      const reply = await client.call('notes', {
        wing,
        hall,
        order: recent ? 'recent' : 'path',
        limit: limit ?? (recent ? RECENT : undefined),
        offset,
      });
      show(io, json, reply, (listed) => describeNotes(listed, { recent, offset: offset ?? 0 }));
    });

  program
    .command('status')
    .description('say what the server holds, what waits and how it is, in a few lines')
    .action(async (_: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<ListOptions>();
      const client = await clientFrom(io);
      show(io, json === true, await client.call('status'), (found) =>
        describeStatus(found, addressOf(io.env).href.replace(/\/$/, ''), io.command),
      );
    });
}

function describeWings({ wings }: Answer<typeof listWings>): Line[] {
  if (wings.length === 0) return ['There are no wings yet.'];
  const [head = '', ...rows] = columns([
    ['WING', 'NOTES', 'FACTS', 'DECISIONS', 'FAILURES', 'HYPOTHESES', 'SOURCES', 'STALE'],
    ...wings.map(({ wing, notes, stale, halls }) => [
      oneLine(wing),
      ...[notes, halls.facts, halls.decisions, halls.failures, halls.hypotheses, halls.sources, stale].map(
        String,
      ),
    ]),
  ]);
  return [[styled('bold', head)], ...rows];
}

function describeNotes(
  { notes, total, reading }: Answer<typeof listNotes>,
  { recent, offset }: { readonly recent: boolean; readonly offset: number },
): Line[] {
  if (total === 0) return ['There are no such notes.', ...readingLines(reading)];
  const lines = notes.map(({ path, title, changed_at: at, stale }): Line => [
    ...(recent ? [styled('dim', `${at.slice(0, 16).replace('T', ' ')}  `)] : []),
    styled('cyan', oneLine(path)),
    `  ${oneLine(title)}`,
    ...(stale ? [styled('yellow', '  stale')] : []),
  ]);
  return [...lines, ...moreLine({ shown: notes.length, total, offset }), ...readingLines(reading)];
}

/** Returns a line that says how to see the rest of a list; none when all is shown. */
export function moreLine({
  shown,
  total,
  offset,
}: {
  readonly shown: number;
  readonly total: number;
  readonly offset: number;
}): Line[] {
  const next = offset + shown;
  if (shown === 0) return [`There are ${counted(total, 'note')}, and none after the first ${offset}.`];
  if (next >= total) return [];
  return [[styled('dim', `${counted(total, 'note')} in all; see the next with --offset ${next}`)]];
}

function describeStatus(found: Status, address: string, program: string): Line[] {
  const { version, notes, queue, watcher, quarantine, hybrid, checks, index } = found;
  const bad = checks.filter(({ state }) => state === 'failed').length;
  const odd = checks.filter(({ state }) => state === 'warning').length;
  const faults = [...(bad > 0 ? [`${bad} failed`] : []), ...(odd > 0 ? [`${odd} to look at`] : [])];
  const oldest = queue.oldest_at === undefined ? '' : `, the oldest of ${queue.oldest_at.slice(0, 10)}`;
  const rows: [string, Line][] = [
    ...(found.vault === undefined ? [] : [['vault', oneLine(found.vault)] as [string, Line]]),
    ['notes', String(notes)],
    ['review queue', `${counted(queue.count, 'note')}${oldest}`],
    ['inbox', inboxWords(watcher)],
    ...(quarantine.length > 0 ? [['quarantine', counted(quarantine.length, 'file')] as [string, Line]] : []),
    ['search by meaning', hybrid.configured ? hybrid.state.replace('_', ' ') : 'off'],
    ['checks', checkWords(faults, bad > 0, program)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    [styled('bold', `Brain Server ${version}`), ` on ${address}`],
    ...rows.map(([name, words]): Line => [
      `  ${name.padEnd(width)}  `,
      ...(typeof words === 'string' ? [words] : words),
    ]),
    ...readingLines(index.reading),
  ];
}

function inboxWords({ state, folder, waiting_count: waiting, retrying }: Status['watcher']): string {
  const words = [
    state === 'off' ? 'not watched' : `${folder ?? 'inbox'} is watched`,
    ...(waiting > 0 ? [`${counted(waiting, 'file')} from before`] : []),
    ...(retrying.length > 0 ? [`${counted(retrying.length, 'file')} to try again`] : []),
  ];
  return words.join(', ');
}

function checkWords(faults: readonly string[], failed: boolean, program: string): Line {
  if (faults.length === 0) return [styled('green', 'ok')];
  return [styled(failed ? 'red' : 'yellow', faults.join(', ')), `; see "${program} doctor"`];
}
