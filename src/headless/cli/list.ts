import type { Command } from 'commander';
import type { listNotes } from '../../core/search/list';
import type { overview } from '../../core/status/overview';
import type { status } from '../../core/status/status';
import type { listWings } from '../../core/wings/operations';
import { addressOf, type Answer, clientFrom } from '../terminal/client';
import { CommandError, type Io, UsageError } from '../terminal/io';
import { columns, counted, type Line, oneLine, readingLines, show, styled } from '../terminal/output';
import { wholeNumber } from './arguments';
import { wantsJson } from './ask';

interface ListOptions {
  readonly hall?: string;
  readonly under?: string;
  readonly recent?: boolean;
  readonly since?: string;
  readonly stale?: boolean;
  readonly limit?: number;
  readonly offset?: number;
}

type Status = Answer<typeof status>;

/** The number of notes that `--recent` shows unless the caller asks for another. */
const RECENT = 20;

/** Adds `brain list` and `brain status`: what the vault holds, at a glance. */
export function addListCommands(program: Command, io: Io): void {
  program
    .command('list')
    .description('list the wings, the notes of a wing or a folder, or the notes that changed last')
    .argument('[wing]', 'the notes of this wing')
    .option('--hall <hall>', 'only notes of this hall')
    .option('--under <folder>', 'only notes in this folder of the vault')
    .option('--stale', 'only notes past their half-life, the longest unverified first')
    .option('--recent', 'the notes that changed last, newest first')
    .option('--since <when>', 'only notes that changed from then on: 2026-11-20, 24h or 7d')
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
  $ brain list --recent --limit 5
  $ brain list --stale`,
    )
    .action(async (wing: string | undefined, _: unknown, command: Command) => {
      const { hall, under, recent = false, stale, since, limit, offset } = command.opts<ListOptions>();
      const json = wantsJson(command);
      const client = await clientFrom(io);
      const asked = [wing, hall, under, stale, since].some((given) => given !== undefined) || recent;
      if (!asked) {
        if (limit !== undefined || offset !== undefined) {
          throw new UsageError(
            'The list of wings is always whole: --limit and --offset go with a wing, --recent or --stale.',
          );
        }
        show(io, json, await client.call('wings'), (listed) => describeWings(listed, io.command));
        return;
      }
      const reply = await client.call('notes', {
        wing,
        hall,
        under,
        stale,
        since,
        order: recent || since !== undefined ? 'recent' : 'path',
        limit: limit ?? (recent ? RECENT : undefined),
        offset,
      });
      show(io, json, reply, (listed) => describeNotes(listed, { recent, offset: offset ?? 0 }));
    });

  program
    .command('status')
    .description('say what the server holds, what waits and how it is, in a few lines')
    .action(async (_: unknown, command: Command) => {
      const json = wantsJson(command);
      const client = await clientFrom(io);
      const address = addressOf(io.env).href.replace(/\/$/, '');
      const reply = await client.call('status').catch((error: unknown) => {
        if (error instanceof CommandError && error.code === 'forbidden_scope') return null;
        throw error;
      });
      // The whole status is for administrators; every other token that reads gets what it may see.
      if (reply === null) {
        const seen = await client.call('overview');
        return show(io, json, seen, (found) => describeOverview(found, address));
      }
      if (json) return show(io, true, reply, () => []);
      // A token that may not read the notes gets their number without those of the owner.
      const listed = await client.call('notes', { limit: 1 }).catch(() => null);
      const { value } = reply;
      show(io, false, reply, () =>
        describeStatus(value, { notes: listed?.value.total ?? value.notes, address, program: io.command }),
      );
    });
}

function describeWings({ wings }: Answer<typeof listWings>, program: string): Line[] {
  if (wings.length === 0) {
    return [`There are no wings yet. Notes outside of wings are listed by: ${program} list --recent`];
  }
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
  return [...lines, ...moreLine('note', { shown: notes.length, total, offset }), ...readingLines(reading)];
}

/** Returns a line that says how to see the rest of a list, of so many of a noun in all; none when all is shown. */
export function moreLine(
  noun: string,
  { shown, total, offset }: { readonly shown: number; readonly total: number; readonly offset: number },
): Line[] {
  const next = offset + shown;
  if (total === 0) return [];
  if (shown === 0)
    return [`There ${total === 1 ? 'is' : 'are'} ${counted(total, noun)}, all before --offset ${offset}.`];
  if (next >= total) return [];
  return [[styled('dim', `${counted(total, noun)} in all; see the next with --offset ${next}`)]];
}

function describeStatus(
  found: Status,
  { notes, address, program }: { readonly notes: number; readonly address: string; readonly program: string },
): Line[] {
  const { version, queue, watcher, quarantine, hybrid, checks, index } = found;
  const bad = checks.filter(({ state }) => state === 'failed').length;
  const odd = checks.filter(({ state }) => state === 'warning').length;
  const faults = [...(bad > 0 ? [`${bad} failed`] : []), ...(odd > 0 ? [`${odd} to look at`] : [])];
  const oldest = queue.oldest_at === undefined ? '' : `, the oldest of ${queue.oldest_at.slice(0, 10)}`;
  const rows: [string, Line][] = [
    ...(found.vault === undefined ? [] : [['vault', oneLine(found.vault)] as [string, Line]]),
    ['notes', `${notes}, ${found.notes} of them reviewed`],
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

/** Describes what a token sees that does not administer the server. */
function describeOverview(found: Answer<typeof overview>, address: string): Line[] {
  const { notes, owner_notes: own, queue, may, may_read: read, may_write_wings: wings } = found;
  const rows: [string, string][] = [
    ['notes', `${notes + own}, ${notes} of them reviewed`],
    ['review queue', counted(queue.count, 'note')],
    ['this token may', may.join(', ')],
    ...(read ? [['reads only', oneLine(read.join(', '))] as [string, string]] : []),
    ...(wings ? [['writes only into', oneLine(wings.join(', '))] as [string, string]] : []),
  ];
  return [
    [styled('bold', 'Brain Server'), ` on ${address}`],
    ...columns(rows).map((row) => `  ${row}`),
    [styled('dim', 'The rest of the status is shown to a token that may administer (admin).')],
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
